// Routes of notifications: each user's own ways, quiet hours and outbox, with faults that name the field.
import assert from 'node:assert/strict'
import { createECDH } from 'node:crypto'
import { test } from 'node:test'
import { operator } from '#core/ids.ts'
import { newsEvents } from '#core/notification.ts'
import { openHouse } from './house.ts'

const keys = {
  p256dh: createECDH('prime256v1').generateKeys('base64url'),
  auth: Buffer.alloc(16, 1).toString('base64url'),
}
const subscription = { endpoint: 'https://push.test/send/1', keys }

test('ways are added, changed, tested and removed, by their own user alone', async (t) => {
  const { call, addUser, store } = await openHouse(t)
  const [ada, bob] = [await addUser('ada'), await addUser('bob')]
  const as = (token: string) => (method: string, path: string, body?: unknown) =>
    call(method, `/api/notifications${path}`, { token, body })
  const [asAda, asBob] = [as(ada), as(bob)]
  const empty = (await asAda('GET', '')).json
  assert.deepEqual({ ...empty, push_key: '' }, { ways: [], removed: [], quiet: null, push_key: '' })
  assert.equal(Buffer.from(empty.push_key, 'base64url').length, 65)
  const added = await asAda('POST', '/ways', { kind: 'ntfy', url: 'https://ntfy.test/topic' })
  assert.equal(added.status, 201)
  const { id, created_at: _, ...way } = added.json
  assert.deepEqual(way, {
    kind: 'ntfy',
    events: newsEvents,
    content: false,
    label: 'ntfy.test',
    url: 'https://ntfy.test/topic',
  })
  const push = await asAda('POST', '/ways', { kind: 'push', subscription, events: ['failed'], label: 'Firefox' })
  assert.deepEqual([push.json.label, push.json.url, push.json.events], ['Firefox', subscription.endpoint, ['failed']])
  assert.equal(JSON.stringify(push.json).includes(keys.auth), false, 'the secret of the browser stays here')
  assert.deepEqual((await asBob('GET', '')).json.ways, [])
  assert.equal((await asBob('PATCH', `/ways/${id}`, { content: true })).status, 404)
  assert.equal((await asBob('POST', `/ways/${id}/test`)).status, 404)
  assert.equal((await asBob('DELETE', `/ways/${id}`)).status, 404)
  const changed = await asAda('PATCH', `/ways/${id}`, { events: ['finished', 'needs_you'], content: true })
  assert.deepEqual([changed.json.events, changed.json.content], [['needs_you', 'finished'], true])
  assert.deepEqual((await asAda('POST', `/ways/${id}/test`)).json, { outcome: 'sent' })
  const user = (await store.notifications.usersWithWays())[0]
  assert.ok(user)
  await store.notifications.enqueue(user, { event: 'finished', subject: 'x', threadId: 't1' })
  const { outbox, next_cursor: next } = (await asAda('GET', '/outbox')).json
  const [{ user: owner, way: wayId, event, state, tries, thread_id: threadId }] = outbox
  assert.deepEqual([owner, wayId, event, state, tries, threadId, next], [user, id, 'finished', 'due', 0, 't1', null])
  assert.deepEqual((await asBob('GET', '/outbox')).json, { outbox: [], next_cursor: null })
  assert.equal((await asAda('DELETE', `/ways/${id}`)).status, 204)
  assert.equal((await asAda('GET', '')).json.ways.length, 1)
})

test('a browser that gets another address keeps what was chosen for it, and what is due', async (t) => {
  const { call, store } = await openHouse(t)
  const add = async (body: object) =>
    (await call('POST', '/api/notifications/ways', { body: { kind: 'push', ...body } })).json
  const first = await add({ subscription, events: ['failed'], content: true, label: 'Firefox' })
  await store.notifications.enqueue(operator, { event: 'failed', subject: 'x' })
  const renewed = { endpoint: 'https://push.test/send/2', keys }
  const second = await add({ subscription: renewed, replaces: subscription.endpoint })
  const choices = ({ url, events, content, label }: Record<string, unknown>) => [url, events, content, label]
  assert.deepEqual(choices(second), [renewed.endpoint, ['failed'], true, 'Firefox'])
  const { ways } = (await call('GET', '/api/notifications')).json
  assert.deepEqual(ways, [second])
  const { outbox } = (await call('GET', '/api/notifications/outbox')).json
  assert.deepEqual(
    outbox.map(({ way, state }: Record<string, unknown>) => [way, state]),
    [[second.id, 'due']],
  )
  assert.notEqual(first.id, second.id)
  const again = await add({ subscription: renewed, content: false })
  assert.deepEqual(choices(again), [renewed.endpoint, ['failed'], false, 'Firefox'])
  const other = await add({
    subscription: { ...renewed, endpoint: 'https://push.test/send/3' },
    replaces: 'https://x/',
  })
  assert.deepEqual(other.events, newsEvents)
})

