// The runner when things go wrong around it: a shutdown, a store that is away, a turn that cannot be carried on.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { AppError, type ErrorCode } from '#core/errors.ts'
import type { Store } from '#core/store.ts'
import type { TurnStore } from '#core/turn-store.ts'
import type { Observer } from '#turns/turn-metrics.ts'
import { openTestStore } from '../agent/bench.ts'
import { tool } from '../agent/tools.ts'
import { ada, lease, other, turnOf } from '../store/harness.ts'
import { eventsOf, createHeldReply, message, openHouse, restOf, textsOf, tools, turnOver, until } from './house.ts'

test('a drain releases what runs, and another process finishes it from the log', async (t) => {
  const store = openTestStore(t)
  const ran: string[] = []
  const { promise: never } = Promise.withResolvers<string>()
  const slow = (name: string, repeatable: boolean) =>
    tool(name, { repeatable }, (_, { signal }) => {
      ran.push(name)
      return ran.filter((each) => each === name).length === 1 && !signal.aborted
        ? never
        : Promise.resolve(`${name} again`)
    })
  const more = [...tools, slow('again', true), slow('never', false)]
  const { script, told } = createHeldReply()
  const house = openHouse(t, {
    store,
    tools: more,
    reply: (text) => (text === 'talk' ? script : [{ name: 'again' }, { name: 'never' }]),
  })
  const talking = await house.turns.start(message('talk'))
  const working = await house.turns.start(message('work'))
  const queued = await house.turns.start(message('queued', { threadId: talking.turn.threadId }))
  await told
  await until(() => ran.length === 2)
  await house.runner.drain(0)
  assert.equal(house.runner.running, 0)
  assert.equal(house.runner.room(0), undefined)
  const statuses = (await house.turns.list(ada, { limit: 9 })).rows.map(({ status }) => status)
  assert.deepEqual(statuses, ['queued', 'queued', 'queued'])
  await house.bus.close()
  for (const { events } of [talking, working, queued]) events.close()

  const next = openHouse(t, {
    store,
    lease: other,
    tools: more,
    reply: (text) => [`${text} done`],
  })
  next.runner.wake()
  await until(async () => (await store.turns.count(ada)).queued + (await store.turns.count(ada)).running === 0)
  assert.deepEqual(await textsOf(store, talking.turn.threadId), ['talk', 'talk done', 'queued', 'queued done'])
  const work = await textsOf(store, working.turn.threadId)
  assert.deepEqual(work.slice(0, 5), ['work', 'call', 'call', 'attempt', 'attempt'])
  assert.match(work.find((text) => text.includes('interrupted')) ?? '', /may or may not/)
  assert.ok(work.includes('result: again again') && work.at(-1) === 'work done')
  assert.deepEqual(ran, ['again', 'never', 'again'], 'what may not be repeated was not')
})

test('a drain waits for what comes to its end by itself, and takes nothing new', async (t) => {
  const { script, told, letGo } = createHeldReply()
  const { turns, runner } = openHouse(t, { reply: () => script })
  const { events } = await turns.start(message('hi'))
  await told
  const drained = runner.drain(60_000)
  const late = await turns.start(message('late'))
  assert.equal(late.turn.status, 'queued')
  letGo()
  assert.equal(restOf(await eventsOf(events)), 'completed')
  await drained
  late.events.close()
  assert.equal((await turns.get(ada, late.turn.id))?.status, 'queued')
})

test('what a turn had said before it was released is not shown as being written', async (t) => {
  const { script, told } = createHeldReply()
  const { turns, runner, bus } = openHouse(t, { reply: () => script })
  const { turn, events } = await turns.start(message('hi'))
  await told
  assert.equal(snapshotOf(), 'So far')
  await runner.drain(0)
  assert.equal(snapshotOf(), undefined)
  events.close()

  function snapshotOf(): string | undefined {
    const subscription = bus.subscribe(turn.threadId)
    subscription.close()
    return subscription.partial?.text
  }
})

