// One block of a transcript: a message, a reply, a call, a thought, a note, a receipt. Texts are raw; the drawing code
// must clean them.
import { failureTitle, keptWords } from '#core/failure-words.ts'
import { type Message, type Part, textOf } from '#core/item.ts'
import type { PagesRead } from '#core/pdf.ts'
import type { Turn, Usage } from '#core/turn.ts'
import { sentence } from '#core/words.ts'

export type CallState = 'running' | 'done' | 'waiting' | 'denied' | 'failed'
/** How much of a call is shown: its line, the beginning of its result, all of it. */
export type Fold = 'line' | 'part' | 'all'

export type Call = {
  readonly type: 'call'
  readonly id: string
  readonly name: string
  readonly args: string
  readonly state: CallState
  readonly begun?: number
  /** How far it is, in words, as its tool last reported. */
  readonly progress?: string
  readonly ms?: number
  readonly result?: string
  /** Length of the whole result, in characters. */
  readonly size?: number
  readonly origin?: string
  readonly fold: Fold
}

/** The model's reasoning, as far as its provider shares it. */
export type Thought = {
  readonly type: 'thought'
  readonly id: string
  readonly text: string
  readonly fold: Fold
  /** While it is being written: where its next piece begins. */
  readonly end?: number
}

/** A file of a message. */
export type NamedFile = { readonly name: string; readonly size: number; readonly pages?: PagesRead }

/** A message of the person. */
export type You = {
  readonly type: 'you'
  readonly id: string
  readonly turnId: string
  readonly text: string
  /** Attached files; every picture is named `picture`. */
  readonly files: readonly NamedFile[]
  readonly queued: boolean
}

export type Block =
  | You
  | { readonly type: 'reply'; readonly id: string; readonly text: string; readonly whole: boolean }
  | Call
  | Thought
  /** A line of the terminal itself: a fault, a stop, a summary. */
  | { readonly type: 'note'; readonly id: string; readonly text: string; readonly failed: boolean }
  | { readonly type: 'receipt'; readonly id: string; readonly took: Took }

/** Tools, hosts, usage and time of a turn, from its log. */
export type Took = {
  readonly tools: number
  readonly hosts: readonly string[]
  readonly usage: Usage
  readonly from: number
  readonly to: number
}

/** True for a message that waits behind another turn. */
export function isQueued(block: Block): boolean {
  return block.type === 'you' && block.queued
}

/** True if the latest turn of a list, with this id, left a text or a call. */
export function hasDone(list: readonly Block[], turnId: string): boolean {
  const own = list.findLastIndex((block) => block.type === 'you' && block.turnId === turnId)
  return list.slice(own + 1).some(({ type }) => type === 'reply' || type === 'call')
}

/** A line of the terminal itself, about a turn. */
export type Note = { readonly text: string; readonly failed: boolean }

/**
 * The note below a turn that did not end well: what happened, and what is kept. `cut`: its last text is incomplete; without
 * a fault it reached the model's length limit. `done`: it left a text or a call.
 */
export function endNote(
  { status, error }: Partial<Pick<Turn, 'status' | 'error'>>,
  { cut, done }: { cut: boolean; done: boolean },
): Note | undefined {
  if (status === 'cancelled') return { text: '■ Stopped', failed: false }
  if (error) {
    const title = failureTitle(error.code, cut)
    const text = `${title ? `${title}. ` : ''}${sentence(error.message)} ${keptWords(done)}`
    return { text, failed: true }
  }
  return cut ? { text: 'The answer ends here: it reached the length limit of the model', failed: false } : undefined
}

/** The text of a message, without its files. */
export function ownText(message: Message): string {
  return textOf({ ...message, content: message.content.filter(({ type }) => type === 'text') })
}

/** The attachment in a message part, if it is one. */
export function fileIn(part: Part): NamedFile[] {
  if (part.type === 'text' || part.type === 'framing') return []
  if (part.type === 'file') {
    return [{ name: part.name, size: Buffer.byteLength(part.text), ...(part.pages && { pages: part.pages }) }]
  }
  const [head = '', data] = part.url.split(',', 2)
  if (data === undefined || !head.startsWith('data:')) return [{ name: part.url, size: 0 }]
  return [{ name: 'picture', size: Buffer.byteLength(data, 'base64') }]
}
