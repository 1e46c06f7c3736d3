// Secrets come from a hidden prompt or from standard input, never from an argument.
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { AppError } from '#core/errors.ts'
import { readInput } from './input.ts'

const maxSecret = 64 * 1024

/** One secret: asked for on a terminal, else all of standard input but its last line end. */
export async function readSecret(prompt: string): Promise<string> {
  const value = process.stdin.isTTY
    ? await askHidden(prompt)
    : (await readInput(maxSecret, `a secret has at most ${maxSecret} characters`)).replace(/\r?\n$/, '')
  if (value === '') throw new AppError('invalid_input', 'the value is empty: nothing was stored')
  return value
}

async function askHidden(prompt: string): Promise<string> {
  process.stderr.write(prompt)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true })
  try {
    return (await lines.question('')).trim()
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}
