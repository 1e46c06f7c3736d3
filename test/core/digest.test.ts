import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { createDigest, digestOf } from '#core/digest.ts'
import type { Entry, Item } from '#core/item.ts'
import { canonical } from '#core/json.ts'
import type { ModelCall } from '#core/turn.ts'

const usage = { inputTokens: 5, cachedTokens: 1, outputTokens: 2, reasoningTokens: 0, costUsd: 0.000_012 }
const call: ModelCall = { ms: 12, model: 'm "1"', via: { secret: 'key', host: 'api.example.com' }, usage }

const items: Readonly<Record<string, Item>> = {
  'a message': { type: 'message', role: 'user', content: [{ type: 'text', text: 'a "line"\n\u2028\ud800 é' }] },
  'an empty message': { type: 'message', role: 'user', content: [] },
  'a message that was cut': { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'a' }], cut: true },
  'a message with text from outside': {
    type: 'message',
    role: 'user',
    content: [{ type: 'text', text: 'a', origin: 'mail' }],
  },
  'a message of several parts': {
    type: 'message',
    role: 'user',
    content: [
      { type: 'text', text: 'a' },
      { type: 'image', url: 'data:' },
    ],
  },
  'an image': { type: 'message', role: 'user', content: [{ type: 'image', url: 'data:' }] },
  'a call': { type: 'call', callId: 'c', name: 'n', args: '{"b":1,"a":2}' },
  'a result': { type: 'result', output: 'o', callId: 'c', hosts: ['b', 'a'] },
}
const calls: Readonly<Record<string, ModelCall>> = {
  'a model call': call,
  'a call of unknown cost': { ...call, usage: { ...usage, costUsd: null } },
  'a call of tiny cost': { ...call, usage: { ...usage, costUsd: 1.5e-9 } },
  'a call without a host': { model: 'm', usage, ms: 1 },
  'an estimated call': { ...call, estimated: true },
  'usage that names its model': { ...call, usage: { ...usage, model: 'm' } },
  'usage that is no number': { ...call, usage: { ...usage, costUsd: Number.NaN } },
  'fields of another version': { ...call, later: { b: 1, a: 2 } } as ModelCall,
}

describe('a digest is that of canonical JSON, one line per entry', () => {
  const entries: Readonly<Record<string, Entry>> = Object.fromEntries([
    ...Object.entries(items).map(([name, item]) => [name, entry(item)]),
    ...Object.entries(calls).map(([name, asked]) => [name, { ...entry(items['a message'] as Item), asked }]),
  ])
  for (const [name, each] of Object.entries(entries)) {
    test(name, () => assert.equal(digestOf([each]), plainDigest([each])))
  }

  test('all of them, in one list and added one by one', () => {
    const all = Object.values(entries)
    const digest = createDigest()
    for (const each of all) digest.add([each])
    assert.equal(digestOf(all), plainDigest(all))
    assert.equal(digest.hex(), plainDigest(all))
  })
})

function entry(item: Item): Entry {
  return { id: 'i', item, seq: 3, turnId: 't', at: 1_700_000_000_000 }
}

function plainDigest(entries: readonly Entry[]): string {
  const lines = entries.map((each) => `${canonical(each)}\n`)
  return createHash('sha256').update(lines.join('')).digest('hex')
}

test('long entries in slices have the same digest, and a copy goes on by itself', () => {
  const long = ['"\u{1f600}'.repeat(100_000), 'a'.repeat(400_000)]
  const entries = long.map((text, seq): Entry => {
    const content = [
      { type: 'text', text },
      { type: 'image', url: 'data:' },
    ] as const
    return { id: 'i', seq, turnId: 't', at: 1, item: { type: 'message', role: 'user', content } }
  })
  const [first, last] = entries as [Entry, Entry]
  const digest = createDigest()
  for (const pause of digest.addInSlices([first])) assert.equal(pause, undefined)
  const copy = digest.copy()
  copy.add([last])
  assert.equal(copy.hex(), digestOf(entries))
  assert.equal(digest.hex(), digestOf([first]))
})
