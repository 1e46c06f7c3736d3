// Tells a turn in its chat: follows it to its end and keeps its messages up to date.
import type { Post } from '#core/channel.ts'
import type { Turn } from '#core/turn.ts'
import { ended } from '#core/turn-status.ts'
import type { Threads } from '#turns/threads.ts'
import { seqBefore } from '#turns/turn-entries.ts'
import type { Turns } from '#turns/turns.ts'
import type { Watch } from '#turns/watch.ts'
import type { Content, Outcome } from './channel.ts'
import { createDelivery, type DeliverParts, placeholder } from './deliver.ts'
import { createReplyView, type ReplyView } from './reply-view.ts'
import { type Piece, splitReply } from './split.ts'

export type TellParts = DeliverParts & {
  readonly turns: Pick<Turns, 'get' | 'follow' | 'entries'>
  readonly threads: Pick<Threads, 'get'>
  /** Asks about the gates that a turn waits for. */
  readonly askGates: (turn: Turn) => Promise<void>
}

const deleted = 'This thread was deleted.'

/** Resolves once the chat shows how the turn ended, or takes no more messages. */
export async function tellTurn(post: Post, parts: TellParts, signal: AbortSignal): Promise<Outcome> {
  const { channel, turns } = parts
  const { user, turnId = '', source } = post
  const first = await turns.get(user, turnId)
  const quotes = first?.status === 'queued' && source !== undefined
  const delivery = createDelivery(post, { ...parts, ...(quotes && { replyTo: source }) })
  if (!first) return delivery.show([{ type: 'plain', text: deleted }], signal)
  const view = createReplyView(first)
  for (;;) {
    const stopped = await stream(view, { parts, signal, show: (contents) => delivery.show(contents, signal) })
    if (stopped) return stopped
    const turn = await turns.get(user, turnId)
    if (!turn) return delivery.show([{ type: 'plain', text: deleted }], signal)
    view.see(turn)
    if (!ended(turn.status)) continue
    // The whole reply as it is stored, whatever was seen of it on the way.
    const whole = createReplyView(turn)
    whole.read([{ type: 'entries', entries: await turns.entries(user, turn) }])
    return delivery.show(contentsOf(whole, channel.maxChars), signal)
  }
}

type Streaming = {
  readonly parts: TellParts
  readonly signal: AbortSignal
  readonly show: (contents: readonly Content[]) => Promise<Outcome>
}

/** Follows a turn and shows it as it grows; an outcome if the chat takes no more. Ends with the turn, or with its stream. */
async function stream(view: ReplyView, { parts, signal, show }: Streaming): Promise<Outcome | undefined> {
  const { turns, channel } = parts
  const { userId, id } = view.turn
  const watch = turns.follow(userId, view.turn, await seqBefore(parts, view.turn))
  const close = (): void => watch.close()
  signal.addEventListener('abort', close)
  try {
    // Read again after the subscription: what comes later is in the stream.
    const now = await turns.get(userId, id)
    if (!now || ended(now.status)) return undefined
    view.see(now)
    const reading = read(watch, view)
    for (let seen = -1; ; ) {
      signal.throwIfAborted()
      if (reading.over || ended(view.turn.status)) return undefined
      if (view.turn.status === 'waiting') await parts.askGates(view.turn)
      if (reading.count === seen) {
        await reading.more()
        continue
      }
      seen = reading.count
      const outcome = await show(growing(view, channel.maxChars))
      if (outcome.type !== 'done') return outcome
    }
  } finally {
    signal.removeEventListener('abort', close)
    watch.close()
  }
}

type Reading = { readonly count: number; readonly over: boolean; more(): Promise<void> }

/** Reads events into the view while its state is being shown: only the latest state matters. */
function read(watch: Watch, view: ReplyView): Reading {
  let count = 0
  let over = false
  let wake = (): void => {}
  void (async () => {
    try {
      for await (const events of watch) {
        view.read(events)
        count++
        wake()
        if (ended(view.turn.status)) return
      }
    } catch {
      // A reader that fell behind begins anew; a thread that is gone is noticed by its turn.
    } finally {
      over = true
      wake()
    }
  })()
  return {
    get count() {
      return count
    },
    get over() {
      return over
    },
    async more() {
      if (over) return
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    },
  }
}

/** The messages of a reply that still grows: up to the first file, which is sent when it is whole. */
function growing(view: ReplyView, maxChars: number): Content[] {
  const text = view.text()
  if (text === placeholder) return [{ type: 'plain', text }]
  const pieces = splitReply(text, maxChars)
  const at = pieces.findIndex(({ type }) => type === 'file')
  const shown = contentOf(at < 0 ? pieces : pieces.slice(0, at))
  return shown.length > 0 ? shown : [{ type: 'plain', text: placeholder }]
}

function contentsOf(view: ReplyView, maxChars: number): Content[] {
  return contentOf(splitReply(view.text(), maxChars))
}

function contentOf(pieces: readonly Piece[]): Content[] {
  return pieces.map((piece) => (piece.type === 'file' ? piece : { type: 'markdown', text: piece.text }))
}