test('what a turn had said before its lease was lost is not shown as being written', async (t) => {
  const store = openTestStore(t)
  const { script, told } = createHeldReply()
  const { turns, runner, bus } = openHouse(t, { store, reply: () => script })
  const { turn, events } = await turns.start(message('hi'))
  await told
  await store.turns.recover(other)
  runner.renew({ ...lease, epoch: lease.epoch + 1 })
  await until(() => runner.running === 0)
  const watcher = bus.subscribe(turn.threadId)
  assert.equal(watcher.partial, undefined)
  watcher.close()
  events.close()
})

/** A store whose verbs fail as long as a fault is set. */
function faulty(store: Store, verbs: readonly (keyof TurnStore)[]) {
  const state: { code: ErrorCode | undefined; failed: number } = { code: undefined, failed: 0 }
  const turns = { ...store.turns }
  for (const verb of verbs) {
    const real = store.turns[verb] as (...args: unknown[]) => Promise<unknown>
    Object.assign(turns, {
      [verb]: (...args: unknown[]) => {
        if (!state.code) return real(...args)
        state.failed++
        return Promise.reject(new AppError(state.code, 'away'))
      },
    })
  }
  return { state, store: { ...store, turns } }
}

for (const code of ['database_unavailable', 'disk_full', 'home_unwritable'] as const) {
  test(`${code} while a step is stored holds the turn, and it goes on when that is over`, async (t) => {
    const store = openTestStore(t)
    const { script, told, letGo } = createHeldReply()
    const away = faulty(store, ['record', 'release', 'claim'])
    const { turns, asked } = openHouse(t, { store, reply: () => script, runnerStore: () => away.store })
    const { turn, events } = await turns.start(message('hi'))
    await told
    away.state.code = code
    letGo()
    await until(() => away.state.failed > 0)
    assert.equal((await turns.get(ada, turn.id))?.status, 'running')
    away.state.code = undefined
    assert.equal(restOf(await eventsOf(events)), 'completed')
    assert.deepEqual(await textsOf(store, turn.threadId), ['hi', 'So far, and more'])
    assert.equal(asked.length, 1, 'the model was not asked again')
  })
}

test('a turn that cannot be let go at once is let go when the store is back', async (t) => {
  const store = openTestStore(t)
  const away = faulty(store, ['record', 'release'])
  let opened = 0
  const { turns, runner } = openHouse(t, {
    store: {
      ...store,
      threads: {
        ...store.threads,
        history: (turn) =>
          opened++ ? store.threads.history(turn) : Promise.reject(new AppError('database_unavailable', 'away')),
      },
    },
    runnerStore: () => away.store,
  })
  const { turn } = await store.turns.start(turnOf())
  await store.turns.release(turn, lease)
  away.state.code = 'database_unavailable'
  runner.wake()
  await until(() => away.state.failed > 0)
  away.state.code = undefined
  await until(async () => (await turns.get(ada, turn.id))?.status === 'completed')
})

async function settlesOnce(t: TestContext, spoil: (store: Store) => Store): Promise<void> {
  const store = spoil(openTestStore(t))
  let asked = 0
  const { turns } = openHouse(t, {
    store,
    reply: (text) => {
      assert.ok(++asked < 5, 'a turn that cannot be stored must not be asked for ever')
      return [`echo ${text}`, { name: 'read' }]
    },
  })
  const { turn, events } = await turns.start(message('hi'))
  const next = await turns.start(message('next', { threadId: turn.threadId }))
  assert.equal(restOf(await eventsOf(events)), 'failed')
  assert.equal((await turns.get(ada, turn.id))?.error?.code, 'internal')
  assert.equal(restOf(await eventsOf(next.events)), 'failed', 'and the thread goes on')
  assert.ok(asked <= 2)
}

test('a step that can never be stored fails its turn instead of asking the model for ever', (t) =>
  settlesOnce(t, (store) => ({
    ...store,
    turns: {
      ...store.turns,
      record: (turn, by, step) =>
        step.drafts.some(({ item }) => item.type === 'call')
          ? Promise.reject(new RangeError('too deep'))
          : store.turns.record(turn, by, step),
    },
  })))

