// Starts a confined Node process: no environment, network, threads or child processes, and only the listed files. All code
// that reads a tool's bytes runs in such a process.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'

export type Confinement = {
  readonly script: string
  readonly args: readonly string[]
  /** Readable files and folders (`…/*`, with everything below). A path through a link needs the link and its target. */
  readonly reads: readonly string[]
  /** More flags for Node, such as memory limits. */
  readonly flags: readonly string[]
  /** The system kills the process after this much CPU: one that loops cannot see that its parent is gone. */
  readonly cpuSecs: number
  /** Limit of all writable memory: heaps, buffers and stacks. Node's own limits do not count all of it. */
  readonly memoryMib: number
  /** `ignore` where a guest could write to it. */
  readonly stderr: 'pipe' | 'ignore'
}

export type ConfinedProcess = ChildProcessByStdio<Writable, Readable, Readable | null>

/** The user that a confined process switches to when the service runs as root. It cannot signal other users' processes. */
export const nobodyUid = 65_534

const baseFlags = ['--permission', '--no-experimental-sqlite', '--no-addons', '--disable-warning=ExperimentalWarning']
/** Node 24 does not know this flag, and has nothing that it would switch off. */
const ffiFlag = '--no-experimental-ffi'
/** Lets WebAssembly wait for a promise. The first versions of Node 24 need this flag, later ones may not know it. */
const waitFlag = '--experimental-wasm-jspi'

export function spawnConfined({
  script,
  args,
  reads,
  flags,
  cpuSecs,
  memoryMib,
  stderr,
}: Confinement): ConfinedProcess {
  // Not every system supports `ulimit -d`. Node's own limits remain there.
  const data = `ulimit -d ${memoryMib * 1_024} 2>/dev/null`
  const limitThenExec = `unset PWD OLDPWD; ulimit -c 0; ulimit -t ${cpuSecs}; ${data}; exec "$0" "$@"`
  const known = process.allowedNodeEnvironmentFlags.has(ffiFlag) ? [ffiFlag] : []
  const waits = 'Suspending' in WebAssembly ? [] : [waitFlag]
  const node = [
    process.execPath,
    ...baseFlags,
    ...known,
    ...waits,
    ...reads.map((path) => `--allow-fs-read=${path}`),
    ...flags,
  ]
  const command = ['-c', limitThenExec, ...node, script, ...args]
  const isolated = { env: {}, cwd: '/' }
  return stderr === 'pipe'
    ? spawn('/bin/sh', command, { ...isolated, stdio: ['pipe', 'pipe', 'pipe'] })
    : spawn('/bin/sh', command, { ...isolated, stdio: ['pipe', 'pipe', 'ignore'] })
}
