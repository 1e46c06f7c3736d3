// A running turn of a client that sends its history, what its watchers hear of it, and how it is told as a stream.
import type { Writable } from 'node:stream'
import { userId } from '#core/ids.ts'
import { type Entry, type Item, textMessage } from '#core/item.ts'
import { noUsage, type Turn } from '#core/turn.ts'
import type { TurnStatus } from '#core/turn-status.ts'
import { createStream } from '#doors/responses/tell/stream.ts'
import type { Watched } from '#turns/watch.ts'
import { readEvents, type Wire } from '../serve.ts'

export const turn: Turn = {
  id: 't1',
  threadId: 'h1',
  userId: userId('ann'),
  door: 'responses',
  status: 'running',
  options: { chain: 'history' },
  createdAt: 0,
  usage: noUsage,
}

/** A piece of the text of an item. */
export const delta = (itemId: string, offset: number, text: string): Watched => ({
  type: 'delta',
  turnId: turn.id,
  itemId,
  offset,
  text,
})

/** The turn comes to rest, or goes on. */
export const rest = (status: TurnStatus): Watched => ({ type: 'turn', turn: { ...turn, status } })

/** An item in the log of the turn, or of another. */
export const entry = (id: string, item: Item, turnId = turn.id): Entry => ({ seq: 1, id, turnId, at: 0, item })
export const stored = (...entries: Entry[]): Watched => ({ type: 'entries', entries })
export const said = (id: string, text: string): Watched => stored(entry(id, textMessage('assistant', text)))

/** The events of a turn, one by one. Then the client goes away, or the source fails. */
export async function* oneByOne(
  events: readonly Watched[],
  { raw, closed, leaves, fails }: { raw: Writable; closed: Promise<unknown>; leaves: boolean; fails: boolean },
) {
  await Promise.resolve()
  for (const event of events) yield [event]
  if (leaves) {
    raw.destroy()
    await closed
  }
  if (fails) throw new Error('the database is away')
}

/** What the stream tells a client of these events. */
export function tell(events: readonly Watched[], more: { skip?: number; after?: number } = {}) {
  const stream = createStream({
    turn,
    model: 'm',
    skip: more.skip ?? 0,
    ...(more.after !== undefined && { after: more.after }),
  })
  const told = readEvents(stream.created() + stream.write(events))
  return {
    told,
    types: told.map(({ event }) => event.replace('response.', '')),
    over: stream.isOver(),
    last: told.at(-1)?.data['response'] as Wire,
  }
}
