// What a message may be, and what of it is stored without secrets.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textMessage } from '#core/item.ts'
import { eventOrigin } from '#core/origins.ts'
import { checkMessage, masked } from '#turns/message.ts'
import { ada } from '../store/harness.ts'
import { eventsOf, message, openHouse } from './house.ts'

const messages: readonly [what: string, text: string, code: string | undefined][] = [
  ['words', 'hi', undefined],
  ['exactly the most', 'x'.repeat(1_048_576), undefined],
  ['one byte too many', `${'x'.repeat(1_048_575)}ä`, 'too_large'],
  ['nothing', '', 'invalid_input'],
  ['white space', ' \n\t', 'invalid_input'],
  ['a NUL', 'a\0b', 'invalid_input'],
]
for (const [what, text, code] of messages) {
  test(`a message of ${what} is ${code ?? 'taken'}`, () => {
    if (code) assert.throws(() => checkMessage(text), { code })
    else checkMessage(text)
  })
}

test("what a caller's function gave is stored and asked about without secrets; what a person wrote stays", async (t) => {
  const { turns, store, asked } = openHouse(t, {
    mask: (text, user) => (user === ada ? text.replaceAll('the-secret', '***') : text),
    reply: (_, { items }) => (items.at(-1)?.type === 'message' ? [{ name: 'look' }] : ['done']),
  })
  const look = { name: 'look', description: '', parameters: {} }
  const first = await turns.start(message('my the-secret', { options: { tools: [look] } }))
  await eventsOf(first.events)
  const { threadId } = first.turn
  const call = (await turns.entries(ada, first.turn)).flatMap(({ item }) => (item.type === 'call' ? [item.callId] : []))
  const callId = call[0] ?? ''
  const output = { type: 'answer', callId, decision: 'output', output: 'found the-secret', by: 'ada' } as const
  const seeded = { type: 'result', callId: 'x', output: 'had the-secret', origin: 'look' } as const
  await eventsOf((await turns.start({ ...message(''), threadId, resumes: callId, input: [output] })).events)
  await eventsOf((await turns.start({ ...message('more'), input: [...message('more').input, seeded] })).events)
  const stored = JSON.stringify(await store.threads.entries(ada, threadId, { after: 0, limit: 100 }))
  assert.deepEqual([/my the-secret/.test(stored), /found \*\*\*/.test(stored)], [true, true])
  assert.ok(!/(?:found|had) the-secret/.test(JSON.stringify(asked)))
})

test('what a file or an event holds is kept without secrets, the words beside it as they were written', async () => {
  const mask = (text: string): string => text.replaceAll('the-secret', '***')
  const own = { type: 'text', text: 'the-secret of mine' } as const
  const event = { type: 'text', text: 'opened: the-secret', origin: eventOrigin } as const
  const file = { type: 'file', name: 'a.env', text: 'KEY=the-secret' } as const
  const last = { type: 'framing', text: 'it read the-secret', origin: 'page' } as const
  const kept = await masked({ ...textMessage('user', ''), content: [own, event, file, last] }, mask)
  assert.deepEqual(kept, {
    ...textMessage('user', ''),
    content: [own, { ...event, text: 'opened: ***' }, { ...file, text: 'KEY=***' }, { ...last, text: 'it read ***' }],
  })
})
