// Standard input as text, bounded.
import { AppError } from '#core/errors.ts'

/** All of standard input; throws too_large with these words when it holds more characters than that. */
export async function readInput(maxChars: number, fault: string): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk as string
    if (text.length > maxChars) throw new AppError('too_large', fault)
  }
  return text
}
