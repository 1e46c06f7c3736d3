// Entries of the outbox as they are read, what a try leaves, and ways that are gone or erased.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ada, type Open, rejectsWith } from './harness.ts'
import { topic } from './suite-notifications.ts'

export function outboxTests(open: Open): void {
  test('an entry has all that its news names, and what came of its tries', async (t) => {
    const { store, clock } = await open(t)
    const { notifications } = store
    const way = await notifications.addWay(ada, topic, 9)
    const news = { threadId: 'h', turnId: 't', callId: 'c', missionId: 'm' }
    await notifications.enqueue(ada, { event: 'needs_you', subject: 's', ...news })
    const read = async () => (await notifications.outbox(ada, { limit: 1 })).rows[0]
    const id = (await read())?.id ?? ''
    const at = clock.now
    const entry = { id, userId: ada, wayId: way.id, event: 'needs_you', ...news, createdAt: at, held: false }
    assert.deepEqual(await read(), { ...entry, state: 'due', tries: 0, at })
    await notifications.putOff([id], at + 5, false)
    assert.deepEqual(await read(), { ...entry, state: 'due', tries: 0, at: at + 5 }, 'put off, and not held')
    await notifications.claim([id], 'one')
    await notifications.settle([id], 'one', { state: 'unknown', at: at + 7, error: 'cut off' })
    assert.deepEqual(await read(), { ...entry, state: 'unknown', tries: 1, at: at + 7, error: 'cut off' })
    assert.deepEqual(await notifications.claim([id], 'one'), [id], 'it is sent once more')
    clock.now += 9
    await notifications.settle([id], 'one', { state: 'sent' })
    assert.deepEqual(await read(), { ...entry, state: 'sent', tries: 2, at: at + 9 })
  })

  test('a way that is gone already stays as it was', async (t) => {
    const { store, clock } = await open(t)
    const { notifications } = store
    const { id } = await notifications.addWay(ada, topic, 9)
    await notifications.removeGone(id, 'first')
    clock.now += 5
    await notifications.removeGone(id, 'second')
    await notifications.removeGone('unknown', 'third')
    assert.deepEqual(
      (await notifications.goneWays(ada)).map(({ because, goneAt }) => [because, goneAt]),
      [['first', clock.now - 5]],
    )
  })

  test('ways and entries are counted as they are erased, and quiet hours need a user', async (t) => {
    const { store } = await open(t)
    const { notifications } = store
    const user = await store.accounts.addUser('Cleo', { hash: 'h' })
    await notifications.addWay(user.id, topic, 9)
    for (const subject of ['a', 'b']) await notifications.enqueue(user.id, { event: 'failed', subject })
    assert.deepEqual([await notifications.eraseSome(user.id), await notifications.eraseSome(user.id)], [1 + 2, 0])
    await store.accounts.removeUser('Cleo')
    const quiet = { from: '22:00', to: '07:00', zone: 'UTC' }
    await rejectsWith(notifications.setQuiet(user.id, quiet), 'not_found')
    assert.equal(await notifications.quiet(user.id), undefined)
  })
}
