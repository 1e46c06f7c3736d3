// What processes say to each other about threads and lists. A message fits into one NOTIFY.
import type { Change, Signal } from '#core/bus.ts'
import type { Delta } from '#core/event.ts'

export type Message =
  /** Somebody here watches this thread: tell what happens in it, and what is being written now. */
  | { readonly type: 'watch'; readonly threadId: string }
  /** Something was stored: read it. */
  | { readonly type: 'news'; readonly threadId: string; readonly turnId?: string }
  | { readonly type: 'text'; readonly threadId: string; readonly delta: Delta }
  /** Somebody here follows this user's lists: tell what changes in them. */
  | { readonly type: 'follow'; readonly user: string }
  | { readonly type: 'change'; readonly user: string; readonly change: Change }
  /** A process could not speak for a while: look at whatever is watched. */
  | { readonly type: 'missed' }
  | { readonly type: 'signal'; readonly signal: Signal }

/** Text that is sure to fit, whatever escaping makes of it: six bytes a unit at most. */
const maxPiece = 1_000

/** A delta cut into pieces that each fit. */
export function pieces(delta: Delta): Delta[] {
  const { text, offset } = delta
  const list: Delta[] = []
  for (let at = 0; at < text.length; ) {
    const end = at + maxPiece
    // Half a character is none.
    const cut = /[\uDC00-\uDFFF]/.test(text[end] ?? '') ? end - 1 : end
    list.push({ ...delta, offset: offset + at, text: text.slice(at, cut) })
    at = cut
  }
  return list
}
