// Two processes over one PostgreSQL: one sends, and the other when that is gone.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newId } from '#core/ids.ts'
import type { Outcome } from '#reach/way.ts'
import { silentLog } from '#lib/log.ts'
import { createSeal } from '#lib/seal.ts'
import { startSender } from '#reach/sender.ts'
import { createLocalBus } from '#store/bus-local.ts'
import { openPostgresStore } from '#store/open-store.ts'
import { usePostgres } from '../postgres.ts'
import { ada } from '../store/harness.ts'
import { topic } from '../store/ntfy-topic.ts'
import { until } from '../until.ts'

const server = usePostgres()

async function openReplica(t: TestContext, url: string, sent: string[], send: () => Promise<Outcome>) {
  const { store } = await openPostgresStore({ url, seal: createSeal('0'.repeat(64)) })
  t.after(() => store.close())
  const lease = await store.leases.join(newId())
  const ntfy = () =>
    Promise.resolve(async () => {
      sent.push(lease.owner)
      return send()
    })
  const bus = createLocalBus()
  const mask = (text: string): string => text
  const catchUp = () => Promise.resolve()
  const sender = startSender({ store, owner: lease.owner, ways: { ntfy }, bus, mask, catchUp, log: silentLog })
  t.after(() => sender.close())
  return { store, lease, sender }
}

test('one of two processes sends everything once, and the other takes over what it left in mid-send', async (t) => {
  const { url } = await server.emptied()
  const sent: string[] = []
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  const ok = (): Promise<Outcome> => Promise.resolve({ type: 'sent' })
  let answer = ok
  const one = await openReplica(t, url, sent, () => answer())
  const two = await openReplica(t, url, sent, ok)
  const { notifications } = one.store
  for (let each = 0; each < 4; each++) {
    await notifications.addWay(ada, { ...topic, target: `https://x.test/${each}` }, 20)
  }
  const states = async () => (await notifications.outbox(ada, { limit: 99 })).rows.map(({ state }) => state)
  // Before both start: asking whether it has the duty would take it away.
  assert.equal(await one.store.leases.takeDuty('notifications', one.lease.owner, 60_000), true)
  one.sender.start()
  two.sender.start()
  for (let each = 0; each < 3; each++) await notifications.enqueue(ada, { event: 'finished', subject: `a${each}` })
  for (const { sender } of [two, one]) sender.wake()
  await until(async () => (await states()).every((state) => state === 'sent'))
  assert.deepEqual([sent.length, new Set(sent)], [12, new Set([one.lease.owner])])
  // The first process hangs while it sends, and its lease ends.
  answer = async () => {
    await held
    return { type: 'sent' }
  }
  await notifications.enqueue(ada, { event: 'finished', subject: 'b' })
  one.sender.wake()
  await until(() => sent.length === 16)
  await one.store.leases.leave(one.lease)
  two.sender.wake()
  await until(async () => (await states()).every((state) => state === 'sent'))
  assert.deepEqual(sent.slice(16), Array(4).fill(two.lease.owner))
  letGo()
  await one.sender.close()
  const { rows } = await notifications.outbox(ada, { limit: 4 })
  assert.deepEqual(
    rows.map(({ state, tries }) => `${state} ${tries}`),
    Array(4).fill('sent 2'),
  )
})
