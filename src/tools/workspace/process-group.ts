// Ending a command with all that it has started: its group, and what left the group.
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'

const markName = 'COMMAND_ID'
/** What is ended may just have started another: it is looked for again, so many times. */
const maxRounds = 10

/** The mark of one command: a variable that everything it starts has too. */
export function createMark(): Readonly<Record<string, string>> {
  return { [markName]: randomBytes(12).toString('hex') }
}

/** Ends every process of the group, also those that outlived the first. */
export function endGroup(pid: number): void {
  end(-pid)
}

/** Ends every process with the mark, whichever group or session it made for itself. Only Linux tells who has it. */
export async function endMarked(mark: Readonly<Record<string, string>>): Promise<void> {
  const line = `\0${markName}=${mark[markName]}\0`
  for (let round = 0; round < maxRounds; round++) {
    let found = false
    for (const pid of await processes()) {
      const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
      if (!`\0${environment}`.includes(line)) continue
      found = true
      end(Number(pid))
    }
    if (!found) return
  }
}

/** None where there is no such folder. */
async function processes(): Promise<string[]> {
  const names = await readdir('/proc').catch(() => [])
  return names.filter((name) => /^\d+$/.test(name))
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It is gone.
  }
}
