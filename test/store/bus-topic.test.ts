// What the watchers of a thread have not seen yet, as it is read from the store.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '#core/event.ts'
import { createTopic, readNews, type Topic } from '#store/bus-topic.ts'
import { createTurnStore } from '#store/turn-store.ts'
import { ada, finish, queuedTurn, say, turnOf } from './harness.ts'
import { openMemorySqlite } from './memory-store.ts'

/** The seqs of entries, and the turns by their status. */
function told(events: readonly Event[]): string[] {
  return events.flatMap((event) => {
    if (event.type === 'entries') return event.entries.map(({ seq }) => String(seq))
    return event.type === 'turn' ? [`${event.turn.id} ${event.turn.status}`] : []
  })
}

test('news are all entries behind a seq, however many, and how the turns of the thread stand', async (t) => {
  const sql = openMemorySqlite()
  t.after(() => sql.close())
  const turns = createTurnStore({ sql, now: () => 5 })
  const input = Array.from({ length: 1_100 }, () => say('x'))
  const { turn } = await turns.start(turnOf({ input }))
  const { turn: queued } = await turns.start(queuedTurn({ threadId: turn.threadId }))
  const read = async (topic: Topic, moreTurns: readonly string[] = []) => {
    const { events, seq } = await sql.read(() => readNews(turn.threadId, topic, moreTurns))
    return [told(events), seq]
  }
  const running = `${turn.id} running`
  const seqs = input.map((_, at) => String(at + 1))
  assert.deepEqual(await read(createTopic(0)), [[...seqs, running], 1_100])
  assert.deepEqual(await read(createTopic(1_098)), [['1099', '1100', running], 1_100])
  assert.deepEqual(await read(createTopic(1_100)), [[running], 1_100])
  const more = [turn.id, queued.id, 'unknown']
  assert.deepEqual(await read(createTopic(1_100), more), [[running, `${queued.id} queued`], 1_100])
  const awaits = createTopic(1_100)
  awaits.awaited.set(queued.id, { turn: queued, watchers: 1 })
  awaits.awaited.set('erased', { turn: { ...turn, id: 'erased' }, watchers: 1 })
  assert.deepEqual(await read(awaits), [[running, `${queued.id} queued`, 'erased cancelled'], 1_100])
})

test('the last turn of another thread is not told as one of this', async (t) => {
  const sql = openMemorySqlite()
  t.after(() => sql.close())
  const turns = createTurnStore({ sql, now: () => 5 })
  const done = await finish({ turns } as Parameters<typeof finish>[0], (await turns.start(turnOf())).turn)
  await turns.start(turnOf())
  const { events } = await sql.read(() => readNews(done.threadId, createTopic(2), []))
  assert.deepEqual([told(events), done.userId], [[`${done.id} completed`], ada])
})
