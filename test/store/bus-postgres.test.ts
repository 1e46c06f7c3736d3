// The bus between processes: two of them over one database, each with its own link.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Bus, ListChange, Signal, Subscription } from '#core/bus.ts'
import type { Event } from '#core/event.ts'
import { newId, userId } from '#core/ids.ts'
import type { Turn } from '#core/turn.ts'
import { silentLog } from '#lib/log.ts'
import { createSeal } from '#lib/seal.ts'
import { createPostgresBus } from '#store/bus-postgres.ts'
import { openPostgresStore } from '#store/open-store.ts'
import { usePostgres } from '../postgres.ts'
import { until } from '../until.ts'
import { ada, lease, reply, step, turnOf } from './harness.ts'
import { document } from './suite-documents.ts'

const server = usePostgres()

/** Two processes that share a database and nothing else. */
async function openTwo(t: TestContext) {
  const { url } = await server.emptied()
  const open = async () => {
    const { store, sql } = await openPostgresStore({ url, seal: createSeal('0'.repeat(64)) })
    const bus = await createPostgresBus({ url, sql, log: silentLog })
    t.after(async () => {
      await bus.close()
      await store.close()
    })
    return { store, bus, sql }
  }
  return { here: await open(), there: await open() }
}

type Delta = Extract<Event, { type: 'delta' }>

/** What a subscription has heard, as it comes. */
function hear(subscription: Subscription) {
  const events: Event[] = []
  const done = (async () => {
    for await (const batch of subscription) events.push(...batch)
  })()
  const text = (): string =>
    events
      .filter((event): event is Delta => event.type === 'delta')
      .map((delta) => delta.text)
      .join('')
  return { events, text, close: () => (subscription.close(), done) }
}

function write(bus: Bus, { threadId, id: turnId }: Turn, itemId: string) {
  let offset = 0
  return (text: string): void => {
    bus.publish(threadId, [{ type: 'delta', turnId, itemId, offset, text }])
    offset += text.length
  }
}

function assertContinuous(events: readonly Event[]): void {
  const lengths = new Map<string, number>()
  for (const event of events) {
    if (event.type !== 'delta') continue
    assert.equal(event.offset, lengths.get(event.itemId) ?? 0, 'text follows on text')
    lengths.set(event.itemId, event.offset + event.text.length)
  }
}

test('text is heard elsewhere from its beginning, in order and once, whatever is in it', async (t) => {
  const { here, there } = await openTwo(t)
  const { turn } = await here.store.turns.start(turnOf())
  const say = write(here.bus, turn, newId())
  const long = '"\\\u0001\u{1F3DB}é'.repeat(2_000)
  say('Before anybody watched. ')
  const watcher = hear(there.bus.subscribe(turn.threadId, { seq: 1, turn }))
  await until(() => watcher.text() === 'Before anybody watched. ')
  const progress = { type: 'progress', turnId: turn.id, callId: 'c', progress: 1, message: 'half' } as const
  here.bus.publish(turn.threadId, [progress])
  await until(() => watcher.events.some((event) => event.type === 'progress'))
  assert.deepEqual(
    watcher.events.find((event) => event.type === 'progress'),
    progress,
  )
  say(long)
  for (let at = 0; at < 200; at++) say(`${at} `)
  const all = `Before anybody watched. ${long}${Array.from({ length: 200 }, (_, at) => `${at} `).join('')}`
  await until(() => watcher.text().length >= all.length)
  assert.equal(watcher.text(), all)
  assertContinuous(watcher.events)
  const second = there.bus.subscribe(turn.threadId, { seq: 1 })
  assert.equal(second.partial?.text, all)
  second.close()
  await watcher.close()
})

