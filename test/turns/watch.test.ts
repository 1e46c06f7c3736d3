// Watching a thread: whenever somebody joins, nothing is missing and nothing comes twice.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ada, bob, rejectsWith, turnOf } from '../store/harness.ts'
import { type Entry, textMessage, textOf } from '#core/item.ts'
import type { Bus, Subscription } from '#core/bus.ts'
import type { Store } from '#core/store.ts'
import { ended } from '#core/turn-status.ts'
import type { Event } from '#core/event.ts'
import type { ThreadStore } from '#core/thread-store.ts'
import type { Thread } from '#core/turn.ts'
import { type Watch, type Watched, watchThread } from '#turns/watch.ts'
import { fake } from '../fake.ts'
import { eventsOf, createHeldReply, message, openHouse, restOf, turnOver, until } from './house.ts'
import { openTestStore } from '../agent/bench.ts'

/** Reads a watch up to the end of a turn, checking on the way that it tells everything once and in order. */
async function readTo(watch: Watch, turnId: string, after: number) {
  const events: Watched[] = []
  const entries: Entry[] = []
  const texts = new Map<string, string>()
  for await (const batch of watch) {
    for (const event of batch) {
      events.push(event)
      if (event.type === 'snapshot') {
        assert.equal(texts.has(event.itemId), false, 'a snapshot comes first')
        texts.set(event.itemId, event.text)
      } else if (event.type === 'delta') {
        const text = texts.get(event.itemId) ?? ''
        assert.equal(event.offset, text.length, 'deltas go on where the text stands')
        texts.set(event.itemId, text + event.text)
      } else if (event.type === 'entries') {
        for (const entry of event.entries) {
          assert.equal(entry.seq, (entries.at(-1)?.seq ?? after) + 1, 'entries come in order, none twice, none missing')
          entries.push(entry)
          const text = texts.get(entry.id)
          if (text !== undefined && entry.item.type === 'message')
            assert.equal(text, textOf(entry.item), 'the text was told in full')
        }
      }
    }
    if (batch.some((event) => event.type === 'turn' && event.turn.id === turnId && ended(event.turn.status))) break
  }
  return { events, entries, texts }
}

test('joining at any moment of a turn gives the whole of it', async (t) => {
  const { turns, threads, store, watchers } = openHouse(t, {
    reply: (_, { items }) =>
      async function* () {
        const rounds = items.filter(({ type }) => type === 'result').length
        for (let at = 0; at < 6; at++) {
          if (at % 2 === 0) await turnOver(1)
          yield [
            { type: 'text', text: `word ${at}, ` },
            { type: 'text', text: 'and ' },
          ]
        }
        if (rounds < 3) yield [{ type: 'call', name: 'read', args: JSON.stringify({ rounds }) }]
      },
  })
  const joins: { moment: number; after: number; read: Promise<{ entries: Entry[] }> }[] = []
  let snapshots = 0
  for (let round = 0; round < 12; round++) {
    const { turn, events } = await turns.start(message(`hello ${round}`))
    const state = { over: false }
    const whole = eventsOf(events).finally(() => {
      state.over = true
    })
    for (let moment = 0; !state.over; moment++) {
      const after = (moment * 7 + round) % 4
      if (((moment + 1) * (round + 3)) % 3 !== 0 && after <= ((await threads.get(ada, turn.threadId))?.lastSeq ?? 0)) {
        const watch = turns.watch(ada, turn.threadId, after)
        const read = readTo(watch, turn.id, after).then((seen) => {
          snapshots += seen.events.filter(({ type }) => type === 'snapshot').length
          return seen
        })
        if (!state.over) joins.push({ moment, after, read })
        else {
          watch.close()
          read.catch(() => {})
        }
      }
      await (moment % 2 ? Promise.resolve() : turnOver(1))
    }
    assert.equal(restOf(await whole), 'completed')
    const { entries: stored } = await store.threads.entries(ada, turn.threadId, { after: 0, limit: 100 })
    for (const { after, read } of joins.splice(0)) {
      const { entries } = await read
      assert.deepEqual(entries, stored.slice(after))
    }
  }
  assert.ok(snapshots > 20, `some joined in mid-sentence (${snapshots})`)
  assert.equal(watchers(), 0)
})