test('a test of a way that is gone removes it, and the page is told', async (t) => {
  const ntfy = () => Promise.resolve({ type: 'gone', why: 'the ntfy server answered 410' } as const)
  const { call } = await openHouse(t, { ntfy })
  const way = (await call('POST', '/api/notifications/ways', { body: { kind: 'ntfy', url: 'https://n.test/x' } })).json
  const tested = await call('POST', `/api/notifications/ways/${way.id}/test`)
  assert.deepEqual(tested.json, { outcome: 'gone', error: 'the ntfy server answered 410' })
  const { ways, removed } = (await call('GET', '/api/notifications')).json
  assert.deepEqual([ways, removed[0].label, removed[0].because], [[], 'n.test', 'the ntfy server answered 410'])
  assert.equal((await call('DELETE', `/api/notifications/ways/${way.id}`)).status, 204)
  assert.deepEqual((await call('GET', '/api/notifications')).json.removed, [])
})

test('quiet hours are set, take the zone of the user and are switched off', async (t) => {
  const { call } = await openHouse(t)
  const set = (quiet: unknown) => call('PATCH', '/api/notifications', { body: { quiet } })
  await call('PATCH', '/api/me', { body: { zone: 'Asia/Tokyo' } })
  const night = { from: '22:00', to: '07:00' }
  assert.deepEqual((await set(night)).json.quiet, { ...night, zone: 'Asia/Tokyo' })
  assert.deepEqual((await set({ ...night, zone: 'UTC' })).json.quiet, { ...night, zone: 'UTC' })
  assert.equal((await set(null)).json.quiet, null)
})

test('a fault names its field', async (t) => {
  const { call } = await openHouse(t)
  const ntfy = { kind: 'ntfy', url: 'https://ntfy.test/topic' }
  for (const [method, path, body, param] of [
    ['POST', '/ways', {}, 'kind'],
    ['POST', '/ways', { kind: 'fax' }, 'kind'],
    ['POST', '/ways', { kind: 'telegram' }, 'kind'],
    ['POST', '/ways', { kind: 'ntfy' }, 'url'],
    ['POST', '/ways', { kind: 'ntfy', url: 'http://192.168.1.1/x' }, 'url'],
    ['POST', '/ways', { ...ntfy, url: 5 }, 'url'],
    ['POST', '/ways', { ...ntfy, events: ['all'] }, 'events'],
    ['POST', '/ways', { ...ntfy, events: 'all' }, 'events'],
    ['POST', '/ways', { ...ntfy, content: 'yes' }, 'content'],
    ['POST', '/ways', { kind: 'push' }, 'subscription.endpoint'],
    ['POST', '/ways', { kind: 'push', subscription: { endpoint: 'https://p.test' } }, 'subscription.keys'],
    [
      'POST',
      '/ways',
      { kind: 'push', subscription: { ...subscription, endpoint: 'http://[::1]/x' } },
      'subscription.endpoint',
    ],
    [
      'POST',
      '/ways',
      { kind: 'push', subscription: { ...subscription, keys: { ...keys, auth: 'x' } } },
      'subscription.keys.auth',
    ],
    [
      'POST',
      '/ways',
      {
        kind: 'push',
        subscription: { ...subscription, keys: { ...keys, p256dh: Buffer.alloc(65, 4).toString('base64url') } },
      },
      'subscription.keys.p256dh',
    ],
    ['PATCH', '', {}, 'quiet'],
    ['PATCH', '', { quiet: { from: '25:00', to: '07:00' } }, 'quiet.from'],
    ['PATCH', '', { quiet: { from: '22:00', to: '07:00', zone: 'Mars' } }, 'quiet.zone'],
  ] as const) {
    const { status, json } = await call(method, `/api/notifications${path}`, { body })
    assert.deepEqual([status, json.error.param], [400, param], JSON.stringify(body))
    assert.ok(json.error.message.startsWith(param), json.error.message)
  }
})
