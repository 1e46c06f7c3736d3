// Origins of outside text, as gates, fences and screens show them, and the conversion of items of earlier versions.
import type { Item, Part } from './item.ts'

/** The origin of a summary whose history included outside text. */
export const summaryOrigin = 'a summary of what came from outside'
/** The origin of texts in a code host's event. */
export const eventOrigin = 'an event of a code host'

/** The origin of an assistant's message in a history that a caller sent: nobody knows what the model had read before it. */
export const historyOrigin = 'the history that the caller sent'

/** The origin of a sender's words in another user's fork of their thread. */
export const senderOrigin = 'messages of another sender'

/** The origin of everything in an imported file, no matter which author the file names. */
export const importOrigin = 'an imported conversation'

/** The origin of a picture, also of one that is no longer shown: what the model said of it is still there. */
export const pictureOrigin = 'an attached picture'

/** The origin of an attached file's text. */
export function fileOrigin(name: string): string {
  return `the attached file ${name}`
}

/** Earlier versions stored the fence with the text, starting with this. */
const oldMark = '<untrusted-content from='
/** One such fence; the end of the last one may be missing. */
const oldFence = /<untrusted-content from="([^"]*)">\n([^]*?)(?:\n<\/untrusted-content>|$)/g
const oldSummary = 'the conversation so far'

/** A cheap check whether the stored JSON of an item may include a fence of an earlier version. */
export function mayHoldOldFence(json: string): boolean {
  return json.includes(oldMark)
}

/** Converts an item of an earlier version to today's form: text without fences, with its origin beside it. */
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

/** Splits a text at its fences: fenced parts get an origin, the rest is the sender's own. */
function split(part: Part): Part[] {
  if (part.type !== 'text' || !isOld(part)) return [part]
  const parts: Part[] = []
  let from = 0
  for (const { 0: whole, 1: fencedFrom, 2: text = '', index } of part.text.matchAll(oldFence)) {
    if (index > from) parts.push({ type: 'text', text: part.text.slice(from, index) })
    parts.push({ type: 'text', text, origin: fencedFrom === oldSummary ? summaryOrigin : eventOrigin })
    from = index + whole.length
  }
  return from < part.text.length ? [...parts, { type: 'text', text: part.text.slice(from) }] : parts
}
