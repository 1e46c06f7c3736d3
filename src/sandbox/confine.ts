// Starting a process that may next to nothing: no environment, no network, no threads, no further process, and of the
// files only those it is given. What handles a stranger's bytes runs in one.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'

export type Confinement = {
  readonly script: string
  readonly args: readonly string[]
  /** Files, and folders with all below them (`…/*`), as they are reached and where links lead. */
  readonly reads: readonly string[]
  /** Further flags of Node: bounds of memory, and rights to give up. */
  readonly flags: readonly string[]
  /** The system ends a process that loops on after its parent is gone: nothing inside it could. */
  readonly cpuSecs: number
  /** What it may make writable in all, heaps, buffers and stacks together: where Node counts nothing the system does. */
  readonly memoryMib: number
  /** `ignore` where what it complains of is a stranger's doing, and nobody's to read. */
  readonly stderr: 'pipe' | 'ignore'
}

export type Confined = ChildProcessByStdio<Writable, Readable, Readable | null>

/** Who a process becomes when the service runs as root: nobody, who may signal no other user's process. */
export const nobody = 65_534

const always = [
  '--permission',
  '--no-experimental-sqlite',
  '--no-experimental-ffi',
  '--no-addons',
  '--disable-warning=ExperimentalWarning',
]

export function spawnConfined({ script, args, reads, flags, cpuSecs, memoryMib, stderr }: Confinement): Confined {
  // Not every system has a limit for data; one that has none still has Node's own.
  const data = `ulimit -d ${memoryMib * 1_024} 2>/dev/null`
  const limited = `unset PWD OLDPWD; ulimit -c 0; ulimit -t ${cpuSecs}; ${data}; exec "$0" "$@"`
  const node = [process.execPath, ...always, ...reads.map((path) => `--allow-fs-read=${path}`), ...flags]
  const command = ['-c', limited, ...node, script, ...args]
  const apart = { env: {}, cwd: '/' }
  return stderr === 'pipe'
    ? spawn('/bin/sh', command, { ...apart, stdio: ['pipe', 'pipe', 'pipe'] })
    : spawn('/bin/sh', command, { ...apart, stdio: ['pipe', 'pipe', 'ignore'] })
}
