// Secrets come from a hidden prompt or from standard input, never from an argument.
import { AppError } from '#core/errors.ts'
import { ask } from './prompts.ts'
import { readInput } from './stdin.ts'

const maxSecret = 64 * 1024

/** One secret: asked for on a terminal, else all of standard input but its last line end. Empty only where it may be. */
export async function readSecret(prompt: string, { optional = false }: { optional?: boolean } = {}): Promise<string> {
  const value = process.stdin.isTTY
    ? await ask(prompt, { hidden: true })
    : (await readInput(maxSecret, `a secret has at most ${maxSecret} characters`)).replace(/\r?\n$/, '')
  if (value === '' && !optional) throw new AppError('invalid_input', 'the value is empty: nothing was stored')
  return value
}
