// The verbs of notifications: what they refuse, what they store, and whom they tell.
import assert from 'node:assert/strict'
import { createECDH } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import type { AppError } from '#core/errors.ts'
import { answerRequest } from '#reach/notification-request.ts'
import { entryWire, wayWire } from '#reach/notification-wire.ts'
import { createNotifications, type WayInput } from '#reach/notifications.ts'
import type { Outcome } from '#reach/way.ts'
import { openTestStore } from '../agent/bench.ts'
import { ada, bob, rejectsWith } from '../store/harness.ts'

const p256dh = createECDH('prime256v1').generateKeys('base64url')
const auth = Buffer.alloc(16, 1).toString('base64url')
const subscription = { endpoint: 'https://push.test/send/1', keys: { p256dh, auth } }
const topic = { kind: 'ntfy', url: 'https://ntfy.test/topic' }

function open(t: TestContext, outcome: Outcome | (() => Promise<Outcome>) = { type: 'sent' }) {
  const store = openTestStore(t)
  const told: string[] = []
  const sent: string[] = []
  const notifications = createNotifications({
    store,
    bus: {
      signal: (signal) => void told.push(JSON.stringify(signal)),
      publishChange: ({ userId }) => void told.push(userId),
    },
    ways: {
      ntfy: () =>
        Promise.resolve((way, message) => {
          sent.push(`${way.label} ${message.type}`)
          return typeof outcome === 'function' ? outcome() : Promise.resolve(outcome)
        }),
    },
    pushKeys: () => Promise.resolve({ publicKey: 'public', privateKey: 'private' }),
    refusalOf: (url) => (url.includes('inside') ? 'it is private' : undefined),
  })
  return { notifications, store, told, sent }
}

const change = ['{"type":"notifications","what":"ways"}', 'ada']

const refused: readonly (readonly [input: WayInput, param: string])[] = [
  [{ kind: 'fax' }, 'kind'],
  [{ kind: 'telegram' }, 'kind'],
  [{ kind: 'ntfy' }, 'url'],
  [{ kind: 'ntfy', url: 'https://ntfy.test' }, 'url'],
  [{ kind: 'ntfy', url: 'https://ntfy.test/' }, 'url'],
  [{ kind: 'ntfy', url: 'http://inside/x' }, 'url'],
  [{ ...topic, events: ['failed', 'all'] }, 'events'],
  [{ kind: 'push' }, 'subscription.endpoint'],
  [{ kind: 'push', subscription: null }, 'subscription.endpoint'],
  [{ kind: 'push', subscription: { ...subscription, endpoint: 5 } }, 'subscription.endpoint'],
  [{ kind: 'push', subscription: { ...subscription, endpoint: 'https://inside/' } }, 'subscription.endpoint'],
  [{ kind: 'push', subscription: { endpoint: 'https://p.test' } }, 'subscription.keys.p256dh'],
  [{ kind: 'push', subscription: { ...subscription, keys: { p256dh } } }, 'subscription.keys.auth'],
  [{ kind: 'push', subscription: { ...subscription, keys: { p256dh, auth: 7 } } }, 'subscription.keys.auth'],
  [
    { kind: 'push', subscription: { ...subscription, keys: { p256dh, auth: Buffer.alloc(17).toString('base64url') } } },
    'subscription.keys.auth',
  ],
  [{ kind: 'push', subscription: { ...subscription, keys: { p256dh, auth: `${auth}!` } } }, 'subscription.keys.auth'],
  [
    {
      kind: 'push',
      subscription: { ...subscription, keys: { p256dh: Buffer.alloc(65, 4).toString('base64url'), auth } },
    },
    'subscription.keys.p256dh',
  ],
]

test('a way that cannot work is refused by its field, and nothing is stored', async (t) => {
  const { notifications, told } = open(t)
  for (const [input, param] of refused) {
    await assert.rejects(notifications.addWay(ada, input), (error: AppError) => {
      assert.deepEqual([error.code, error.param], ['invalid_input', param], JSON.stringify(input))
      return error.message.startsWith(param)
    })
  }
  assert.deepEqual([(await notifications.view(ada)).ways, told], [[], []])
})

