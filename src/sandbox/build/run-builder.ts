// Runs the component builder in a process of its own, without the environment of the service, with a deadline and a memory
// limit: it evaluates the tool's code.
import { spawn } from 'node:child_process'
import { inBundle } from '#lib/bundle.ts'
import { inCheckout } from '#lib/checkout.ts'
import { within } from '#lib/deadline.ts'

export type BuilderParts = {
  readonly witPath: string
  readonly jsSource: string
  /** The path of the source, from which its imports are resolved. */
  readonly jsPath: string
  readonly moduleRoot: string
}

export type BuilderAnswer =
  | { readonly type: 'component'; readonly component: Uint8Array }
  /** The builder's own words. */
  | { readonly type: 'fault'; readonly message: string }
  | { readonly type: 'no_builder'; readonly message: string }

/** What became of a build: an answer, none in time, or a process that ended without one. */
export type BuilderOutcome =
  | BuilderAnswer
  | { readonly type: 'late' }
  | { readonly type: 'ended'; readonly how: string }

/** Writable memory of the process (`ulimit -d`). */
const maxBuilderMib = 2_048

export async function runBuilder(
  builder: string,
  parts: BuilderParts,
  { deadlineMs }: { deadlineMs: number },
): Promise<BuilderOutcome> {
  const script = inBundle('builder-child.mjs') ?? inCheckout('src', 'sandbox', 'build', 'builder-child.ts')
  // Not `spawnConfined`: it refuses addons, and the builder is one. Not every system supports `ulimit -d`.
  const limitThenExec = `unset PWD OLDPWD; ulimit -c 0; ulimit -d ${maxBuilderMib * 1_024} 2>/dev/null; exec "$0" "$@"`
  const child = spawn('/bin/sh', ['-c', limitThenExec, process.execPath, script], {
    env: {},
    cwd: '/',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  })
  const { promise, resolve } = Promise.withResolvers<BuilderOutcome>()
  child.once('message', (answer) => resolve(answer as BuilderAnswer))
  child.once('exit', (code, signal) => resolve({ type: 'ended', how: signal ?? `code ${code}` }))
  child.on('error', (error) => resolve({ type: 'ended', how: error.message }))
  child.send({ builder, parts }, () => {})
  try {
    return await within(deadlineMs, promise, () => ({ type: 'late' }) as const)
  } finally {
    child.kill('SIGKILL')
  }
}
