// Questions of gates in a chat: until when their buttons work, and one that the chat does not take.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GateButton, GateQuestion, Post } from '#core/channel.ts'
import { operator } from '#core/ids.ts'
import type { OpenGate } from '#core/turn-store.ts'
import type { Channel, Content } from '#doors/channel/channel.ts'
import { addGateQuestion, type GatePostParts, tellGate } from '#doors/channel/gate-posts.ts'
import { gateEndsAt } from '#turns/gate-answers.ts'

const gate = { channel: 'telegram', chat: '7', user: operator, threadId: 't', turnId: 'u', callId: 'c' } as const
const post: Post = { ...gate, id: 'p', kind: 'gate', text: 'Run it?', messages: [] }
const buttons = (['allow', 'deny'] as const).map(
  (decision): GateButton => ({ ...gate, id: decision, decision, endsAt: 9 }),
)

test('a question that the chat refuses is named with a link, and can only be denied', async () => {
  const shown: Content[] = []
  const looks = [[{ gate: { callId: 'c' } }], []]
  const channel = {
    maxChars: 4_096,
    editGapMs: 0,
    send: () => Promise.resolve({ type: 'sent', message: '1' }),
    edit(_chat: string, _message: string, content: Content) {
      shown.push(content)
      return Promise.resolve(shown.length === 1 ? { type: 'refused', why: 'text is empty' } : { type: 'done' })
    },
  } as unknown as Channel
  const parts = {
    channel,
    store: { setMessages: () => Promise.resolve() },
    check: () => {},
    wait: () => Promise.resolve(),
    channels: { buttonsOf: () => Promise.resolve(buttons) },
    gates: { inThread: () => Promise.resolve(looks.shift() ?? []), answerTo: () => Promise.resolve(undefined) },
    turns: { changes: () => ({ close() {} }) },
    linkOf: (threadId: string) => `https://atrium.example/threads/${threadId}`,
  } as unknown as GatePostParts
  assert.deepEqual(await tellGate(post, parts, new AbortController().signal), { type: 'done' })
  const text = 'Something needs your answer and cannot be shown here. See it here: https://atrium.example/threads/t'
  assert.deepEqual(shown.slice(1), [
    { type: 'plain', text, buttons: [{ label: 'Deny', data: 'deny' }] },
    { type: 'plain', text: `${text}\n\nNothing was allowed: it was stopped.` },
  ])
})

test('the buttons of a form that a server holds open end with it', async () => {
  const asked: GateQuestion[] = []
  const parts = {
    store: { addQuestion: (question: GateQuestion) => Promise.resolve(asked.push(question) > 0) },
    linkOf: () => undefined,
    mask: (text: string) => text,
  }
  const form = { type: 'gate', callId: 'c', kind: 'input', name: 'book', args: '{}' } as const
  const at = 1_000
  for (const gate of [{ ...form, held: true } as const, form]) {
    await addGateQuestion(parts, post, { turn: { id: 'u', threadId: 't' }, gate, at } as OpenGate)
  }
  assert.deepEqual(
    asked.map(({ endsAt }) => endsAt),
    [gateEndsAt({ held: true }, at), gateEndsAt({}, at)],
  )
})
