// Processes with a mark in their environment, by which they and all that they start are found again: also those that left
// the process group. Works only on Linux, which has /proc.
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

const pollMs = 20
/** Rounds of looking for processes that were started while others were ended. */
const maxRounds = 20

type IsMeant = (mark: string) => boolean

/** Ends all processes whose environment has such a mark in `variable`. Returns how many there were. */
export async function endMarked(variable: string, isMeant: IsMeant): Promise<number> {
  const ended = new Set<number>()
  for (let round = 0; round < maxRounds; round++) {
    const found = await findMarked(variable, isMeant)
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

export async function findMarked(variable: string, isMeant: IsMeant): Promise<Marked[]> {
  const pids = (await readdir('/proc').catch(() => [])).map(Number).filter((pid) => pid > 0 && pid !== process.pid)
  const found = await Promise.all(pids.map(async (pid) => ({ pid, mark: await markOf(pid, variable) })))
  return found.flatMap(({ pid, mark }) => (mark !== undefined && isMeant(mark) ? [{ pid, mark }] : []))
}

/** The mark of a process; undefined if it has none, or is of another user. A zombie has no environment any more. */
async function markOf(pid: number, variable: string): Promise<string | undefined> {
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
  const start = `${variable}=`
  return environment
    .split('\0')
    .find((each) => each.startsWith(start))
    ?.slice(start.length)
}
