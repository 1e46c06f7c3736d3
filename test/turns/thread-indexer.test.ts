// The indexer of threads: when it works, and what it does when something fails.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { idAt } from '#core/ids.ts'
import type { ThreadIndexStore } from '#core/thread-index.ts'
import { type Log, silentLog } from '#lib/log.ts'
import { catchUp, createThreadIndexer } from '#turns/thread-indexer.ts'
import { createThreadSearch } from '#turns/thread-search.ts'
import { openTestStore } from '../agent/bench.ts'
import { ada, dayMs, finish, minuteMs, say, turnOf } from '../store/harness.ts'
import { until } from '../until.ts'

const atOnce = { firstLookMs: 0, quietMs: 0 }

type Started = { index?: Partial<ThreadIndexStore>; takeDuty?: () => Promise<boolean>; restFactor?: number; log?: Log }

function start(
  t: TestContext,
  { index, takeDuty = () => Promise.resolve(true), restFactor = 0, log = silentLog }: Started = {},
) {
  const store = openTestStore(t)
  const left: string[] = []
  const indexer = createThreadIndexer({
    index: { ...store.threadIndex, ...index },
    leases: {
      takeDuty,
      leaveDuty: (duty) => Promise.resolve(void left.push(duty)),
    },
    owner: 'one',
    log,
    waits: { ...atOnce, restFactor },
  })
  t.after(() => indexer.stop())
  const found = async (query: string): Promise<string[]> => {
    const search = createThreadSearch({ index: store.threadIndex, threads: store.threads })
    return (await search(ada, { query, limit: 9 })).map(({ title }) => title)
  }
  const tell = async (words: string) =>
    finish(store, (await store.turns.start(turnOf({ title: 'told', input: [say(words)] }))).turn)
  return { store, indexer, found, tell, left }
}

test('what an earlier process left unindexed is found after a start', async (t) => {
  const store = openTestStore(t)
  await finish(store, (await store.turns.start(turnOf({ title: 'old', input: [say('zeppelin')] }))).turn)
  const { indexer } = start(t, { index: store.threadIndex })
  const search = createThreadSearch({ index: store.threadIndex, threads: store.threads })
  await until(async () => (await search(ada, { query: 'zeppelin', limit: 1 })).length === 1)
  await indexer.stop()
})

test('what is told after a clock that was ahead was set back is found', async (t) => {
  const { store, found, tell } = start(t, { takeDuty: () => Promise.resolve(false) })
  await tell('zeppelin')
  const at = (ms: number) => () => Promise.resolve({ turns: idAt(Date.now() + ms), threads: idAt(Date.now() + ms) })
  await catchUp({ ...store.threadIndex, position: at(minuteMs) })
  assert.deepEqual(await found('zeppelin'), [], 'the clocks of processes differ a little')
  await catchUp({ ...store.threadIndex, position: at(dayMs) })
  assert.deepEqual(await found('zeppelin'), ['told'])
})

test('of a conversation one variant is found: the one that lists show, if it has the words', async (t) => {
  const { store, indexer, tell } = start(t)
  const { threadId: first } = await tell('zeppelin')
  const variant = turnOf({ input: [say('airship')], forks: { threadId: first, beforeSeq: 1, variant: true } })
  const { threadId: second } = await finish(store, (await store.turns.start(variant)).turn)
  await finish(store, (await store.turns.start(turnOf({ threadId: first, input: [say('and a balloon')] }))).turn)
  await finish(store, (await store.turns.start(turnOf({ threadId: second, input: [say('and a balloon')] }))).turn)
  for (const id of [first, second]) indexer.note(id)
  const search = createThreadSearch({ index: store.threadIndex, threads: store.threads })
  const found = async (query: string) => (await search(ada, { query, limit: 9 })).map(({ id }) => id)
  await until(async () => (await found('airship')).length === 1 && (await found('zeppelin')).length === 1)
  assert.deepEqual([await found('zeppelin'), await found('airship')], [[first], [second]])
  assert.deepEqual(await found('balloon'), [second])
  await store.threads.show(ada, first)
  assert.deepEqual(await found('balloon'), [first])
})

test('a thread is indexed once it is noted, and leaves the index once its deletion is', async (t) => {
  const { store, indexer, found, tell } = start(t)
  const { threadId } = await tell('zeppelin')
  indexer.note(threadId)
  await until(async () => (await found('zeppelin')).length === 1)
  await store.threads.remove(ada, threadId)
  indexer.note(threadId)
  await until(async () => (await store.threadIndex.count(ada, [], 9)) === undefined)
})

