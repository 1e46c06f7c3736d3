// Prompts on the terminal. Ctrl+C or Ctrl+D gives no answer.
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { AppError } from '#core/errors.ts'

/** Reads one line; the prompt goes to standard error. `hidden` does not echo the input. Throws interrupted. */
export function ask(prompt: string, { hidden = false }: { hidden?: boolean } = {}): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const output = hidden ? silent : process.stderr
  const lines = createInterface({ input: process.stdin, output, terminal: true, prompt: hidden ? '' : prompt })
  if (hidden) process.stderr.write(prompt)
  lines.prompt()
  let answer: string | undefined
  lines.once('line', (line) => {
    answer = line.trim()
    lines.close()
  })
  lines.once('SIGINT', () => lines.close())
  return new Promise((resolve, reject) => {
    lines.once('close', () => {
      if (hidden || answer === undefined) process.stderr.write('\n')
      if (answer === undefined) reject(new AppError('interrupted', 'stopped: nothing more was done'))
      else resolve(answer)
    })
  })
}

/** Asks a yes-or-no question; true for yes. */
export async function agrees(question: string): Promise<boolean> {
  return /^y(es)?$/i.test(await ask(`${question} [y/N] `))
}
