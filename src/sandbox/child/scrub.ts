// Removes rights and platform objects from a child before it loads code generated from a guest. WebAssembly cannot reach
// any of them. This is the second defence, in case the code generator lets a guest's text become script.
import { registerHooks } from 'node:module'

const processProperties =
  'kill _kill binding _linkedBinding dlopen _debugProcess _debugEnd _rawDebug abort reallyExit exit chdir umask setuid ' +
  'seteuid setgid setegid setgroups initgroups getBuiltinModule report loadEnvFile openStdin mainModule _channel ' +
  'channel send execve permission stdin stdout stderr setSourceMapsEnabled _getActiveHandles _getActiveRequests ' +
  'getActiveResourcesInfo _startProfilerIdleNotifier ref unref title'

const globalProperties =
  'process require module global fetch WebSocket EventSource Request Response FormData Headers BroadcastChannel ' +
  'MessageChannel MessagePort Worker navigator crypto localStorage sessionStorage Storage'

/**
 * Drops root, file access and every way to reach other processes. The caller must have taken what it still needs from
 * `process` before.
 */
export function scrub(uid: number | undefined): void {
  dropRights(uid)
  for (const name of processProperties.split(' ')) remove(process, name)
  Object.defineProperty(process, 'env', { value: Object.freeze({}), writable: false, configurable: false })
  const nothing = (): void => {}
  const silent = { log: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing }
  Object.defineProperty(globalThis, 'console', { value: Object.freeze(silent), writable: false, configurable: false })
  for (const name of globalProperties.split(' ')) remove(globalThis, name)
}

/** Switches to `uid` when this process runs as root, and drops the right to read files. */
export function dropRights(uid: number | undefined): void {
  if (uid !== undefined && process.getuid?.() === 0) {
    process.setgroups?.([])
    process.setgid?.(uid)
    process.setuid?.(uid)
  }
  const permission: unknown = process.permission
  if (typeof permission !== 'object' || permission === null || !('drop' in permission)) return
  if (typeof permission.drop === 'function') permission.drop('fs.read')
}

/** Loads one script from its text. Afterwards nothing can be imported, neither a file nor a module of Node. */
export async function loadOnly(script: string): Promise<unknown> {
  const url = 'tool:code'
  let open = true
  registerHooks({
    resolve(name, context) {
      if (open && name === url && context.parentURL === import.meta.url) return { url, shortCircuit: true }
      throw new Error('a tool has no imports')
    },
    load(name) {
      if (open && name === url) return { format: 'module', source: script, shortCircuit: true }
      throw new Error('a tool has no imports')
    },
  })
  const loaded: unknown = await import(url)
  open = false
  return loaded
}

/** Deletes before it redefines: defining a property that Node loads lazily would load it, which costs 50 ms per start. */
function remove(target: object, name: string): void {
  Reflect.deleteProperty(target, name)
  if (!(name in target)) return
  try {
    Object.defineProperty(target, name, { value: undefined, writable: false, configurable: false })
  } catch {
    // Node made it non-configurable. The permission model still denies what it leads to.
  }
}
