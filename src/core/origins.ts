// Where text from outside came from: the words that gates, fences and screens show, and how logs of earlier versions tell.
import type { Item, Part } from './item.ts'

/** The origin of a summary whose history held text from outside. */
export const summaryOrigin = 'a summary of what came from outside'
/** The origin of what a code host says of an event. */
export const eventOrigin = 'an event of a code host'

/** The origin of an attached file's text. */
export function fileOrigin(name: string): string {
  return `the attached file ${name}`
}

/** Earlier versions stored the fence with the text: this began it. */
const oldMark = '<untrusted-content from='
/** One such fence; the end of the last one may be cut off. */
const oldFence = /<untrusted-content from="([^"]*)">\n([^]*?)(?:\n<\/untrusted-content>|$)/g
const oldSummary = 'the conversation so far'

/** True when the stored JSON of an item may hold a fence of an earlier version: one cheap look. */
export function mayHoldOldFence(json: string): boolean {
  return json.includes(oldMark)
}

/** An item of an earlier version as it is stored today: text without fences, and its origin beside it. */
export function readOldFences(item: Item): Item {
  switch (item.type) {
    case 'message':
      return item.role === 'user' && item.content.some(isOld) ? { ...item, content: item.content.flatMap(split) } : item
    case 'summary':
      if (item.origin !== undefined || !item.text.includes(oldMark)) return item
      return { ...item, text: item.text.replaceAll(oldFence, '$2'), origin: summaryOrigin }
    case 'result':
      if (item.origin !== undefined || !item.output.startsWith(oldMark)) return item
      return { ...item, output: item.output.replaceAll(oldFence, '$2'), origin: 'a tool' }
    case 'reasoning':
    case 'call':
    case 'attempt':
    case 'gate':
    case 'answer':
      return item
    default:
      return item satisfies never
  }
}

function isOld(part: Part): boolean {
  return part.type === 'text' && part.origin === undefined && part.text.includes(oldMark)
}

/** A text as the parts of it: what stood in fences has its origin, the rest is its writer's own. */
function split(part: Part): Part[] {
  if (part.type !== 'text' || !isOld(part)) return [part]
  const parts: Part[] = []
  let from = 0
  for (const { 0: whole, 1: said, 2: text = '', index } of part.text.matchAll(oldFence)) {
    if (index > from) parts.push({ type: 'text', text: part.text.slice(from, index) })
    parts.push({ type: 'text', text, origin: said === oldSummary ? summaryOrigin : eventOrigin })
    from = index + whole.length
  }
  return from < part.text.length ? [...parts, { type: 'text', text: part.text.slice(from) }] : parts
}
