// Approvals in a chat: what will happen, buttons that work once, and what was decided in their place.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operator, userId } from '#core/ids.ts'
import type { Item } from '#core/item.ts'
import { addGateQuestion } from '#doors/channel/gate-posts.ts'
import { gateMs } from '#turns/gate-answers.ts'
import { until } from '../../until.ts'
import { calls, createWriter, type Say, says, type TestAppOptions } from '../test-app.ts'
import { openHouse, type Person } from './house.ts'

/** Writes a note for each message, then tells how it went. */
const writes: Say = ({ items }) => {
  const last = items.at(-1)
  return last?.type === 'result' ? says(`went: ${last.output}`) : calls('write_note', { text: textOfLast(items) })
}

function textOfLast(items: readonly Item[]): string {
  const last = items.findLast((item) => item.type === 'message')
  const [part] = last?.type === 'message' ? last.content : []
  return part?.type === 'text' ? part.text : ''
}

const gateOf = (person: Person) => person.heard.find(({ text }) => text.startsWith('Run write_note?'))

async function openWriting(t: Parameters<typeof openHouse>[0], options: TestAppOptions = {}) {
  const ran: unknown[] = []
  const house = await openHouse(t, { say: writes, tools: [createWriter(ran)], ...options })
  const ada = await house.pair(7)
  ada.say('buy milk')
  await until(() => (gateOf(ada)?.buttons.length ?? 0) > 0)
  const gate = gateOf(ada) ?? assert.fail('no gate')
  return { ...house, ran, ada, gate }
}

test('a gate shows what will happen; Allow once runs it, and the decision replaces the buttons', async (t) => {
  const { ada, gate, ran, api } = await openWriting(t)
  assert.match(gate.text, /buy milk[^]*\n\nNothing has happened yet\.$/)
  assert.deepEqual(
    gate.buttons.map(({ text }) => text),
    ['Allow once', 'Deny'],
  )
  assert.deepEqual(ran, [])
  const press = ada.press(gate.id, 'Allow once')
  await until(() => ada.texts.includes('went: written'))
  await until(() => gateOf(ada)?.text.endsWith('Allowed once by operator.') ?? false)
  assert.deepEqual([ran.length, gateOf(ada)?.buttons], [1, []])
  assert.doesNotMatch(gateOf(ada)?.text ?? '', /Nothing has happened/)
  await until(() => api.pressAnswered(press))
})

test('Deny denies', async (t) => {
  const { ada, gate, ran } = await openWriting(t)
  ada.press(gate.id, 'Deny')
  await until(() => gateOf(ada)?.text.endsWith('Denied by operator.') ?? false)
  await until(() => ada.texts.some((text) => text.startsWith('went: ')))
  assert.deepEqual(ran, [])
})

test('a button that is pressed twice, in another chat, or made up decides nothing', async (t) => {
  const { ada, gate, ran, pair, api, app } = await openWriting(t)
  const [allow, deny] = gate.buttons.map(({ callback_data: data }) => data)
  const bob = await pair(8, userId('bob'))
  const eve = api.person(9)
  const presses = [bob.press(gate.id, 'Allow once', allow), bob.press(gate.id, 'x', 'made-up')]
  eve.press(gate.id, 'Allow once', allow)
  await until(() => presses.every((press) => api.pressAnswered(press)))
  await until(() => api.pending === 0)
  assert.deepEqual([ran.length, (await app.gates.list(operator)).length], [0, 1])
  assert.equal(eve.heard.length, 0)
  const answers = api.calls.filter(({ method }) => method === 'answerCallbackQuery')
  assert.ok(answers.length >= presses.length)
  for (const { params } of answers) assert.match(String(params['text']), /^This was decided already/)
  ada.press(gate.id, 'Deny')
  const twice = ada.press(gate.id, 'Allow once', allow)
  ada.press(gate.id, 'Deny', deny)
  await until(() => api.pressAnswered(twice))
  await until(() => ada.texts.some((text) => text.startsWith('went: ')))
  assert.equal(ran.length, 0)
})

