// A turn as a reader of a chat sees it: the reply so far, from the events of the turn.
import type { PartialText } from '#core/bus.ts'
import { type Entry, isAssistantMessage, textOf } from '#core/item.ts'
import type { Turn } from '#core/turn.ts'
import { ended } from '#core/turn-status.ts'
import { createUnstored } from '#core/unstored.ts'
import type { Watched } from '#turns/watch.ts'

export interface ReplyView {
  /** Takes events of the thread; those of other turns change nothing. */
  read(events: readonly Watched[]): void
  /** Takes the turn as it is stored. */
  see(turn: Turn): void
  readonly turn: Turn
  /** The reply in Markdown, with a line about what goes on while the turn has not ended. */
  text(): string
}

export function createReplyView(first: Turn): ReplyView {
  let turn = first
  /** The texts of the reply by their items, in order. */
  const texts = new Map<string, string>()
  const unstored = createUnstored()
  /** Names of the calls that run. */
  const calls = new Map<string, string>()

  function readEntry({ id, turnId, item }: Entry): void {
    if (turnId !== turn.id) return
    for (const lost of unstored.store(id)) texts.delete(lost)
    if (isAssistantMessage(item)) texts.set(id, textOf(item))
    if (item.type === 'call') calls.set(item.callId, item.name)
    if (item.type === 'result') calls.delete(item.callId)
  }

  function readText(piece: PartialText, offset: number): void {
    const { turnId, itemId, text } = piece
    if (turnId !== turn.id) return
    for (const lost of unstored.write(piece)) texts.delete(lost)
    texts.set(itemId, (texts.get(itemId) ?? '').slice(0, offset) + text)
  }

  return {
    get turn() {
      return turn
    },
    see(now) {
      turn = now
    },
    read(events) {
      for (const event of events) {
        if (event.type === 'entries') for (const entry of event.entries) readEntry(entry)
        else if (event.type === 'delta') readText(event, event.offset)
        else if (event.type === 'snapshot') readText(event, 0)
        else if (event.type === 'turn' && event.turn.id === turn.id) turn = event.turn
      }
    },
    text() {
      const reply = [...texts.values()].filter((text) => text.trim() !== '').join('\n\n')
      const line = lineOf(turn, [...calls.values()].at(-1))
      if (ended(turn.status) && reply === '' && line === '') return 'There was nothing to say.'
      return [reply, line].filter((part) => part !== '').join('\n\n')
    },
  }
}

/** The words beside the reply. */
function lineOf({ status, error, firstSeq }: Turn, call: string | undefined): string {
  switch (status) {
    case 'queued':
      // A turn that has begun is queued again for a moment: after an answer, or a crash.
      return firstSeq === undefined ? 'Queued: it comes after what was asked before.' : '…'
    case 'running':
      return call === undefined ? '…' : `… (${call})`
    case 'waiting':
      return 'Waits for your answer.'
    case 'failed':
      return `It failed: ${error?.message ?? 'the reason is not known'}`
    case 'cancelled':
      return 'Stopped.'
    case 'completed':
      return ''
    default:
      return status satisfies never
  }
}
