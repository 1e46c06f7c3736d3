// A pressed button decides its gate once, for the user and the chat that it was made for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GateButton } from '#core/channel.ts'
import { AppError } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import { takePressed } from '#doors/channel/press.ts'
import { ada, bob } from '../../store/harness.ts'

const updates = { channel: 'telegram', account: '1', ids: [5] } as const
const chat = { channel: 'telegram', chat: '7', user: ada } as const
const button: GateButton = {
  id: 'b1',
  channel: 'telegram',
  chat: '7',
  user: ada,
  threadId: 't1',
  callId: 'c1',
  decision: 'allow',
  endsAt: 101,
}
const notValid = 'This was decided already, or has expired.'

async function press(found: GateButton | undefined, answer: () => Promise<void> = () => Promise.resolve()) {
  const done: string[] = []
  const words = takePressed(
    {
      store: {
        button: (id) => Promise.resolve((done.push(`look for ${id}`), found)),
        takePress: (_, { callId }) => Promise.resolve((done.push(`take ${callId}`), true)),
        takeEffect: (_, { user }, effect) =>
          Promise.resolve((done.push(`seen ${user} ${JSON.stringify(effect)}`), true)),
      },
      gates: {
        answer: async (user, threadId, { callId, decision, by }) => {
          done.push(`answer ${user} ${threadId} ${callId} ${decision} ${by}`)
          await answer()
          return undefined as never
        },
      },
      nameOf: (user) => Promise.resolve(`the name of ${user}`),
      now: () => 100,
    },
    updates,
    chat,
    'b1',
  )
  return { words: await words.catch((error: AppError) => error.code), done }
}

test('a button answers its gate under the name of its user, and is used up then', async () => {
  for (const [decision, words] of [
    ['allow', 'Allowed once.'],
    ['deny', 'Denied.'],
  ] as const) {
    assert.deepEqual(await press({ ...button, decision }), {
      words,
      done: ['look for b1', `answer ada t1 c1 ${decision} the name of ada`, 'take c1'],
    })
  }
})

test('a button of another chat, user or channel, an old one and none decide nothing', async () => {
  for (const found of [
    undefined,
    { ...button, chat: '8' },
    { ...button, user: bob },
    { ...button, user: operator },
    { ...button, channel: 'web' as const },
    { ...button, endsAt: 100 },
  ])
    assert.deepEqual(await press(found), { words: notValid, done: ['look for b1', 'seen ada {}'] })
})

test('a gate that is closed, or gone with its thread, is told; another fault leaves the press for the next try', async () => {
  for (const [code, words, taken] of [
    ['gate_closed', notValid, true],
    ['not_found', notValid, true],
    ['overloaded', 'overloaded', false],
  ] as const) {
    const pressed = await press(button, () => Promise.reject(new AppError(code, code)))
    assert.deepEqual([pressed.words, pressed.done.includes('take c1')], [words, taken])
  }
})