test('a button decides nothing after its gate has expired', async (t) => {
  let now = Date.now()
  const { ada, gate, ran, api } = await openWriting(t, { now: () => now })
  now += gateMs + 1
  const press = ada.press(gate.id, 'Allow once')
  await until(() => api.pressAnswered(press))
  assert.deepEqual(ran, [])
  assert.match(String(api.calls.findLast(({ method }) => method === 'answerCallbackQuery')?.params['text']), /expired/)
})

test('what another door decided replaces the buttons, and so does a stop', async (t) => {
  const { ada, gate, app } = await openWriting(t)
  const [open] = await app.gates.list(operator)
  await app.gates.answer(operator, open?.turn.threadId ?? '', {
    callId: open?.gate.callId ?? '',
    decision: 'deny',
    by: 'ada at the page',
  })
  await until(() => gateOf(ada)?.text.endsWith('Denied by ada at the page.') ?? false)
  assert.deepEqual(gateOf(ada)?.buttons, [])
  ada.say('another')
  const next = () => ada.heard.find(({ text, id }) => id !== gate.id && text.startsWith('Run write_note?'))
  await until(() => (next()?.buttons.length ?? 0) > 0)
  ada.say('/stop')
  await until(() => next()?.text.endsWith('Nothing was allowed: it was stopped.') ?? false)
})

test('after a restart the same buttons work, and one that was pressed meanwhile is taken', async (t) => {
  const { ada, gate, ran, closeDoor, openDoor } = await openWriting(t)
  await closeDoor()
  ada.press(gate.id, 'Allow once')
  openDoor()
  await until(() => ada.texts.includes('went: written'))
  await until(() => gateOf(ada)?.text.endsWith('Allowed once by operator.') ?? false)
  assert.equal(ran.length, 1)
  assert.equal(ada.heard.filter(({ text }) => text.startsWith('Run write_note?')).length, 1)
})

test('what is too long to be shown cannot be allowed here', async (t) => {
  const ran: unknown[] = []
  const { pair } = await openHouse(t, {
    say: ({ items }) =>
      items.at(-1)?.type === 'result' ? says('done') : calls('write_note', { text: 'x'.repeat(20_000) }),
    tools: [createWriter(ran)],
  })
  const ada = await pair(7)
  ada.say('go')
  await until(() => ada.heard.some(({ buttons }) => buttons.length > 0))
  const gate = ada.heard.find(({ buttons }) => buttons.length > 0)
  assert.deepEqual(
    gate?.buttons.map(({ text }) => text),
    ['Deny'],
  )
  assert.match(
    ada.texts.join('\n'),
    /too long to be shown here\. Allow it where all of it can be seen here: https:\/\/atrium\.example\/threads\//,
  )
})

test('the gate of another door is asked here once, with the same buttons', async (t) => {
  const ran: unknown[] = []
  const { pair, app, wake } = await openHouse(t, { say: writes, tools: [createWriter(ran)] })
  const ada = await pair(7)
  const input = [{ type: 'message', role: 'user', content: [{ type: 'text', text: 'buy bread' }] }] as const
  const { events } = await app.turns.start({ user: operator, door: 'web', input, options: {}, whenBusy: 'queue' })
  events.close()
  await until(async () => (await app.gates.list(operator)).length === 1)
  const [open] = await app.gates.list(operator)
  assert.ok(open)
  const asking = {
    store: app.store.channels,
    linkOf: () => undefined,
    mask: (text: string) => text.replace('bread', '[masked]'),
  }
  const chat = { channel: 'telegram', chat: '7', user: operator } as const
  assert.deepEqual(
    [await addGateQuestion(asking, chat, open), await addGateQuestion(asking, chat, open)],
    [true, false],
  )
  wake()
  await until(() => (gateOf(ada)?.buttons.length ?? 0) > 0)
  assert.match(gateOf(ada)?.text ?? '', /buy \[masked\]/)
  ada.press(gateOf(ada)?.id ?? 0, 'Allow once')
  await until(() => gateOf(ada)?.text.endsWith('Allowed once by operator.') ?? false)
  await until(() => ran.length === 1)
  assert.equal(ada.texts.includes('went: written'), false, 'the reply stays at its door')
})
