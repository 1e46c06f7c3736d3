// The input of a turn: checks of a message, the thread title made from it, and masking of secrets before it is stored.
import { AppError } from '#core/errors.ts'
import { newId } from '#core/ids.ts'
import { type Draft, isUserMessage, type Item, type Part, textMessage } from '#core/item.ts'
import { maxFirstTitleChars } from '#core/page-limits.ts'
import { mapPacked } from '#lib/map-packed.ts'
import { pace } from '#lib/pace.ts'
import { withoutBlocks } from '#safety/fence.ts'
import { withoutNuls } from '#safety/printable.ts'
import type { Mask } from '#safety/secret-values.ts'

/** Characters of a message in a list of turns. */
const maxOpeningLength = 200
const maxTitleLineLength = 400
/** Letters of the input that are searched for a title: blocks of an app may come first. */
const maxTitleSearchChars = 256 * 1024
const maxMessageBytes = 1024 * 1024

/** Checks a message typed or sent by a person. */
export function checkMessage(text: string): void {
  if (text.trim() === '') throw new AppError('invalid_input', 'the message is empty', { param: 'message' })
  if (text.includes('\0'))
    throw new AppError('invalid_input', 'the message contains a NUL character', { param: 'message' })
  const bytes = Buffer.byteLength(text)
  if (bytes > maxMessageBytes) {
    throw new AppError('too_large', `the message has ${bytes} bytes, at most ${maxMessageBytes} are taken`, {
      param: 'message',
    })
  }
}

/** A block that an app puts before the words of its user, such as `<environment_context>…</environment_context>`. */
const appBlock = /^\s*<([A-Za-z][\w-]{1,40})(?:\s[^<>]{0,200})?>[\s\S]*?<\/\1>/
/** The start of such a block alone on its line. */
const openBlock = /^<[A-Za-z][\w-]{1,40}(?:\s[^<>]{0,200})?>$/
const maxAppBlocks = 20

/** The title of a thread: the first line that the user wrote. Blocks of an app make a title only where nothing else does. */
export function titleOf(input: readonly Item[]): string {
  return firstLine(input, withoutAppBlocks) ?? firstLine(input, withoutBlocks) ?? 'New thread'
}

/** The first line of a message for a list of turns; undefined if an app's block fills the beginning that is known. */
export function openingLine(opening: string): string | undefined {
  const line = firstLine([textMessage('user', opening)], withoutAppBlocks, maxOpeningLength)
  return line?.startsWith('<') && openBlock.test(line) ? undefined : line
}

function withoutAppBlocks(text: string): string {
  let rest = text
  for (let at = 0; at < maxAppBlocks; at++) {
    const block = appBlock.exec(rest)
    if (!block) break
    rest = rest.slice(block[0].length)
  }
  return rest
}

function firstLine(
  input: readonly Item[],
  strip: (text: string) => string,
  maxLength = maxFirstTitleChars,
): string | undefined {
  let left = maxTitleSearchChars
  for (const item of input) {
    if (!isUserMessage(item) || item.given) continue
    for (const part of item.content) {
      if (part.type !== 'text') continue
      if (left <= 0) return undefined
      const text = strip(part.text.slice(0, left)).trimStart()
      left -= part.text.length
      const line = text.slice(0, maxTitleLineLength).split('\n', 1)[0] ?? ''
      // oxlint-disable-next-line no-control-regex -- titles are shown in terminals
      const clean = line.replace(/[\u0000-\u001f\u007f]/g, ' ').trim()
      if (clean.length > maxLength) return Array.from(clean).slice(0, maxLength).join('')
      if (clean) return clean
    }
  }
  return undefined
}

/** Items with ids. Secrets in what no person wrote are masked; items without such text are ready at once. */
export function draftsOf(items: readonly Item[], mask: Mask): Draft[] | Promise<Draft[]> {
  return items.some(hasOutsideText) ? maskedDrafts(items, mask) : mapPacked(items, (item) => ({ id: newId(), item }))
}

async function maskedDrafts(items: readonly Item[], mask: Mask): Promise<Draft[]> {
  const drafts: Draft[] = []
  for (const item of items) {
    if (!hasOutsideText(item)) drafts.push({ id: newId(), item })
    else {
      drafts.push({ id: newId(), item: await masked(item, mask) })
      await pace()
    }
  }
  return drafts
}

/** True for an item that `masked` may change. */
function hasOutsideText(item: Item): boolean {
  if (item.type === 'message') return item.content.some(isOutside)
  return item.type === 'result' || item.type === 'answer'
}

/** Masks secrets in results, answers' outputs, files and text with an origin. Text that a person wrote stays unchanged. */
export async function masked(item: Item, mask: Mask): Promise<Item> {
  if (item.type === 'result') return { ...item, output: await mask(withoutNuls(item.output)) }
  if (item.type === 'message') {
    const content: Part[] = []
    for (const part of item.content) content.push(isOutside(part) ? { ...part, text: await mask(part.text) } : part)
    return { ...item, content }
  }
  return item.type === 'answer' && item.output !== undefined
    ? { ...item, output: await mask(withoutNuls(item.output)) }
    : item
}

function isOutside(part: Part): part is Exclude<Part, { type: 'image' }> {
  return part.type === 'file' || (part.type !== 'image' && part.origin !== undefined)
}
