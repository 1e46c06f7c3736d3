// A conversation as readable lines, its middle left out where it is too long: what a model is asked to summarise, and
// what stands for it where no model does.
import type { Item, Part } from '#core/item.ts'
import { fence, fileFence } from '#safety/fence.ts'

const maxLineChars = 8_000
const maxOutputChars = 2_000

/** A history that becomes small as it is read: what will be left out is not kept. */
export interface Transcript {
  add(items: readonly Item[]): void
  close(): string
}

export function createTranscript(maxChars: number): Transcript {
  const headChars = Math.floor(maxChars / 4)
  let head = ''
  let tail = ''
  let gone = 0
  return {
    add(items) {
      for (const line of items.flatMap(lineOf)) tail += tail === '' && head === '' ? line : `\n${line}`
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
export function transcriptOf(items: readonly Item[], maxChars: number): string {
  const transcript = createTranscript(maxChars)
  transcript.add(items)
  return transcript.close()
}

/** The beginning and, above all, the end of a text: a fence around it stays closed. */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text
  const head = Math.floor(most / 2)
  return (text.slice(0, head) + leftOut(text.length - most) + text.slice(text.length - most + head)).toWellFormed()
}

function lineOf(item: Item): string[] {
  switch (item.type) {
    case 'message':
      return [`${item.role}: ${cutMiddle(item.content.map(wordsOf).join(' '), maxLineChars)}`]
    case 'call':
      return [`assistant called ${item.name}(${cutMiddle(item.args, maxOutputChars)})`]
    case 'result':
      return [outputLine(item.output, item.origin)]
    case 'answer':
      return item.decision === 'output' ? [outputLine(item.output ?? '', 'a function of the caller')] : []
    case 'summary':
      return [item.text]
    case 'reasoning':
    case 'attempt':
    case 'gate':
      return []
    default:
      return item satisfies never
  }
}

function outputLine(output: string, origin: string | undefined): string {
  const cut = cutMiddle(output, maxOutputChars)
  return `it returned: ${origin ? fence(cut, origin) : cut}`
}

function wordsOf(part: Part): string {
  if (part.type === 'text') return part.text
  return part.type === 'image' ? '[a picture]' : fence(cutMiddle(part.text, maxOutputChars), fileFence(part.name))
}

function leftOut(chars: number): string {
  return `\n[… ${chars} characters left out …]\n`
}