test('a way is stored with its target and a label for people, and everybody is told', async (t) => {
  const { notifications, told } = open(t)
  const ntfy = await notifications.addWay(ada, { kind: 'ntfy', url: ' https://ntfy.test:8080/topic ' })
  assert.deepEqual(
    [ntfy.target, ntfy.label, ntfy.events, ntfy.content],
    ['https://ntfy.test:8080/topic', 'ntfy.test:8080', ['needs_you', 'finished', 'failed'], false],
  )
  const push = await notifications.addWay(ada, {
    kind: 'push',
    subscription: { ...subscription, more: 1 },
    browser: 'b'.repeat(101),
    events: ['failed', 'needs_you'],
    content: true,
  })
  assert.deepEqual(
    [JSON.parse(push.target), push.label, push.events, push.content],
    [subscription, 'b'.repeat(100), ['needs_you', 'failed'], true],
  )
  const other = { ...subscription, endpoint: 'https://push.test/send/2' }
  assert.equal((await notifications.addWay(ada, { kind: 'push', subscription: other, browser: '' })).label, 'A browser')
  assert.deepEqual(told, [...change, ...change, ...change])
  const { ways, gone, quiet, pushKey } = await notifications.view(ada)
  assert.deepEqual([ways.length, gone, quiet, pushKey], [3, [], undefined, 'public'])
  assert.deepEqual((await notifications.view(bob)).ways, [])
})

test('a way takes the place of one with its target, or of the endpoint before, and keeps what was chosen', async (t) => {
  const { notifications } = open(t)
  const add = (input: Partial<WayInput>) => notifications.addWay(ada, { kind: 'push', subscription, ...input })
  const first = await add({ browser: 'Mine', events: ['failed'], content: true })
  await notifications.addWay(ada, topic)
  const kept = (way: typeof first) => [way.label, way.events, way.content]
  assert.deepEqual(kept(await add({})), ['Mine', ['failed'], true])
  assert.deepEqual(kept(await add({ browser: 'Yours', content: false })), ['Yours', ['failed'], false])
  const renewed = { ...subscription, endpoint: 'https://push.test/send/2' }
  const second = await add({ subscription: renewed, replaces: subscription.endpoint, events: [] })
  assert.deepEqual([JSON.parse(second.target), ...kept(second)], [renewed, 'Yours', [], false])
  assert.equal((await notifications.view(ada)).ways.length, 2)
  const third = { ...subscription, endpoint: 'https://push.test/send/3' }
  assert.equal((await add({ subscription: third, replaces: 'https://push.test/other' })).label, 'A browser')
  assert.equal((await notifications.view(ada)).ways.length, 3)
  const other = await notifications.addWay(ada, { ...topic, url: 'https://ntfy.test/other', replaces: topic.url })
  assert.deepEqual([other.target, (await notifications.view(ada)).ways.length], ['https://ntfy.test/other', 4])
})

test('the address of a way is in its JSON, for its own user; a chat has none', () => {
  const way = { id: 'w', userId: ada, label: 'x', events: ['failed'], content: true, createdAt: 0 } as const
  const url = (kind: 'ntfy' | 'push' | 'telegram', target: string) => wayWire({ ...way, kind, target }).url
  assert.equal(url('ntfy', topic.url), topic.url)
  assert.equal(url('push', JSON.stringify(subscription)), subscription.endpoint)
  assert.deepEqual([url('telegram', '7'), url('ntfy', '')], [undefined, undefined])
})

test('twenty ways are enough', async (t) => {
  const { notifications } = open(t)
  const add = (at: number) => notifications.addWay(ada, { kind: 'ntfy', url: `https://ntfy.test/t${at}` })
  for (let at = 0; at < 20; at++) await add(at)
  await assert.rejects(add(20))
  assert.equal((await notifications.view(ada)).ways.length, 20)
})

test('a way is changed in what is given, and removed, by its own user', async (t) => {
  const { notifications, told } = open(t)
  const { id } = await notifications.addWay(ada, topic)
  told.length = 0
  const fewer = await notifications.changeWay(ada, id, { events: [] })
  assert.deepEqual([fewer.events, fewer.content], [[], false])
  const more = await notifications.changeWay(ada, id, { content: true })
  assert.deepEqual([more.events, more.content], [[], true])
  assert.deepEqual(told, [...change, ...change])
  for (const work of [
    () => notifications.changeWay(bob, id, {}),
    () => notifications.removeWay(bob, id),
    () => notifications.test(bob, id),
  ])
    await rejectsWith(work(), 'not_found')
  assert.deepEqual(told, [...change, ...change])
  await notifications.removeWay(ada, id)
  assert.deepEqual(told, [...change, ...change, ...change])
  await rejectsWith(notifications.removeWay(ada, id), 'not_found')
})

