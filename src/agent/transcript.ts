// A conversation as readable lines, with the middle omitted when it is too long: the input of a summary, and its
// replacement when no model can summarise.
import type { Item, Message, Part } from '#core/item.ts'
import { fileOrigin } from '#core/origins.ts'
import { pace } from '#lib/pace.ts'

const maxLineChars = 8_000
const maxOutputChars = 2_000

/** Builds a transcript incrementally; text that will be omitted is not kept in memory. */
export interface Transcript {
  add(item: Item): void
  close(): string
}

/** Wraps text from outside and names its origin. */
type FenceText = (text: string, origin: string) => string

/** A transcript of at most `maxChars` characters. With a `fence`, outside text is fenced. */
export function createTranscript(maxChars: number, fence?: FenceText): Transcript {
  const headChars = Math.floor(maxChars / 4)
  let head = ''
  let tail = ''
  let omitted = 0

  function shorten(): void {
    if (head === '' && tail.length > maxChars) {
      head = tail.slice(0, headChars)
      tail = tail.slice(headChars)
    }
    const over = tail.length - (maxChars - headChars)
    if (head === '' || over <= 0) return
    omitted += over
    tail = tail.slice(over)
  }

  return {
    add(item) {
      for (const line of lineOf(item, fence)) tail += tail === '' && head === '' ? line : `\n${line}`
      // Not after each item: that would copy the whole text each time.
      if (tail.length > 2 * maxChars) shorten()
    },
    close() {
      shorten()
      return (head === '' ? tail : head + omission(omitted) + tail).toWellFormed()
    },
  }
}

/** Pauses for the event loop: there may be thousands of items, and each of their parts gets a fence. */
export async function transcriptOf(items: readonly Item[], maxChars: number, fence?: FenceText): Promise<string> {
  const transcript = createTranscript(maxChars, fence)
  for (const item of items) {
    transcript.add(item)
    await pace()
  }
  return transcript.close()
}

/** Omits the middle of a long text. Its end is kept, so that a fence in it stays closed. */
export function cutMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const head = Math.floor(maxChars / 2)
  const omitted = text.length - maxChars
  return (text.slice(0, head) + omission(omitted) + text.slice(omitted + head)).toWellFormed()
}

function lineOf(item: Item, fence: FenceText | undefined): string[] {
  switch (item.type) {
    case 'message':
      return [`${item.role}: ${contentOf(item, fence)}`]
    case 'call':
      return [`assistant called ${item.name}(${cutMiddle(item.args, maxOutputChars)})`]
    case 'result':
      // The skill itself stays beside the summary.
      if (item.skill) return [`it returned: the skill ${item.skill.name}`]
      return [outputLine(item.output, item.origin, fence)]
    case 'answer':
      return item.decision === 'output' ? [outputLine(item.output ?? '', 'a function of the caller', fence)] : []
    case 'summary':
      return [fenced(item.text, item.origin, fence)]
    case 'reasoning':
    case 'attempt':
    case 'gate':
      return []
    default:
      return item satisfies never
  }
}

function outputLine(output: string, origin: string | undefined, fence: FenceText | undefined): string {
  return `it returned: ${fenced(cutMiddle(output, maxOutputChars), origin, fence)}`
}

/** Each part is cut separately, before it is fenced: its fence stays whole. */
function contentOf({ content }: Message, fence: FenceText | undefined): string {
  const maxChars = Math.floor(maxLineChars / Math.max(content.length, 1))
  const textOf = (part: Part): string => {
    if (part.type === 'image') return '[a picture]'
    if (part.type !== 'file') return fenced(cutMiddle(part.text, maxChars), part.origin, fence)
    return fenced(cutMiddle(part.text, Math.min(maxChars, maxOutputChars)), fileOrigin(part.name), fence)
  }
  return content.map(textOf).join(' ')
}

function fenced(text: string, origin: string | undefined, fence: FenceText | undefined): string {
  return origin !== undefined && fence ? fence(text, origin) : text
}

function omission(chars: number): string {
  return `\n[… ${chars} characters left out …]\n`
}
