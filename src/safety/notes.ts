// Safety notes on an item, for the log and the receipt: text from outside that looks like an instruction, and secrets
// that were kept from going out.
import { isUserMessage, type Item, type Part, type Result } from '#core/item.ts'
import type { Marker } from './marks.ts'

/** A rule that matched, and where: a call id, a file's name, an event or a summary. */
export type Note = { readonly rule: string; readonly where: string }

/** Prefix of the rule's id in the note of a blocked secret. */
export const leakPrefix = 'leak-'

/**
 * The notes of an item: each rule once for each text. Text that a person typed or the model wrote has no
 * notes. It works in slices: the caller can yield to the event loop between them.
 */
export function* notesOf(item: Item, marker: Marker): Generator<void, Note[]> {
  const leaks = item.type === 'result' ? (item.leaks ?? []) : []
  const notes = leaks.map((rule) => ({ rule: `${leakPrefix}${rule}`, where: (item as Result).callId }))
  for (const { text, where } of outsideTexts(item)) {
    const marks = yield* marker.findInSlices(text)
    for (const rule of new Set(marks.map((mark) => mark.rule))) notes.push({ rule, where })
  }
  return notes
}

type Outside = { readonly text: string; readonly where: string }

function outsideTexts(item: Item): Outside[] {
  if (item.type === 'result') return item.origin === undefined ? [] : [{ text: item.output, where: item.callId }]
  if (item.type === 'answer') return item.decision === 'output' ? [{ text: item.output ?? '', where: item.callId }] : []
  if (isUserMessage(item)) return item.content.flatMap(partTexts)
  return item.type === 'summary' && item.origin !== undefined ? [{ text: item.text, where: 'summary' }] : []
}

function partTexts(part: Part): Outside[] {
  if (part.type === 'file') return [{ text: part.text, where: `file ${part.name}` }]
  return part.type !== 'image' && part.origin !== undefined ? [{ text: part.text, where: 'event' }] : []
}