test('an end is heard with all that was stored before it', async (t) => {
  const { here, there } = await openTwo(t)
  for (let round = 0; round < 20; round++) {
    const { turn } = await here.store.turns.start(turnOf())
    const watcher = hear(there.bus.subscribe(turn.threadId, { seq: 1, turn }))
    const draft = reply('said')
    write(here.bus, turn, draft.id)('sai')
    const recorded = await here.store.turns.record(turn, lease, step([draft], { status: 'completed' }))
    here.bus.publish(turn.threadId, [
      { type: 'entries', entries: recorded.entries },
      { type: 'turn', turn: recorded.turn },
    ])
    await until(() => watcher.events.some((event) => event.type === 'turn' && event.turn.status === 'completed'))
    const end = watcher.events.findIndex((event) => event.type === 'turn' && event.turn.status === 'completed')
    const stored = watcher.events.findIndex((event) => event.type === 'entries' && event.entries[0]?.id === draft.id)
    assert(stored >= 0 && stored < end, 'entries come before the end')
    const late = watcher.events.slice(stored).some((event) => event.type === 'delta')
    assert(!late, 'text of a stored item is not told after it')
    await watcher.close()
  }
})

test('text of an attempt that was given up is not mixed into the next one', async (t) => {
  const { here, there } = await openTwo(t)
  const { turn } = await here.store.turns.start(turnOf())
  const { turn: other } = await here.store.turns.start(turnOf())
  const witness = hear(there.bus.subscribe(other.threadId, { seq: 1, turn: other }))
  const show = write(here.bus, other, newId())
  show('a')
  await until(() => witness.text() === 'a')
  const [old, next] = [newId(), newId()].toSorted() as [string, string]
  const watcher = hear(there.bus.subscribe(turn.threadId, { seq: 1, turn }))
  const stale = write(here.bus, turn, old)
  stale('first ')
  await until(() => watcher.text() === 'first ')
  const fresh = write(here.bus, turn, next)
  fresh('second ')
  await until(() => watcher.text() === 'first second ')
  stale('late ')
  // Told after it, on the same link.
  show('b')
  await until(() => witness.text() === 'ab')
  fresh('attempt')
  await until(() => watcher.text().endsWith('attempt'))
  assert.equal(watcher.text(), 'first second attempt')
  await witness.close()
  await watcher.close()
})

test('a thread that was erased ends the wait for its turn', async (t) => {
  const { here, there } = await openTwo(t)
  const { turn } = await here.store.turns.start(turnOf())
  const watcher = hear(there.bus.subscribe(turn.threadId, { seq: 1, turn }))
  await here.store.threads.remove(ada, turn.threadId)
  // Nobody says a word of it: the watcher's own look finds it out.
  await until(() => watcher.events.some((event) => event.type === 'turn' && event.turn.status === 'cancelled'))
  await watcher.close()
})

test('nothing of a text from elsewhere is kept once nobody watches', async (t) => {
  const { here, there } = await openTwo(t)
  const { turn } = await here.store.turns.start(turnOf())
  const say = write(here.bus, turn, newId())
  say('half')
  const watcher = hear(there.bus.subscribe(turn.threadId, { seq: 1, turn }))
  await until(() => watcher.text() === 'half')
  await watcher.close()
  const later = there.bus.subscribe(turn.threadId, { seq: 1 })
  assert.equal(later.partial, undefined)
  later.close()
})

test('signals reach every process, this one included, and a broken link makes up for what it missed', async (t) => {
  const { here, there } = await openTwo(t)
  const heard: string[] = []
  const own: string[] = []
  there.bus.onSignal(({ type }) => heard.push(type))
  here.bus.onSignal(({ type }) => own.push(type))
  here.bus.signal({ type: 'stop', turnId: 't', code: 'turn_cancelled', message: 'cancelled' })
  await until(() => heard.includes('stop'))
  assert.deepEqual([own, heard], [['stop'], ['stop']])
  await here.sql.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name = 'atrium-link' AND datname = current_database()`,
  )
  // A setting that changes now is announced to nobody.
  await here.store.settings.change(() => ({ llm_provider: 'offline' }))
  await until(() => heard.includes('settings') && own.includes('settings'))
  assert(heard.includes('queued') && heard.includes('notifications'))
  heard.length = 0
  await until(() => {
    here.bus.signal({ type: 'stop', turnId: 't', code: 'turn_cancelled', message: 'cancelled' })
    return heard.includes('stop')
  })
  const { rows } = await here.sql.pool.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM pg_stat_activity
     WHERE application_name = 'atrium-link' AND datname = current_database()`,
  )
  assert.equal(rows[0]?.n, 2, 'one link a process')
})

