// The mark in the environment of every process that an MCP server starts, by which they are found again, also after a crash
// of the service.
import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { endMarked, findMarked } from '#lib/marked-processes.ts'

export const markVariable = 'ATRIUM_MCP_MARK'

/** The part of a mark that all processes of one home share. */
export function homeMark(homePath: string): string {
  return createHash('sha256').update(homePath).digest('hex').slice(0, 24)
}

/** A new mark for one start of a server. It names the process that starts it, so that its orphans are known as such. */
export async function newMark(home: string): Promise<string> {
  return [home, process.pid, await startOf(process.pid), randomBytes(12).toString('hex')].join('.')
}

/** Ends the processes of servers of this home whose service is gone. Returns how many there were. */
export async function endOrphans(home: string): Promise<number> {
  const starts = new Map<number, string | undefined>()
  for (const { mark } of await findMarked(markVariable, (found) => found.startsWith(`${home}.`))) {
    const owner = Number(mark.split('.')[1])
    starts.set(owner, await startOf(owner))
  }
  if (starts.size === 0) return 0
  return endMarked(markVariable, (found) => {
    const [first, owner, started] = found.split('.')
    return first === home && starts.has(Number(owner)) && starts.get(Number(owner)) !== started
  })
}

/** When a process was started, in ticks since the boot: a process id may be used again. */
async function startOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')
  // The name of the program is in parentheses and may have spaces; the start is the 20th field after it.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
}
