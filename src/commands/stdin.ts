// Reads standard input as text, up to a limit.
import { AppError } from '#core/errors.ts'

/**
 * All of standard input. Throws too_large with the message `fault` when it has more than `maxChars` characters, and
 * invalid_input when it is no UTF-8, as a PDF or a picture.
 */
export async function readInput(maxChars: number, fault: string): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let text = ''
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    text += decoded(decoder, chunk)
    if (text.length > maxChars) throw new AppError('too_large', fault)
  }
  return text + decoded(decoder)
}

function decoded(decoder: TextDecoder, chunk?: Buffer): string {
  try {
    return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
  } catch (error) {
    throw new AppError(
      'invalid_input',
      'standard input is not UTF-8 text: give a picture, a PDF or another file by its path',
      { cause: error },
    )
  }
}
