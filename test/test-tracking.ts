// Loaded before the tests of a process (`--import`): lets the run stop node:test's tracking of promises, a tenth of the time
// of a process. While files are loaded, tracking puts their tests into the suite of the file. Later it only names the test of
// a rejection or exception that nobody caught; without it, that fails the run, and no test by name.
import async_hooks, { type AsyncHook, type HookCallbacks } from 'node:async_hooks'

const { createHook } = async_hooks
let tracking: AsyncHook | undefined

// The first hook of the process is that of node:test, which is not loaded yet.
async_hooks.createHook = (callbacks: HookCallbacks): AsyncHook => {
  async_hooks.createHook = createHook
  return (tracking = createHook(callbacks))
}

/** Call once all files are loaded. */
export function endTracking(): void {
  tracking?.disable()
}
