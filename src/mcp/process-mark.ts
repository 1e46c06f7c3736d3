// The mark in the environment of every process that an MCP server starts, by which they are found again: also those that
// left the process group, and after a crash of the service.
import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

export const markVariable = 'ATRIUM_MCP_MARK'
const pollMs = 20
/** Rounds of looking for processes that were started while others were ended. */
const maxRounds = 20

/** The part of a mark that all processes of one home share. */
export function homeMark(homePath: string): string {
  return createHash('sha256').update(homePath).digest('hex').slice(0, 24)
}

/** A new mark for one start of a server. It names the process that starts it, so that its orphans are known as such. */
export async function newMark(home: string): Promise<string> {
  return [home, process.pid, await startOf(process.pid), randomBytes(12).toString('hex')].join('.')
}

/** Ends all processes with this mark, whatever group they are in. Without /proc there is no way to find them. */
export async function endMarked(mark: string): Promise<void> {
  await endAll((found) => found === mark)
}

/** Ends the processes of servers of this home whose service is gone. Returns how many there were. */
export async function endOrphans(home: string): Promise<number> {
  const starts = new Map<number, string | undefined>()
  for (const { mark } of await marked((found) => found.startsWith(`${home}.`))) {
    const owner = Number(mark.split('.')[1])
    starts.set(owner, await startOf(owner))
  }
  if (starts.size === 0) return 0
  return endAll((found) => {
    const [first, owner, started] = found.split('.')
    return first === home && starts.has(Number(owner)) && starts.get(Number(owner)) !== started
  })
}

async function endAll(isMeant: (mark: string) => boolean): Promise<number> {
  const ended = new Set<number>()
  for (let round = 0; round < maxRounds; round++) {
    const found = await marked(isMeant)
    if (found.length === 0) break
    for (const { pid } of found) {
      ended.add(pid)
      kill(pid, 'SIGKILL')
    }
    await pause(pollMs)
  }
  return ended.size
}

/** Sends a signal; a process that is gone is no error. A negative id means a process group. */
export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended.
  }
}

type Marked = { readonly pid: number; readonly mark: string }

async function marked(isMeant: (mark: string) => boolean): Promise<Marked[]> {
  const pids = (await readdir('/proc').catch(() => [])).map(Number).filter((pid) => pid > 0 && pid !== process.pid)
  const found = await Promise.all(pids.map(async (pid) => ({ pid, mark: await markOf(pid) })))
  return found.flatMap(({ pid, mark }) => (mark !== undefined && isMeant(mark) ? [{ pid, mark }] : []))
}

/** The mark of a process; undefined if it has none, or is of another user. A zombie has no environment any more. */
async function markOf(pid: number): Promise<string | undefined> {
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
  const start = `${markVariable}=`
  return environment
    .split('\0')
    .find((each) => each.startsWith(start))
    ?.slice(start.length)
}

/** When a process was started, in ticks since the boot: a process id may be used again. */
async function startOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')
  // The name of the program is in parentheses and may have spaces; the start is the 20th field after it.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
}
