// One client for all commands to a tmux server, in tmux's control mode: to start a process for each look at a screen takes
// longer than the look, the more so the larger the process of the tests is.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** Runs a command of tmux; resolves with what it prints. */
export type TmuxCommand = (...args: string[]) => Promise<string>

type Waiting = { resolve(text: string): void; reject(error: Error): void }

/** The beginning or end of the answer to a command that came in through standard input; that of the client's own session has another flag. */
const blockEdge = /^%(begin|end|error) \d+ (\d+) 1$/

/** Starts a server on a socket, with a session of the client's own. It ends with its server. */
export function openTmuxClient(socket: string, env: Record<string, string>): TmuxCommand {
  const args = ['-S', socket, '-f', '/dev/null', '-u', '-C', 'new-session', '-s', 'client', 'cat']
  const client = spawn('tmux', args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting: Waiting[] = []
  /** The number of the block that is read, and its lines. */
  let block: { number: string; lines: string[] } | undefined
  createInterface({ input: client.stdout }).on('line', (line) => {
    const [, edge, number = ''] = blockEdge.exec(line) ?? []
    if (edge === 'begin' && !block) block = { number, lines: [] }
    else if (edge !== undefined && edge !== 'begin' && block?.number === number) {
      const text = block.lines.join('\n')
      block = undefined
      if (edge === 'end') waiting.shift()?.resolve(text)
      else waiting.shift()?.reject(new Error(`tmux: ${text}`))
    } else block?.lines.push(line)
  })
  const fail = (cause?: unknown): void => {
    for (const each of waiting.splice(0)) each.reject(new Error('the client of tmux has ended', { cause }))
  }
  client.once('error', fail).once('close', () => fail())
  client.stdin.on('error', fail)
  return (...words) =>
    new Promise((resolve, reject) => {
      waiting.push({ resolve, reject })
      client.stdin.write(`${words.map(quoted).join(' ')}\n`, (error) => {
        if (error) fail(error)
      })
    })
}

/** A word as tmux reads it, on one line. */
function quoted(word: string): string {
  // oxlint-disable-next-line no-control-regex -- these would end the line, or the word
  const letters = word.replaceAll(/[\\"$]|[\u0000-\u001f\u007f]/g, (letter) =>
    letter < ' ' || letter === '\u007f' ? `\\${letter.charCodeAt(0).toString(8).padStart(3, '0')}` : `\\${letter}`,
  )
  return `"${letters}"`
}
