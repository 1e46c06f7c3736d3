// The hash chain over a client's history: what makes two histories the same.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Item, textMessage } from '#core/item.ts'
import { type ChainMessage, ChainWriter, pointAfter } from '#core/replay-chain.ts'
import { chainOf } from './chain-of.ts'

const user = (text: string, ...media: string[]): ChainMessage => ({
  role: 'user',
  text,
  ...(media.length > 0 && { media }),
})
const assistant = (text: string, ...callIds: string[]): ChainMessage => ({ role: 'assistant', text, callIds })
const tool = (callId: string, text: string): ChainMessage => ({ role: 'tool', callId, text })

const history = [user('hi'), assistant('hello there'), user('time?'), assistant('let me see', 'c1'), tool('c1', 'noon')]

const same: Readonly<Record<string, ChainMessage[]>> = {
  'white space anywhere': [user(' hi\n'), assistant('hello\n\nthere '), ...history.slice(2)],
  'an answer in two messages': [user('hi'), assistant('hello'), assistant(' there'), ...history.slice(2)],
  'a call apart from its text': [
    ...history.slice(0, 3),
    assistant('let me see'),
    assistant('', 'c1'),
    tool('c1', 'noon'),
  ],
}

const different: Readonly<Record<string, ChainMessage[]>> = {
  'a word of an answer': [user('hi'), assistant('hello here'), ...history.slice(2)],
  'a letter case': [user('Hi'), ...history.slice(1)],
  'a role': [user('hi'), user('hello there'), ...history.slice(2)],
  'the id of a call': [...history.slice(0, 3), assistant('let me see', 'c2'), tool('c1', 'noon')],
  'an output': [...history.slice(0, 4), tool('c1', 'night')],
  'whose output it is': [...history.slice(0, 4), tool('c', '1noon')],
  'a picture': [user('hi', 'data:image/png;base64,AA'), ...history.slice(1)],
  'one message less': history.slice(2),
  'two messages of a user in one': [user('hi'), assistant('hello there'), user('ti'), user('me?'), ...history.slice(3)],
}

const sent = chainOf(history).history

for (const [what, messages] of Object.entries(same)) {
  test(`${what} makes no difference`, () => assert.equal(chainOf(messages).history, sent))
}

for (const [what, messages] of Object.entries(different)) {
  test(`${what} makes another history`, () => assert.notEqual(chainOf(messages).history, sent))
}

test('each answer in a history is a point, and a longer history has the same points', () => {
  const { points } = chainOf(history)
  assert.deepEqual(
    points.map(({ count }) => count),
    [2, 4],
  )
  assert.deepEqual(chainOf(history.slice(0, 3)).points, points.slice(0, 1))
  assert.deepEqual(chainOf([user('hi')]).points, [])
})

test('the items of a turn give the point that the history with its answer has', () => {
  const items: Item[] = [
    { type: 'reasoning', text: 'hm' },
    textMessage('assistant', 'let me '),
    { type: 'call', callId: 'ours', name: 'time', args: '{}' },
    { type: 'result', callId: 'ours', output: 'x' },
    textMessage('assistant', 'see'),
    { type: 'call', callId: 'c1', name: 'theirs', args: '{}' },
    { type: 'gate', callId: 'c1', kind: 'output', name: 'theirs', args: '{}', prompt: '' },
  ]
  assert.equal(pointAfter(chainOf(history.slice(0, 3)).history, items), chainOf(history).points[1]?.hash)
})

test('a history goes on from any hash', () => {
  const { points } = chainOf(history)
  assert.equal(chainOf(history.slice(2), points[0]?.hash).history, sent)
})

test('a long text is hashed in slices, to the hash of its pieces', () => {
  const [half, whole] = ['é x'.repeat(200_000), 'é x'.repeat(400_000)]
  const pauses = (message: ChainMessage) => [...new ChainWriter().add(message)].length
  assert.equal(chainOf([assistant(whole)]).points[0]?.hash, chainOf([assistant(half), assistant(half)]).points[0]?.hash)
  assert.deepEqual(
    [user('hi', whole), user(whole), assistant(whole), tool('c', whole), user('hi')].map(pauses),
    [4, 4, 4, 4, 0],
  )
})
