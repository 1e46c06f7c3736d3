// The Telegram way: what a message becomes, and what the Bot API's answers mean.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operator } from '#core/ids.ts'
import type { Gate } from '#core/item.ts'
import { newsEvents, type NotificationWay } from '#core/notification.ts'
import type { Message, News, Outcome } from '#reach/way.ts'
import { type BotAnswer, createTelegramWay } from '#reach/ways/telegram.ts'

const way: NotificationWay = {
  id: 'w',
  userId: operator,
  kind: 'telegram',
  events: newsEvents,
  content: false,
  target: '7',
  label: 'Telegram',
  createdAt: 0,
}
const gate: Gate = { type: 'gate', callId: 'c1', kind: 'approval', name: 'write', args: '{}', prompt: 'May I?' }
const news: News = { event: 'needs_you', title: 'Milk', threadId: 't1', turnId: 'u1', waitsFor: 'approval' }
const signal = new AbortController().signal

type SendParts = { answer?: BotAnswer; paired?: boolean; page?: string | null }

async function sendBy(
  message: Message,
  { answer = { type: 'ok' }, paired = true, page = 'https://atrium.example' }: SendParts = {},
) {
  const sent: string[] = []
  const asked: string[] = []
  const send = createTelegramWay({
    page: () => page ?? undefined,
    isPaired: () => Promise.resolve(paired),
    ask: (user, chat, { threadId, callId }) => {
      asked.push(`${user} ${chat} ${threadId} ${callId}`)
      return Promise.resolve()
    },
    send: (chat, text) => Promise.resolve((sent.push(`${chat}: ${text}`), answer)),
  })
  return { outcome: await send(way, message, signal), sent, asked }
}

test('a gate comes as a link, or with its question and buttons where the way may show content', async () => {
  const link = await sendBy({ type: 'news', news })
  assert.deepEqual(link.sent, ['7: Atrium needs your approval\nMilk\n\nhttps://atrium.example/threads/t1'])
  assert.deepEqual(link.asked, [])
  const shown = await sendBy({ type: 'news', news: { ...news, content: { text: 'May I?', gate } } })
  assert.deepEqual([shown.sent, shown.asked, shown.outcome], [[], ['operator 7 t1 c1'], { type: 'sent' }])
})

test('a test has no link, and news has none where the address of the page is not known', async () => {
  assert.deepEqual((await sendBy({ type: 'test' })).sent, ['7: Atrium\nA test message: this way works.'])
  const bare = await sendBy({ type: 'news', news }, { page: null })
  assert.deepEqual(bare.sent, ['7: Atrium needs your approval\nMilk'])
})

test('a long text is cut for its link', async () => {
  const { sent } = await sendBy({ type: 'news', news: { ...news, title: 'x'.repeat(5_000) } })
  assert.equal((sent[0]?.length ?? 0) - '7: '.length, 4_096)
  assert.match(sent[0] ?? '', /\n\nhttps:\/\/atrium\.example\/threads\/t1$/)
})

test('a chat that another user has now is gone, and gets nothing', async () => {
  const { outcome, sent } = await sendBy({ type: 'test' }, { paired: false })
  assert.deepEqual([outcome.type, sent], ['gone', []])
})

const refused = (code: number, description: string, retryAfterMs?: number): BotAnswer => {
  return { type: 'refused', code, description, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}
const cases: readonly (readonly [answer: BotAnswer, outcome: Outcome])[] = [
  [{ type: 'ok' }, { type: 'sent' }],
  [refused(403, 'Forbidden: bot was blocked by the user'), { type: 'gone', why: 'the bot was blocked' }],
  [refused(400, 'Bad Request: chat not found'), { type: 'gone', why: 'the chat does not exist any more' }],
  [refused(429, 'Too Many Requests', 3_000), { type: 'later', why: 'Too Many Requests', retryAfterMs: 3_000 }],
  [refused(401, 'Unauthorized'), { type: 'later', why: 'Unauthorized' }],
  [refused(500, 'Internal'), { type: 'later', why: 'Internal' }],
  [refused(502, 'Bad Gateway'), { type: 'later', why: 'Bad Gateway' }],
  [refused(400, 'Bad Request: message is too long'), { type: 'refused', why: 'Bad Request: message is too long' }],
  [
    { type: 'unreachable', why: 'no', sent: false },
    { type: 'later', why: 'no' },
  ],
  [
    { type: 'unreachable', why: 'cut', sent: true },
    { type: 'unknown', why: 'cut' },
  ],
]

for (const [answer, outcome] of cases) {
  test(`an answer of the Bot API: ${JSON.stringify(answer)}`, async () =>
    assert.deepEqual((await sendBy({ type: 'test' }, { answer })).outcome, outcome))
}
