// Removing a user: what runs ends, and nothing of theirs is left.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type UserId, userId } from '#core/ids.ts'
import type { Log } from '#lib/log.ts'
import { createTurns } from '#turns/turns.ts'
import { type RemovalParts, removeUser, watchRemovals } from '#turns/user-removal.ts'
import { openTestStore } from '../agent/bench.ts'
import { fake } from '../fake.ts'
import { document } from '../store/suite-documents.ts'
import { eventsOf, createHeldReply, message, openHouse, restOf, until } from './house.ts'
import { createJobClock } from './job-clock.ts'

const nothing = { threads: 0, turns: 0, items: 0, documents: 0, grants: 0, secrets: 0, skills: 0, files: 0 }

test('what runs for a removed user stops, its streams end, and all of it is erased', async (t) => {
  const { script, told } = createHeldReply()
  const { turns, threads, store, runner, bus } = openHouse(t, { reply: (text) => (text === 'talk' ? script : ['ok']) })
  const stops: unknown[] = []
  bus.onSignal((signal) => signal.type === 'stop' && stops.push(signal))
  const { id: user } = await store.accounts.addUser('cleo', { hash: 'h1' })
  const done = await turns.start(message('hi', { user }))
  await eventsOf(done.events)
  const running = await turns.start(message('talk', { user }))
  const queued = await turns.start(message('next', { user, threadId: running.turn.threadId }))
  await told
  const others = await turns.start(message('mine'))
  await eventsOf(others.events)
  for (const each of [user, others.turn.userId])
    await store.documents.put(each, [document('a', 'x'), document('b', 'x')])
  assert.deepEqual(await turns.removeUser('cleo'), { ...nothing, threads: 2, turns: 3, items: 3, documents: 2 })
  assert.equal(await store.documents.get(user, 'a'), undefined)
  assert.equal((await store.documents.get(others.turn.userId, 'a'))?.content, 'x')
  const stop = { type: 'stop', code: 'turn_cancelled', message: 'cancelled' }
  assert.deepEqual(
    new Set(stops),
    new Set([running, queued].map(({ turn }) => ({ ...stop, turnId: turn.id }))),
    'every process is told',
  )
  assert.equal(restOf(await eventsOf(running.events)), 'cancelled')
  assert.equal(restOf(await eventsOf(queued.events)), 'cancelled')
  await until(() => runner.running === 0)
  assert.deepEqual((await turns.list(user, { limit: 9 })).rows, [])
  assert.deepEqual((await threads.list(user, { limit: 9 })).rows, [])
  assert.equal(await store.accounts.findByToken('h1', 0), undefined)
  assert.deepEqual(await store.accounts.listUsers(), [])
  assert.equal((await turns.get(others.turn.userId, others.turn.id))?.status, 'completed', 'of others nothing is gone')
})

test('everything is erased to its end, batch by batch: the way in first, the account last', async () => {
  const order: string[] = []
  const left = { missions: 2, notifications: 2, threads: 2, documents: 2, skills: 2 }
  const done = <T>(what: string, answer: T): Promise<T> => {
    order.push(what)
    return Promise.resolve(answer)
  }
  const some = (what: keyof typeof left) => (): Promise<number> => done(what, left[what]-- > 0 ? 1 : 0)
  const store = fake<RemovalParts['store']>({
    accounts: {
      shutOut: () => done('tokens', { id: userId('u'), name: 'cleo', createdAt: 0 }),
      removeUser: () => done('account', { grants: 4, secrets: 5 }),
    },
    missions: { eraseSome: some('missions') },
    notifications: { eraseSome: some('notifications') },
    channels: { eraseUser: () => Promise.resolve() },
    threads: {
      eraseSome: async () => {
        const erased = { threads: await some('threads')(), turns: 2, items: 3 }
        return { erased, threadIds: erased.threads > 0 ? ['t'] : [], unfinished: [], more: erased.threads > 0 }
      },
    },
    threadIndex: { erase: () => done('words', false) },
    documents: { eraseSome: some('documents') },
    skills: { eraseSome: some('skills') },
  })
  const eraseFiles = (): Promise<number> => done('files', 6)
  const erased = await removeUser({ store, eraseFiles }, 'cleo')
  const all = { threads: 2, turns: 6, items: 9, documents: 2, grants: 4, secrets: 5, skills: 2, files: 6 }
  assert.deepEqual(erased, all)
  const thrice = (what: string): string[] => [what, what, what]
  const threads = ['threads', 'words', 'threads', 'words', 'threads']
  const [before, after] = [['missions', 'notifications'].flatMap(thrice), ['documents', 'skills'].flatMap(thrice)]
  assert.deepEqual(order, ['tokens', ...before, ...threads, ...after, 'files', 'account'])
})

test('nobody is removed under a name that nobody has', async (t) => {
  const { turns } = openHouse(t)
  assert.equal(await turns.removeUser('cleo'), undefined)
})

test('a removal that was cut off is finished by the next one', async (t) => {
  const store = openTestStore(t)
  const { turns } = openHouse(t, { store })
  const { id: user } = await store.accounts.addUser('cleo', { hash: 'h1' })
  for (const text of ['one', 'two']) await eventsOf((await turns.start(message(text, { user }))).events)
  const cutOff = { ...store, threads: { ...store.threads, eraseSome: () => Promise.reject(new Error('cut off')) } }
  await assert.rejects(removeUser({ store: cutOff }, 'cleo'), /cut off/)
  assert.equal(await store.accounts.findByToken('h1', 0), undefined, 'nobody comes in meanwhile')
  assert.deepEqual(await removeUser({ store }, 'cleo'), { ...nothing, threads: 2, turns: 2, items: 4 })
})

