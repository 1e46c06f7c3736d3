// Blocks before the text of a user message: the instructions, and the context that the application sends about the user.
import { hash } from 'node:crypto'
import { AppError } from '#core/errors.ts'
import type { Part } from '#core/item.ts'
import { byteLength, isObject } from '#core/json.ts'
import { isRawNumber } from '#http/lossless-json.ts'
import { pace } from '#lib/pace.ts'
import { withoutMarksInSlices } from '#safety/fence.ts'

/** As large as a message. No model's window has room for more before the conversation itself. */
const maxInstructionsBytes = 1024 * 1024

/** Throws too_large for instructions of a request that exceed the limit. `field` has them. */
export function checkInstructions(texts: readonly string[], field: string): void {
  const bytes = texts.reduce((sum, text) => sum + byteLength(text), 0)
  if (bytes <= maxInstructionsBytes) return
  const message = `instructions, system and developer messages have ${bytes} bytes, at most ${maxInstructionsBytes} are accepted`
  throw new AppError('too_large', message, { param: field })
}

/** All instructions in order, as one block. Empty when there are none. */
export async function instructionsBlock(texts: readonly string[]): Promise<string> {
  const instructions = texts.filter((text) => text.trim() !== '')
  return instructions.length > 0 ? block('instructions', instructions.join('\n\n')) : ''
}

/** The hash of instructions, to tell whether they changed since an earlier turn. */
export function hashOfInstructions(texts: readonly string[]): string {
  if (texts.length > 0) return hash('sha256', JSON.stringify(texts), 'base64url')
  return (hashOfNone ??= hash('sha256', '[]', 'base64url'))
}

/** Most requests have no instructions. */
let hashOfNone: string | undefined

/** Two levels of keys as one line per field; deeper values as JSON. Empty when there are none. */
export async function contextBlock(context: Readonly<Record<string, unknown>>): Promise<string> {
  const lines = Object.entries(context).flatMap(([key, value]) => {
    if (!isObject(value) || isRawNumber(value)) return [`${key}: ${textOf(value)}`]
    return [`${key}:`, ...Object.entries(value).map(([field, inner]) => `  ${field}: ${textOf(inner)}`)]
  })
  return lines.length > 0 ? block('user-context', lines.join('\n')) : ''
}

/** The parts of a message that is instructions alone. */
export async function instructionsParts(text: string): Promise<Part[]> {
  const { open, inner, close } = await blockParts('instructions', text)
  return [
    { type: 'framing', text: open },
    { type: 'text', text: inner },
    { type: 'framing', text: close },
  ]
}

/** Wraps text in a block. */
export async function block(name: string, text: string): Promise<string> {
  const { open, inner, close } = await blockParts(name, text)
  return open + inner + close
}

/** Block tags inside the text are escaped, so that it cannot close the block. */
async function blockParts(name: string, text: string): Promise<Record<'open' | 'inner' | 'close', string>> {
  let inner = ''
  for (const slice of withoutMarksInSlices(text)) {
    inner += slice
    await pace()
  }
  return { open: `<${name}>\n`, inner, close: `\n</${name}>\n\n` }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
