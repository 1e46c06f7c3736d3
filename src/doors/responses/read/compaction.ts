// A conversation made small: its transcript, cut in the middle, in one opaque text that is accepted as input later.
import type { Item } from '#core/item.ts'
import { isObject } from '#core/json.ts'
import { block } from './blocks.ts'
import { textIn } from './content.ts'

const maxChars = 48_000
const headChars = maxChars / 4
const maxLineChars = 8_000
const maxOutputChars = 1_000

/** A history that becomes small as it is read: what will be left out is not kept. */
export interface Transcript {
  add(items: readonly Item[]): void
  /** The `encrypted_content` of a compaction item. It holds nothing its caller has not seen. */
  close(): string
}

export function createTranscript(): Transcript {
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
    close() {
      const transcript = (head === '' ? tail : head + leftOut(gone) + tail).toWellFormed()
      return Buffer.from(JSON.stringify({ v: 1, transcript })).toString('base64url')
    },
  }
}

/** The text that stands for the conversation; undefined when it was not made here. */
export function openCompaction(content: string): string | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(content, 'base64url').toString('utf8'))
    if (!isObject(value) || value['v'] !== 1 || typeof value['transcript'] !== 'string') return undefined
    return block('conversation-so-far', value['transcript']).trimEnd()
  } catch {
    return undefined
  }
}

function lineOf(item: Item): string[] {
  switch (item.type) {
    case 'message':
      return [`${item.role}: ${cut(textIn(item.content), maxLineChars)}`]
    case 'call':
      return [`assistant called ${item.name}(${cut(item.args, maxOutputChars)})`]
    case 'result':
      return [`it returned: ${cut(item.output, maxOutputChars)}`]
    case 'answer':
      return item.decision === 'output' ? [`it returned: ${cut(item.output ?? '', maxOutputChars)}`] : []
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

/** What matters most stands at the beginning and, above all, at the end. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const head = Math.floor(most / 4)
  return text.slice(0, head) + leftOut(text.length - most) + text.slice(text.length - most + head)
}

function leftOut(chars: number): string {
  return `\n[… ${chars} characters left out …]\n`
}
