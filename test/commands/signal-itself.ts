// A command that is stopped in the middle of its work, however fast the machine is.

/** What Node loads before a command, so that it sends itself a signal in the turn of its loop in which `path` is there. */
export function signalItself(signal: NodeJS.Signals, path: string): string {
  const look = `import { existsSync } from 'node:fs'
    const look = () => existsSync(${JSON.stringify(path)}) ? process.kill(process.pid, '${signal}') : setImmediate(look).unref()
    look()`
  return `--import=data:text/javascript,${encodeURIComponent(look)}`
}