test('a signal of every kind reaches every process as it was sent', async (t) => {
  const { here, there } = await openTwo(t)
  const signals: Readonly<Record<Signal['type'], Signal>> = {
    stop: { type: 'stop', turnId: 't', code: 'turn_cancelled', message: 'cancelled' },
    queued: { type: 'queued' },
    settings: { type: 'settings' },
    secrets: { type: 'secrets', owner: ada },
    identity: { type: 'identity', user: ada },
    removed: { type: 'removed', user: ada },
    grants: { type: 'grants', user: ada },
    skills: { type: 'skills', user: ada },
    missions: { type: 'missions' },
    channels: { type: 'channels' },
    notifications: { type: 'notifications', what: 'ways' },
    reader: { type: 'reader', turnId: 't', what: 'left', from: 'p' },
  }
  const sent = Object.values(signals)
  const heard = [here, there].map(({ bus }) => {
    const own: Signal[] = []
    bus.onSignal((signal) => own.push(signal))
    return own
  })
  for (const signal of sent) here.bus.signal(signal)
  await until(() => heard.every((own) => own.length >= sent.length))
  assert.deepEqual(heard, [sent, sent])
})

test('what stands in a system prompt is told to every process when it is written or deleted, and nothing else is', async (t) => {
  const { here, there } = await openTwo(t)
  const heard: unknown[] = []
  there.bus.onSignal((signal) => heard.push(signal))
  for (const path of ['notes/SOUL.md', 'SOUL.md']) await here.store.documents.put(ada, [document(path, 'x')])
  await here.store.documents.remove(ada, 'notes/SOUL.md')
  await here.store.documents.remove(ada, 'SOUL.md')
  await until(() => heard.length >= 2)
  assert.deepEqual(heard, [
    { type: 'identity', user: ada },
    { type: 'identity', user: ada },
  ])
})

test('whose secrets have changed is told to every process, a renewed one too', async (t) => {
  const { here, there } = await openTwo(t)
  const heard: unknown[] = []
  there.bus.onSignal((signal) => heard.push(signal))
  const { secrets } = here.store
  await secrets.set('tool/a/key', 'one', { owner: ada, renewal: { token: 'r1' } })
  const secret = await secrets.find('tool/a/key', ada)
  assert.ok(secret)
  await secrets.endRenewal(secret, { type: 'failed' })
  await secrets.endRenewal(secret, { type: 'renewed', value: 'two', renewal: {} })
  await secrets.remove('tool/a/key', ada)
  await until(() => heard.length >= 3)
  assert.deepEqual(
    heard,
    Array.from({ length: 3 }, () => ({ type: 'secrets', owner: ada })),
  )
})

test("changes of a user's lists are told where they are followed, and a follower that comes hears that it must read", async (t) => {
  const { here, there } = await openTwo(t)
  const whose = { userId: ada, door: 'web' as const }
  here.bus.publishChange(whose, { turnId: 'unheard' })
  const changes = there.bus.subscribeChanges(ada)
  const heard: ListChange[] = []
  const over = (async () => {
    for await (const batch of changes) heard.push(...batch)
  })()
  await until(() => heard.length === 1)
  assert.deepEqual(heard, [{}], 'all may have changed')
  here.bus.publishChange({ userId: userId('bob'), door: 'web' }, { turnId: 'of another' })
  here.bus.publishChange(whose, { threadId: 'a', turnId: 'b' })
  await until(() => heard.length === 2)
  assert.deepEqual(heard[1], { threadId: 'a', turnId: 'b' })
  changes.close()
  await over
})