test('a test goes out by its way; one that is gone is removed, and the removal is told', async (t) => {
  const { notifications, told, sent } = open(t, { type: 'gone', why: 'it answered 410' })
  const [one, two] = [
    await notifications.addWay(ada, topic),
    await notifications.addWay(ada, { kind: 'push', subscription }),
  ]
  told.length = 0
  assert.deepEqual(await notifications.test(ada, two.id), { type: 'later', why: 'push is not connected' })
  assert.deepEqual(told, [])
  assert.deepEqual(await notifications.test(ada, one.id), { type: 'gone', why: 'it answered 410' })
  assert.deepEqual([sent, told], [['ntfy.test test'], change])
  const { ways, gone } = await notifications.view(ada)
  assert.deepEqual([ways.map(({ id }) => id), gone.map(({ because }) => because)], [[two.id], ['it answered 410']])
})

test('quiet hours take the zone that is given, else the user’s, else the machine’s', async (t) => {
  const { notifications, store, told } = open(t)
  const night = { from: '22:00', to: '7:00' }
  const zone = async () => (await notifications.view(ada)).quiet?.zone
  await notifications.setQuiet(ada, night)
  assert.equal(await zone(), Intl.DateTimeFormat().resolvedOptions().timeZone)
  await store.missions.setZone(ada, 'Asia/Tokyo')
  await notifications.setQuiet(ada, night)
  assert.equal(await zone(), 'Asia/Tokyo')
  await notifications.setQuiet(ada, { ...night, zone: 'UTC' })
  assert.deepEqual((await notifications.view(ada)).quiet, { from: '22:00', to: '07:00', zone: 'UTC' })
  await notifications.setQuiet(ada, null)
  assert.equal(await zone(), undefined)
  assert.deepEqual(told, [...change, ...change, ...change, ...change])
  await rejectsWith(notifications.setQuiet(ada, { ...night, zone: 'Mars' }), 'invalid_input')
})

test('a request of a command is answered as JSON', async (t) => {
  const { notifications } = open(t)
  const answer = (request: Parameters<typeof answerRequest>[2]) => answerRequest(notifications, ada, request)
  const way = (await answer({ do: 'add', way: topic })) as { id: string; label: string; url: string }
  assert.deepEqual([way.label, way.url], ['ntfy.test', topic.url])
  const { ways } = (await answer({ do: 'list' })) as { ways: unknown[] }
  assert.deepEqual(ways, [way])
  assert.deepEqual(await answer({ do: 'test', id: way.id }), [{ outcome: 'sent', way }])
  assert.deepEqual(await answer({ do: 'test' }), [{ outcome: 'sent', way }])
  await rejectsWith(answer({ do: 'test', id: 'other' }), 'not_found')
  const quiet = { from: '22:00', to: '07:00', zone: 'UTC' }
  assert.deepEqual(((await answer({ do: 'quiet', quiet })) as { quiet: unknown }).quiet, quiet)
  assert.equal(((await answer({ do: 'quiet', quiet: null })) as { quiet: unknown }).quiet, null)
  await answer({ do: 'remove', id: way.id })
  assert.deepEqual(await answer({ do: 'test' }), [])
})

test('an entry of the outbox has what it is about, as far as there is something', () => {
  const entry = {
    id: 'e',
    userId: ada,
    wayId: 'w',
    event: 'failed',
    state: 'due',
    tries: 1,
    at: 5,
    createdAt: 0,
  } as const
  const wire = {
    id: 'e',
    user: ada,
    way: 'w',
    event: 'failed',
    state: 'due',
    tries: 1,
    at: '1970-01-01T00:00:00.005Z',
    created_at: '1970-01-01T00:00:00.000Z',
  }
  assert.deepEqual(entryWire(entry as never), wire)
  const more = { ...entry, threadId: 't', missionId: 'm', error: 'no', turnId: 'u', callId: 'c' }
  assert.deepEqual(entryWire(more as never), { ...wire, thread_id: 't', mission_id: 'm', error: 'no' })
})
