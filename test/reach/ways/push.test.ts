// Web Push against a push service that decrypts what it gets.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NotificationWay } from '#core/notification.ts'
import { createDial } from '#net/dial.ts'
import { createPost } from '#net/post.ts'
import { createPushKeys } from '#reach/push-keys.ts'
import type { Message } from '#reach/way.ts'
import { createPush } from '#reach/ways/push.ts'
import { openTestStore } from '../../agent/bench.ts'
import { ada } from '../../store/harness.ts'
import { topic } from '../../store/ntfy-topic.ts'
import { openPushService } from '../push-service.ts'

const news = { event: 'needs_you', title: 'Urlaub in Zürich', threadId: 'h1', waitsFor: 'approval' } as const
const dial = createDial({ lookup: () => Promise.resolve([]) })

test('a message reaches the browser encrypted, signed with keys that stay, and without content', async (t) => {
  const service = await openPushService()
  t.after(() => service.close())
  const store = openTestStore(t).notifications
  const keys = createPushKeys(store)
  assert.deepEqual(await createPushKeys(store)(), await keys(), 'they are made once')
  const post = createPost({ dial, privateHosts: [service.host] })
  const send = createPush({ post, keys, contact: () => 'mailto:a@example.com' })
  const target = JSON.stringify(service.subscription)
  const way: NotificationWay = { ...topic, kind: 'push', id: 'w', userId: ada, createdAt: 0, target }
  const say = (message: Message) => send(way, message, AbortSignal.timeout(60_000))
  assert.deepEqual(await say({ type: 'news', news }), { type: 'sent' })
  const [first] = service.pushed
  assert.deepEqual(first?.payload, {
    title: 'Atrium needs your approval',
    body: 'Urlaub in Zürich',
    path: '/threads/h1',
    tag: '/threads/h1',
  })
  const { ttl, urgency, 'content-encoding': encoding } = first?.headers ?? {}
  assert.deepEqual([ttl, urgency, encoding], ['86400', 'high', 'aes128gcm'])
  const long = { ...news, title: 'é'.repeat(200), content: { text: '漢'.repeat(5_000) } }
  assert.deepEqual(await say({ type: 'news', news: long }), { type: 'sent' })
  assert.ok((service.pushed[1]?.bytes ?? 0) <= 4_096, `${service.pushed[1]?.bytes} bytes`)
  assert.equal(Reflect.get(service.pushed[1]?.payload ?? {}, 'body'), `${long.title}\n\n${'漢'.repeat(598)}`)
  const summary = { type: 'summary', counts: { needs_you: 2 } } as const
  for (const [message, path, tag] of [
    [{ type: 'test' }, '/', 'test'],
    [summary, '/waiting', 'summary'],
    [{ type: 'news', news: { ...news, event: 'finished' } }, '/threads/h1', '/threads/h1'],
  ] as const) {
    await say(message)
    const { payload, headers } = service.pushed.at(-1) ?? {}
    assert.deepEqual([Reflect.get(payload ?? {}, 'path'), Reflect.get(payload ?? {}, 'tag')], [path, tag])
    assert.equal(headers?.['urgency'], 'normal')
  }
  service.answers.push(410, 404, 429, 413)
  for (const type of ['gone', 'gone', 'later', 'refused']) assert.equal((await say({ type: 'test' })).type, type)
})

test('an endpoint at a private address is not called', async (t) => {
  const service = await openPushService()
  t.after(() => service.close())
  const keys = createPushKeys(openTestStore(t).notifications)
  const send = createPush({ post: createPost({ dial, privateHosts: [] }), keys, contact: () => 'mailto:a@example.com' })
  const target = JSON.stringify(service.subscription)
  const way: NotificationWay = { ...topic, kind: 'push', id: 'w', userId: ada, createdAt: 0, target }
  assert.equal((await send(way, { type: 'test' }, AbortSignal.timeout(60_000))).type, 'refused')
  assert.deepEqual(service.pushed, [])
})
