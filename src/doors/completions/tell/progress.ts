// Progress of the service's own tools, as lines of reasoning: "calculate 2^64: done".
import type { Item } from '#core/item.ts'
import { objectIn } from '#core/json.ts'
import { cutTo } from '#core/words.ts'
import { printable } from '#safety/printable.ts'

const maxArgsChars = 120

export interface Progress {
  /** The reasoning text that an item adds; empty for most. */
  textOf(item: Item): string
}

export function createProgress(): Progress {
  const called = new Map<string, string>()
  return {
    textOf(item) {
      switch (item.type) {
        case 'reasoning':
          return item.text.trim() === '' ? '' : `${item.text.trim()}\n`
        case 'call':
          called.set(item.callId, lineOf(item.name, item.args))
          return ''
        case 'result': {
          const line = called.get(item.callId)
          return line === undefined ? '' : `${line}: ${item.error ? 'failed' : 'done'}\n`
        }
        case 'message':
        case 'attempt':
        case 'gate':
        case 'answer':
        case 'summary':
          return ''
        default:
          return item satisfies never
      }
    },
  }
}

function lineOf(name: string, args: string): string {
  const values = Object.values(objectIn(args) ?? {})
  const brief = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' ')
  const line = printable(
    brief
      .slice(0, 2 * maxArgsChars)
      .replaceAll(/\s+/g, ' ')
      .trim(),
  )
  if (line === '') return name
  return `${name} ${cutTo(line, maxArgsChars)}`
}