test('a log that cannot be read fails its turn', async (t) => {
  const store = openTestStore(t)
  const broken: Store = {
    ...store,
    threads: { ...store.threads, history: () => Promise.reject(new SyntaxError('bad row')) },
  }
  const { turns, runner } = openHouse(t, { store: broken })
  const { turn } = await store.turns.start(turnOf())
  await store.turns.release(turn, lease)
  runner.wake()
  await until(async () => (await turns.get(ada, turn.id))?.status === 'failed')
  assert.equal((await turns.get(ada, turn.id))?.error?.code, 'internal')
})

test('a turn whose start was under way at shutdown is put back', async (t) => {
  const store = openTestStore(t)
  const { promise: kept, resolve: confirm } = Promise.withResolvers<void>()
  let storing = false
  const late: Store = {
    ...store,
    turns: {
      ...store.turns,
      async start(given) {
        const started = await store.turns.start(given)
        storing = true
        await kept
        return started
      },
    },
  }
  const { turns, runner } = openHouse(t, { store: late, reply: () => createHeldReply().script })
  const starting = turns.start(message('hi'))
  await until(() => storing)
  await runner.drain(0)
  confirm()
  const { turn, events } = await starting
  events.close()
  await until(async () => (await turns.get(ada, turn.id))?.status === 'queued')
})

test('turns that are being started count towards the limit', async (t) => {
  const { runner, lease: ours } = openHouse(t, { limit: 3 })
  assert.deepEqual([runner.full(2), runner.full(3), runner.room(2), runner.room(3)], [false, true, ours, undefined])
  await runner.drain(0)
  assert.deepEqual([runner.full(3), runner.room(0)], [false, undefined], 'a process that goes down has no room')
})

test('an observer is told every step and each rest once', async (t) => {
  const told: string[] = []
  const observer: Observer = {
    stepped: (entries) => told.push(entries.map(({ item }) => item.type).join(' ')),
    rested: ({ status }) => told.push(status),
  }
  const { turns } = openHouse(t, {
    observer,
    reply: (_, { items }) => (items.at(-1)?.type === 'result' ? ['ok'] : [{ name: 'read' }]),
  })
  await eventsOf((await turns.start(message('hi'))).events)
  assert.deepEqual(told, ['call', 'attempt', 'result', 'completed', 'message'])
})

test('a turn that was taken away stops its tools', async (t) => {
  const store = openTestStore(t)
  let aborted = false
  const { promise: started, resolve: start } = Promise.withResolvers<void>()
  const { promise: free, resolve: letGo } = Promise.withResolvers<string>()
  const deaf = tool('deaf', {}, (_, { signal }) => {
    signal.addEventListener('abort', () => (aborted = true))
    start()
    return new Promise(() => {})
  })
  const quick = tool('quick', {}, () => free)
  const { turns, runner } = openHouse(t, {
    store,
    tools: [deaf, quick],
    reply: () => [{ name: 'quick' }, { name: 'deaf' }],
  })
  const { turn, events } = await turns.start(message('hi'))
  await started
  await store.turns.recover(other)
  letGo('late')
  await until(() => runner.running === 0)
  assert.equal(aborted, true)
  events.close()
  assert.equal((await turns.get(ada, turn.id))?.status, 'queued', 'it is not ours any more')
})

test('a turn that comes back at once is known as running, so that it can be stopped', async (t) => {
  const store = openTestStore(t)
  const { script, told } = createHeldReply()
  let runs = 0
  const house = openHouse(t, {
    store,
    reply: () => {
      if (++runs > 1) return script
      return async function* () {
        yield [{ type: 'text', text: 'x' }]
        house.runner.wake()
        throw new AppError('shutting_down', 'for this test')
      }
    },
  })
  const { turn, events } = await house.turns.start(message('hi'))
  await told
  await turnOver()
  assert.equal(house.runner.running, 1)
  assert.equal((await house.turns.cancel(ada, turn.id)).status, 'cancelled')
  assert.deepEqual(await textsOf(store, turn.threadId), ['hi', 'So far'])
  events.close()
})
