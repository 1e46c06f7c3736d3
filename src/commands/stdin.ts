// Reads standard input as text, up to a limit.
import { AppError } from '#core/errors.ts'

/** All of standard input. Throws too_large with the message `fault` when it has more than `maxChars` characters. */
export async function readInput(maxChars: number, fault: string): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk as string
    if (text.length > maxChars) throw new AppError('too_large', fault)
  }
  return text
}