/** Looks after removals by a clock that goes on when a job is done. */
function watch(parts: RemovalParts, isOurs: () => boolean = () => true) {
  const { clock, ...rest } = createJobClock()
  const errors: string[] = []
  const stop = watchRemovals({
    ...parts,
    store: { ...parts.store, leases: { takeDuty: () => Promise.resolve(isOurs()) } },
    lease: { owner: 'one' },
    clock,
    log: fake<Log>({ error: (_: object, message: string) => void errors.push(message) }),
  })
  return { ...rest, stop, errors }
}

test('a removal that was cut off goes on by itself, and what is stored late goes too, for an hour', async (t) => {
  const store = openTestStore(t, () => 0)
  const { turns } = openHouse(t, { store })
  const { id: user } = await store.accounts.addUser('cleo', { hash: 'h1' })
  await eventsOf((await turns.start(message('one', { user }))).events)
  const cutOff = { ...store, threads: { ...store.threads, eraseSome: () => Promise.reject(new Error('cut off')) } }
  await assert.rejects(removeUser({ store: cutOff }, 'cleo'), /cut off/)
  const left = async (): Promise<number[]> => [
    (await store.accounts.listUsers()).length,
    (await store.threads.list(user, { limit: 9 })).rows.length,
    (await store.accounts.removals()).length,
  ]
  assert.deepEqual(await left(), [1, 1, 1])
  const { look } = watch({ store })
  await look()
  assert.deepEqual(await left(), [0, 0, 1])
  await eventsOf((await turns.start(message('late', { user }))).events)
  assert.deepEqual(await left(), [0, 1, 1])
  for (let looks = 1; looks < 6; looks++) await look()
  assert.deepEqual(await left(), [0, 0, 1])
  await look()
  assert.deepEqual(await left(), [0, 0, 0])
})

test('of several processes one goes on with removals, and another seconds after that one is gone', async (t) => {
  const store = openTestStore(t)
  await store.accounts.addUser('ann', { hash: 'h1' })
  await store.accounts.shutOut('ann')
  let ours = false
  const { look, now } = watch({ store }, () => ours)
  await look()
  assert.equal((await store.accounts.listUsers()).length, 1)
  ours = true
  const before = now()
  await look()
  assert.equal((await store.accounts.listUsers()).length, 0)
  assert.equal(now() - before, 15_000)
})

test('a removal that fails is told and tried again, keeps no other one back, and ends with the service', async (t) => {
  const store = openTestStore(t, () => 0)
  const { id } = await store.accounts.addUser('ann', { hash: 'h1' })
  await store.accounts.addUser('eve', { hash: 'h2' })
  for (const name of ['ann', 'eve']) await store.accounts.shutOut(name)
  const eraseFiles = (user: UserId): Promise<number> =>
    user === id ? Promise.reject(new Error('the disk is read-only')) : Promise.resolve(0)
  const { look, stop, jobs, errors } = watch({ store, eraseFiles })
  await look()
  assert.deepEqual(
    (await store.accounts.listUsers()).map(({ name }) => name),
    ['ann'],
  )
  assert.deepEqual(errors, ['could not erase all of a removed user: it is tried again'])
  const last = look()
  stop()
  await last
  assert.deepEqual([jobs.length, errors.length], [0, 1])
})

test('removals beyond the first list are found, though all of the first fail', async (t) => {
  const store = openTestStore(t, () => 0)
  for (const name of ['ann', 'eve']) {
    await store.accounts.addUser(name, { hash: name })
    await store.accounts.shutOut(name)
  }
  const [first] = await store.accounts.removals()
  const removals = async (after?: UserId) => (await store.accounts.removals(after)).slice(0, 1)
  const eraseFiles = (user: UserId): Promise<number> =>
    user === first?.user ? Promise.reject(new Error('the disk is read-only')) : Promise.resolve(0)
  await watch({ store: { ...store, accounts: { ...store.accounts, removals } }, eraseFiles }).look()
  assert.deepEqual(
    (await store.accounts.listUsers()).map(({ id }) => id),
    [first?.user],
  )
})

test('every process is told who was removed, and the files of the user here are erased', async (t) => {
  const store = openTestStore(t)
  const { bus, runner } = openHouse(t, { store })
  const { id: user } = await store.accounts.addUser('cleo', { hash: 'h1' })
  const heard: unknown[] = []
  bus.onSignal((signal) => heard.push(signal))
  const eraseFiles = (of: typeof user): Promise<number> => Promise.resolve(of === user ? 3 : 0)
  const changes = bus.subscribeChanges(user)
  const turns = createTurns({ store, bus, runner, eraseFiles })
  assert.deepEqual(await turns.removeUser('cleo'), { ...nothing, files: 3 })
  assert.deepEqual(heard, [{ type: 'removed', user }])
  for await (const batch of changes) {
    assert.deepEqual(batch, [{}], 'its connections are told to look whether they are still allowed')
    changes.close()
  }
})