test('an item that is stored while a latecomer reads is told once, as stored, without its deltas', async (t) => {
  const real = openTestStore(t)
  const { promise: slow, resolve: letRead } = Promise.withResolvers<void>()
  const store: Store = {
    ...real,
    threads: { ...real.threads, entries: (...args) => slow.then(() => real.threads.entries(...args)) },
  }
  const { script, told, letGo } = createHeldReply()
  const { turns } = openHouse(t, { store, reply: () => script })
  const { turn, events } = await turns.start(message('hi'))
  await told
  const reading = readTo(turns.watch(ada, turn.threadId, 0), turn.id, 0)
  await turnOver()
  letGo()
  await eventsOf(events)
  letRead()
  const seen = await reading
  assert.deepEqual(
    seen.events.map(({ type }) => type),
    ['entries', 'turn'],
  )
  assert.equal(seen.entries.length, 2)
})

test('a watcher sees what others say in the thread, their messages too', async (t) => {
  const { turns } = openHouse(t)
  const first = await turns.start(message('first'))
  await eventsOf(first.events)
  const { threadId } = first.turn
  const watch = turns.watch(ada, threadId, 2)
  const reading = readTo(watch, '', 2)
  await turnOver()
  const second = await turns.start(message('second', { threadId }))
  await eventsOf(second.events)
  const third = await turns.start(message('third', { threadId }))
  await eventsOf(third.events)
  watch.close()
  const { entries, events } = await reading
  assert.deepEqual(
    entries.map(({ item }) => (item.type === 'message' ? textOf(item) : item.type)),
    ['second', 'echo second', 'third', 'echo third'],
  )
  const [heard] = events
  assert.ok(
    heard?.type === 'entries' && heard.entries[0]?.turnId === second.turn.id,
    'the message comes before its answer',
  )
})

test('entries that are told in the wrong order, or never, are read from the store', async (t) => {
  const held: Parameters<Bus['publish']>[] = []
  const { turns, threads } = openHouse(t, {
    reply: (_, { items }) => (items.at(-1)?.type === 'result' ? ['done'] : [{ name: 'read' }]),
    bus: (bus) => ({
      ...bus,
      publish(threadId, events) {
        const early = events.some(
          (event) => event.type === 'entries' && event.entries.some(({ item }) => item.type === 'attempt'),
        )
        if (early) held.push([threadId, events])
        else bus.publish(threadId, events)
        if (events.some((event) => event.type === 'turn' && event.turn.status === 'completed'))
          for (const each of held) bus.publish(...each)
      },
    }),
  })
  const seed = await turns.start(message('seed'))
  await eventsOf(seed.events)
  const after = (await threads.get(ada, seed.turn.threadId))?.lastSeq ?? 0
  const watch = turns.watch(ada, seed.turn.threadId, after)
  const reading = readTo(watch, '', after)
  await turnOver()
  const next = await turns.start(message('next', { threadId: seed.turn.threadId }))
  await eventsOf(next.events)
  const read = await turns.start(message('and on', { threadId: seed.turn.threadId }))
  await eventsOf(read.events)
  watch.close()
  const { entries: stored } = await threads.entries(ada, seed.turn.threadId, { after, limit: 100 })
  assert.ok(stored.length > 2)
  assert.deepEqual((await reading).entries, stored)
})

test('a long thread is replayed in order, page by page', async (t) => {
  const { turns, store } = openHouse(t)
  const input = Array.from({ length: 1_203 }, (_, at) =>
    turnOf().input.map(({ item }) => ({ id: `${at}`, item })),
  ).flat()
  const { turn } = await store.turns.start(turnOf({ input }))
  const watch = turns.watch(ada, turn.threadId, 3)
  const seqs: number[] = []
  for await (const batch of watch) {
    for (const event of batch) if (event.type === 'entries') seqs.push(...event.entries.map(({ seq }) => seq))
    if (seqs.at(-1) === input.length) break
  }
  assert.deepEqual(
    seqs,
    Array.from({ length: 1_200 }, (_, at) => at + 4),
  )
})

test("another user's thread cannot be watched, nor followed", async (t) => {
  const { script, told, letGo } = createHeldReply()
  const { turns, watchers } = openHouse(t, { reply: () => script })
  const { turn, events } = await turns.start(message('secret'))
  await told
  const foreign = turns.watch(bob, turn.threadId, 0)
  await rejectsWith(Array.fromAsync(foreign), 'not_found')
  await rejectsWith(Array.fromAsync(turns.follow(bob, turn)), 'not_found')
  await rejectsWith(Array.fromAsync(turns.watch(ada, crypto.randomUUID(), 0)), 'not_found')
  assert.equal(watchers(), 1, 'only the starter listens')
  letGo()
  await eventsOf(events)
})

