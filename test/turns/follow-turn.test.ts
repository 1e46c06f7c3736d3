// Following one turn to its rest, from what is told of its thread and what is stored.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '#core/item.ts'
import type { Subscription } from '#core/bus.ts'
import type { Entries } from '#core/thread-store.ts'
import type { Event } from '#core/event.ts'
import { followTurn } from '#turns/watch.ts'

const entry = (seq: number, turnId = 't'): Entry =>
  ({ seq, id: `i${seq}`, turnId, at: 0, item: { type: 'attempt', callId: 'c' } }) satisfies Entry
const entriesOf = (...entries: Entry[]): Event => ({ type: 'entries', entries })

/** A subscription that gives these batches. */
function given(...batches: readonly (readonly Event[])[]): Subscription {
  return {
    partial: undefined,
    close() {},
    async *[Symbol.asyncIterator]() {
      yield* batches
    },
  }
}

/** Entries of a thread, as the store reads them. */
function reader(...stored: readonly Entry[]): (after: number) => Promise<Entries> {
  return (after) => Promise.resolve({ entries: stored.filter(({ seq }) => seq > after), more: false })
}

test('a follower gets what another process wrote before it hears of the end', async () => {
  const over = { type: 'turn', turn: { id: 't', status: 'completed', firstSeq: 1, lastSeq: 5 } } as Event
  const stored = [entry(1), entry(2), entry(3), entry(4), entry(5), entry(6, 'other')]
  const read = reader(...stored)
  const follow = (after: number, ...batches: readonly Event[][]) =>
    Array.fromAsync(followTurn(given(...batches), { turnId: 't', after, read }))
  assert.deepEqual(await follow(1, [entriesOf(entry(2))], [over]), [
    [entriesOf(entry(2))],
    [entriesOf(entry(3), entry(4), entry(5))],
    [over],
  ])
  assert.deepEqual(await follow(1, [entriesOf(entry(5)), over]), [
    [entriesOf(entry(2), entry(3), entry(4), entry(5))],
    [over],
  ])
  const late = { type: 'turn', turn: { id: 'other', status: 'completed', firstSeq: 6, lastSeq: 6 } } as Event
  const queued = followTurn(given([late]), { turnId: 'other', after: 0, read })
  assert.deepEqual(await Array.fromAsync(queued), [[entriesOf(entry(6, 'other'))], [late]])
})

test('a follower that has everything reads nothing', async () => {
  const over = { type: 'turn', turn: { id: 't', status: 'completed', firstSeq: 8, lastSeq: 9 } } as Event
  const read = () => Promise.reject(new Error('it was read'))
  const batches = [[entriesOf(entry(8), entry(9)), over]]
  assert.deepEqual(await Array.fromAsync(followTurn(given(...batches), { turnId: 't', after: 0, read })), batches)
})

test('a follower gets its own turn, each entry once, and no empty batch', async () => {
  const turn = (id: string, status: string): Event => ({ type: 'turn', turn: { id, status } }) as Event
  const delta = (turnId: string): Event => ({ type: 'delta', turnId, itemId: 'x', offset: 0, text: 'a' })
  let closed = 0
  const batchesGiven: Event[][] = [
    [entriesOf(entry(1), entry(2))],
    [entriesOf(entry(2), entry(3), entry(4))],
    [entriesOf(entry(3), entry(4), entry(5, 'other')), turn('other', 'completed'), delta('other')],
    [delta('t'), turn('t', 'running')],
    [entriesOf(entry(6)), turn('t', 'waiting')],
    [entriesOf(entry(7))],
  ]
  const subscription = { ...given(...batchesGiven), close: () => void closed++ }
  const batches = await Array.fromAsync(followTurn(subscription, { turnId: 't', after: 1, read: reader() }))
  assert.deepEqual(batches, [
    [entriesOf(entry(2))],
    [entriesOf(entry(3), entry(4))],
    [delta('t'), turn('t', 'running')],
    [entriesOf(entry(6)), turn('t', 'waiting')],
  ])
  assert.ok(closed > 0)
})
