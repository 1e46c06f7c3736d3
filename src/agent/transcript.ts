// A conversation as readable lines, its middle left out where it is too long: what a model is asked to summarise, and
// what stands for it where no model does.
import type { Item, Message, Part } from '#core/item.ts'
import { fileOrigin } from '#core/origins.ts'
import type { Fence } from '#safety/fence.ts'

const maxLineChars = 8_000
const maxOutputChars = 2_000

/** A history that becomes small as it is read: what will be left out is not kept. */
export interface Transcript {
  add(items: readonly Item[]): void
  close(): string
}

/** A transcript of so many characters; what came from outside stands in fences where some are given. */
export function createTranscript(maxChars: number, fence?: Fence): Transcript {
  const headChars = Math.floor(maxChars / 4)
  let head = ''
  let tail = ''
  let gone = 0
  return {
    add(items) {
      for (const line of items.flatMap((item) => lineOf(item, fence)))
        tail += tail === '' && head === '' ? line : `\n${line}`
      if (head === '' && tail.length > maxChars) {
        head = tail.slice(0, headChars)
        tail = tail.slice(headChars)
      }
      if (head === '' || tail.length <= maxChars - headChars) return
      gone += tail.length - (maxChars - headChars)
      tail = tail.slice(headChars - maxChars)
    },
    close: () => (head === '' ? tail : head + leftOut(gone) + tail).toWellFormed(),
  }
}

/** The transcript of some items. */
export function transcriptOf(items: readonly Item[], maxChars: number, fence?: Fence): string {
  const transcript = createTranscript(maxChars, fence)
  transcript.add(items)
  return transcript.close()
}

/** The beginning and, above all, the end of a text: a fence around it stays closed. */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text
  const head = Math.floor(most / 2)
  return (text.slice(0, head) + leftOut(text.length - most) + text.slice(text.length - most + head)).toWellFormed()
}

function lineOf(item: Item, fence: Fence | undefined): string[] {
  switch (item.type) {
    case 'message':
      return [`${item.role}: ${wordsOf(item, fence)}`]
    case 'call':
      return [`assistant called ${item.name}(${cutMiddle(item.args, maxOutputChars)})`]
    case 'result':
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

function outputLine(output: string, origin: string | undefined, fence: Fence | undefined): string {
  return `it returned: ${fenced(cutMiddle(output, maxOutputChars), origin, fence)}`
}

/** Each part is cut by itself, so that a fence around one stays closed. */
function wordsOf({ content }: Message, fence: Fence | undefined): string {
  const most = Math.floor(maxLineChars / Math.max(content.length, 1))
  const shown = (part: Part): string => {
    if (part.type === 'image') return '[a picture]'
    if (part.type === 'text') return fenced(cutMiddle(part.text, most), part.origin, fence)
    return fenced(cutMiddle(part.text, Math.min(most, maxOutputChars)), fileOrigin(part.name), fence)
  }
  return content.map(shown).join(' ')
}

function fenced(text: string, origin: string | undefined, fence: Fence | undefined): string {
  return origin !== undefined && fence ? fence(text, origin) : text
}

function leftOut(chars: number): string {
  return `\n[… ${chars} characters left out …]\n`
}
