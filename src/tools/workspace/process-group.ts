// Ends a command and every process that it started: its process group, and the processes that left the group.
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'

const markName = 'COMMAND_ID'
/** A process may start another just before it ends, so the search repeats up to this many times. */
const maxRounds = 10

/** The mark of a command: an environment variable that every process it starts inherits. */
export function createMark(): Readonly<Record<string, string>> {
  return { [markName]: randomBytes(12).toString('hex') }
}

/** Ends every process of the group, including those that outlived its leader. */
export function endGroup(pid: number): void {
  end(-pid)
}

/** Ends every process with the mark, in whatever group or session. Works only on Linux, which has /proc. */
export async function endMarked(mark: Readonly<Record<string, string>>): Promise<void> {
  const line = `\0${markName}=${mark[markName]}\0`
  for (let round = 0; round < maxRounds; round++) {
    let found = false
    for (const pid of await processIds()) {
      const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
      if (!`\0${environment}`.includes(line)) continue
      found = true
      end(Number(pid))
    }
    if (!found) return
  }
}

/** The process ids; none on a system without /proc. */
async function processIds(): Promise<string[]> {
  const names = await readdir('/proc').catch(() => [])
  return names.filter((name) => /^\d+$/.test(name))
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has already ended.
  }
}
