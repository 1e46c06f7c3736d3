// A message that is said again in a variant of its thread, and forks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, gateway, ok, refusal, serveAll } from './page.ts'
import type { MessageItem } from '#doors/web/wire/thread.ts'
import { go } from '../../../web/router.ts'
import type { Conversation } from '../../../web/store/conversation.ts'
import { forkBehind, resend } from '../../../web/store/variants.ts'

const content: MessageItem['content'] = [
  { type: 'text', text: 'own words' },
  { type: 'text', text: 'from outside', origin: 'https://a' },
  { type: 'file', name: 'n.txt', text: 'né' },
  { type: 'image', url: 'data:image/png;base64,AAAA' },
  { type: 'image', url: 'https://elsewhere/x.png' },
]

test('a message is said again in a variant of its thread, with its files', async (t) => {
  serveAll(t)
  go('/threads/old')
  gateway.on('POST /api/chat/send', ok({ thread_id: 'variant', turn_id: 't' }))
  const message = { type: 'message', role: 'user', seq: 7, content } as MessageItem
  await resend('old', message, 'other words')
  assert.equal(address.pathname, '/threads/variant')
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const body = {
    message: 'other words',
    thread_id: 'old',
    before_seq: 7,
    attachments: [
      { name: 'https://a', media_type: 'text/plain', data: base64('from outside') },
      { name: 'n.txt', media_type: 'text/plain', data: base64('né') },
      { name: 'picture-3', media_type: 'image/png', data: 'AAAA' },
    ],
  }
  assert.deepEqual(gateway.bodies('POST /api/chat/send'), [body])
  await resend('old', { ...message, content: [] }, 'x', null)
  assert.deepEqual(gateway.bodies('POST /api/chat/send')[1], {
    message: 'x',
    thread_id: 'old',
    before_seq: 7,
    model: null,
  })
  gateway.on('POST /api/chat/send', refusal(409, 'busy', 'not now'))
  await assert.rejects(resend('old', message, 'x'), { code: 'busy' })
})

test('a fork on purpose goes on behind a turn: before the next message, or at the end', async (t) => {
  serveAll(t)
  const views = [
    { key: 'a', message: { seq: 1 } },
    { key: 'b', message: { seq: 5 } },
  ]
  const conversation = { id: 'old', turns: { peek: () => views }, lastSeq: () => 9 } as unknown as Conversation
  gateway.on('POST /api/threads/old/fork', ok({ id: 'fork' }))
  await forkBehind(conversation, 'a')
  await forkBehind(conversation, 'b')
  assert.deepEqual(gateway.bodies('POST /api/threads/old/fork'), [{ before_seq: 5 }, { before_seq: 10 }])
  assert.equal(address.pathname, '/threads/fork')
})