test('a process without the duty indexes nothing, and one that stops gives it up', async (t) => {
  let asked = 0
  const { indexer, left } = start(t, {
    takeDuty: () => Promise.resolve(false),
    index: { position: () => Promise.reject(new Error(`${++asked}`)) },
  })
  indexer.note('t')
  await indexer.stop()
  assert.deepEqual([asked, left], [0, ['thread index']])
})

test('a process without the duty puts noted threads on the list once, and rests', async (t) => {
  const added: string[][] = []
  let asked = 0
  const { indexer } = start(t, {
    takeDuty: () => Promise.resolve(++asked < 0),
    index: { add: (ids) => Promise.resolve(void added.push([...ids])) },
  })
  indexer.note('one')
  // The look of the start, and the one that the note asks for.
  await until(() => asked === 2)
  // A process that does not rest would ask again in each of these.
  for (let pass = 0; pass < 20; pass++) await new Promise(setImmediate)
  assert.deepEqual([added, asked], [[['one']], 2])
})

test('it rests after each step in which it looks for threads', async (t) => {
  let looks = 0
  const follow: ThreadIndexStore['follow'] = async (position) => {
    looks++
    await new Promise((resolve) => setImmediate(resolve))
    return { position, more: looks < 9 }
  }
  const { indexer } = start(t, { index: { follow }, restFactor: 1e9 })
  await until(() => looks > 0)
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  await indexer.stop()
  assert.equal(looks, 1)
})

test('a fault of the database does not end it', async (t) => {
  let faults = 0
  const store = openTestStore(t)
  const add: ThreadIndexStore['add'] = (ids) =>
    faults++ === 0 ? Promise.reject(new Error('away')) : store.threadIndex.add(ids)
  const { indexer } = start(t, { index: { ...store.threadIndex, add } })
  indexer.note('t')
  await until(() => faults === 1)
  await indexer.stop()
  assert.equal(faults, 1, 'it rests before it tries again')
})

test('a thread that cannot be indexed is named once, and waits twice as long each time', async (t) => {
  const store = openTestStore(t)
  const tell = async (words: string) =>
    finish(store, (await store.turns.start(turnOf({ title: words, input: [say(words)] }))).turn)
  const bad = await tell('zeppelin')
  const warned: object[] = []
  const waits: [string, number][] = []
  const read: ThreadIndexStore['read'] = (ids) =>
    ids.includes(bad.threadId) ? Promise.reject(new Error('damaged')) : store.threadIndex.read(ids)
  // It waits no longer than this test.
  const putOff: ThreadIndexStore['putOff'] = async (id, ms) => {
    waits.push([id, ms])
    await store.threadIndex.putOff(id, waits.length > 8 ? ms : 0)
  }
  await tell('balloon')
  const log: Log = { ...silentLog, warn: (fields) => void warned.push(fields) }
  const { indexer } = start(t, { index: { ...store.threadIndex, read, putOff }, log })
  await until(() => waits.length === 9)
  await indexer.stop()
  const search = createThreadSearch({ index: store.threadIndex, threads: store.threads })
  assert.equal((await search(ada, { query: 'balloon', limit: 9 })).length, 1)
  const seconds = [30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600]
  assert.deepEqual(
    waits,
    seconds.map((each) => [bad.threadId, each * 1_000]),
  )
  assert.deepEqual(
    warned.map((fields) => ({ ...fields, err: '' })),
    [{ err: '', thread: bad.threadId }],
  )
})

test('a thread that was indexed after a fault is named again by the next one, and waits from the beginning', async (t) => {
  const store = openTestStore(t)
  const { turn } = await store.turns.start(turnOf({ input: [say('zeppelin')] }))
  const { threadId } = await finish(store, turn)
  const waits: number[] = []
  let warned = 0
  let reads = 0
  // Each look reads it with others, then alone.
  const read: ThreadIndexStore['read'] = (ids) =>
    ids.length === 0 || ++reads === 3 ? store.threadIndex.read(ids) : Promise.reject(new Error('damaged'))
  const putOff: ThreadIndexStore['putOff'] = async (id, ms) => {
    waits.push(ms)
    await store.threadIndex.putOff(id, waits.length > 1 ? ms : 0)
  }
  const log: Log = { ...silentLog, warn: () => void warned++ }
  const { indexer } = start(t, { index: { ...store.threadIndex, read, putOff }, log })
  await until(() => reads === 3)
  indexer.note(threadId)
  await until(() => waits.length === 2)
  await indexer.stop()
  assert.deepEqual([waits, warned], [[30_000, 30_000], 2])
})
