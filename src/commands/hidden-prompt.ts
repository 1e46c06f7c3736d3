// Reads secrets from a hidden prompt or from standard input, never from an argument.
import { AppError } from '#core/errors.ts'
import { ask } from './prompts.ts'
import { readInput } from './stdin.ts'

const maxSecretChars = 64 * 1024

/** Prompts on a terminal, else reads all of standard input without its last line end. Refuses an empty value unless optional. */
export async function readSecret(prompt: string, { optional = false }: { optional?: boolean } = {}): Promise<string> {
  const value = process.stdin.isTTY
    ? await ask(prompt, { hidden: true })
    : (await readInput(maxSecretChars, `a secret has at most ${maxSecretChars} characters`)).replace(/\r?\n$/, '')
  if (value !== '' || optional) return value
  const from = process.stdin.isTTY ? '' : 'on standard input '
  throw new AppError('invalid_input', `the value ${from}is empty: nothing was stored`)
}
