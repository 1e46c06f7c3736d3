// What the child gives up before any code of a guest, or made from a guest, is loaded. The guest cannot reach any of
// this by WebAssembly; it is for the day the code generator lets a guest's text become script.
import { registerHooks } from 'node:module'

const processParts =
  'kill _kill binding _linkedBinding dlopen _debugProcess _debugEnd _rawDebug abort reallyExit exit chdir umask setuid ' +
  'seteuid setgid setegid setgroups initgroups getBuiltinModule report loadEnvFile openStdin mainModule _channel ' +
  'channel send execve permission stdin stdout stderr setSourceMapsEnabled _getActiveHandles _getActiveRequests ' +
  'getActiveResourcesInfo _startProfilerIdleNotifier ref unref title'

const globalParts =
  'process require module global fetch WebSocket EventSource Request Response FormData Headers BroadcastChannel ' +
  'MessageChannel MessagePort Worker navigator crypto localStorage sessionStorage Storage'

/**
 * Gives up the rights of the process: the root user, the files, and the ways to reach other processes. What the caller
 * still needs of the platform it has taken before.
 */
export function scrub(uid: number | undefined): void {
  giveUpRights(uid)
  for (const name of processParts.split(' ')) remove(process, name)
  // The prototype carries what the emitter lends to process; the environment is empty and stays so.
  Object.defineProperty(process, 'env', { value: Object.freeze({}), writable: false, configurable: false })
  const nothing = (): void => {}
  const quiet = { log: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing }
  Object.defineProperty(globalThis, 'console', { value: Object.freeze(quiet), writable: false, configurable: false })
  for (const name of globalParts.split(' ')) remove(globalThis, name)
}

/** Becomes another user where this one is root, and reads no file from now on. */
export function giveUpRights(uid: number | undefined): void {
  if (uid !== undefined && process.getuid?.() === 0) {
    process.setgroups?.([])
    process.setgid?.(uid)
    process.setuid?.(uid)
  }
  const permission: unknown = process.permission
  if (typeof permission !== 'object' || permission === null || !('drop' in permission)) return
  if (typeof permission.drop === 'function') permission.drop('fs.read')
}

/** Loads one script, given as text; from here on nothing else can be loaded, neither a file nor a part of the platform. */
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

/** Deleting comes first: to define a part that the platform loads lazily would load it, at 50 ms a start. */
function remove(target: object, name: string): void {
  Reflect.deleteProperty(target, name)
  if (!(name in target)) return
  try {
    Object.defineProperty(target, name, { value: undefined, writable: false, configurable: false })
  } catch {
    // Already fixed in place by the platform; the permission model holds what it guards.
  }
}
