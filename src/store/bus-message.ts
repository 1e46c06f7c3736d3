// Messages between processes about threads and lists. Each fits into one NOTIFY.
import type { ListChange, Signal } from '#core/bus.ts'
import type { Delta, Progress, Thought } from '#core/event.ts'

export type Message =
  /** The sender watches this thread: send its news, and the text being written now. */
  | { readonly type: 'watch'; readonly threadId: string }
  /** Something was stored in this thread: read it. */
  | { readonly type: 'news'; readonly threadId: string; readonly turnId?: string }
  | { readonly type: 'text'; readonly threadId: string; readonly delta: Delta }
  | { readonly type: 'thought'; readonly threadId: string; readonly thought: Thought }
  | { readonly type: 'progress'; readonly threadId: string; readonly progress: Progress }
  /** The sender follows this user's lists: send their changes. */
  | { readonly type: 'follow'; readonly user: string }
  | { readonly type: 'change'; readonly user: string; readonly change: ListChange }
  /** Messages of the sender may be lost: read everything that is watched. */
  | { readonly type: 'missed' }
  | { readonly type: 'signal'; readonly signal: Signal }

/** UTF-16 units of text in one message. They always fit: JSON escapes take at most six bytes each. */
const maxPieceChars = 1_000

/** Splits a delta into pieces that each fit into one message. */
export function pieces<Piece extends Delta | Thought>(delta: Piece): Piece[] {
  const { text, offset } = delta
  const list: Piece[] = []
  for (let at = 0; at < text.length; ) {
    const end = at + maxPieceChars
    // Never between the halves of a surrogate pair.
    const cut = /[\uDC00-\uDFFF]/.test(text[end] ?? '') ? end - 1 : end
    list.push({ ...delta, offset: offset + at, text: text.slice(at, cut) })
    at = cut
  }
  return list
}