test('following a turn that has begun gives it from its start to its end', async (t) => {
  const { script, told, letGo } = createHeldReply()
  const { turns } = openHouse(t, { reply: (text) => (text === 'go' ? script : ['ok']) })
  const before = await turns.start(message('before'))
  await eventsOf(before.events)
  const { turn, events } = await turns.start(message('go', { threadId: before.turn.threadId }))
  await told
  const during = readTo(turns.follow(ada, turn), turn.id, 2)
  await turnOver()
  letGo()
  await eventsOf(events)
  assert.deepEqual(
    (await during).entries.map(({ seq }) => seq),
    [3, 4],
  )
})

test('a watch that is closed before it is read, or left in the middle, lets go', async (t) => {
  const store = openTestStore(t)
  const { turns, watchers } = openHouse(t, { store })
  const { turn, events } = await turns.start(message('hi'))
  events.close()
  turns.watch(ada, turn.threadId, 0).close()
  for await (const _ of turns.watch(ada, turn.threadId, 0)) break
  assert.equal(watchers(), 0)
})

test('a watch gets the entries of a turn before its end, and no text from the middle of an item', async (t) => {
  const store = openTestStore(t)
  const { turns, bus } = openHouse(t, { store })
  const { turn, events } = await turns.start(message('hi'))
  await eventsOf(events)
  const now = (await store.turns.get(ada, turn.id)) ?? turn
  const delta = (itemId: string, offset: number, text: string): Event => ({
    type: 'delta',
    turnId: turn.id,
    itemId,
    offset,
    text,
  })
  const watch = turns.watch(ada, turn.threadId, now.lastSeq ?? 0)
  bus.publish(turn.threadId, [delta('a', 4, 'end'), delta('b', 0, 'one '), delta('b', 4, 'two'), delta('b', 9, 'four')])
  bus.publish(turn.threadId, [{ type: 'turn', turn: now }])
  const { events: told } = await readTo(watch, turn.id, now.lastSeq ?? 0)
  assert.deepEqual(
    told.map((event) => (event.type === 'delta' ? event.text : event.type)),
    ['one ', 'two', 'turn'],
  )
})

test('what was told before a gap comes before the entries of the gap, once, and they take a place', async () => {
  const entry = (seq: number): Entry => ({ seq, id: `i${seq}`, turnId: 't', at: 0, item: textMessage('user', 'hi') })
  const delta: Event = { type: 'delta', turnId: 't', itemId: 'x', offset: 0, text: 'a' }
  const stored: Entry[] = []
  const told: Subscription = {
    partial: undefined,
    close() {},
    async *[Symbol.asyncIterator]() {
      stored.push(entry(1), entry(2))
      yield await Promise.resolve([delta, { type: 'entries', entries: [entry(2)] }])
    },
  }
  const threads = fake<ThreadStore>({
    get: () => Promise.resolve(fake<Thread>({})),
    entries: (_, __, { after }) => Promise.resolve({ entries: stored.filter(({ seq }) => seq > after), more: false }),
  })
  const places: string[] = []
  const takePlace = () => {
    places.push('taken')
    return Promise.resolve(() => {})
  }
  const watch = watchThread({ bus: fake<Bus>({ subscribe: () => told }), threads, takePlace }, ada, 'h', { seq: 0 })
  assert.deepEqual(await Array.fromAsync(watch), [[delta], [{ type: 'entries', entries: [entry(1), entry(2)] }]])
  assert.deepEqual(places, ['taken', 'taken'])
})

test('four watchers of a user read long pages at a time, whatever they follow', async (t) => {
  const { turns } = openHouse(t)
  const { turn, events } = await turns.start(message('a'.repeat(600_000)))
  await eventsOf(events)
  const watches = Array.from({ length: 5 }, () => turns.watch(ada, turn.threadId, 0))
  let read = 0
  const readers = watches.map((watch) => watch[Symbol.asyncIterator]())
  const pages = readers.map((reader) => reader.next().then(() => read++))
  await until(() => read === 4)
  await turnOver(20)
  assert.equal(read, 4)
  for (const watch of watches) watch.close()
  await Promise.all(pages)
})
