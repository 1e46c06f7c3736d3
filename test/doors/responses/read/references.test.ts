// References to items of earlier responses, and to text that is still being written.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { userId } from '#core/ids.ts'
import { type Entry, type Item, textMessage } from '#core/item.ts'
import type { Thread } from '#core/turn.ts'
import type { InputItem } from '#doors/responses/read/input.ts'
import { type ReferenceParts, resolveReferences } from '#doors/responses/read/references.ts'
import type { Watched } from '#turns/watch.ts'

const ann = userId('ann')
const reference = (itemId: string, threadId = 'h1'): InputItem => ({ type: 'reference', itemId, threadId })
const entry = (id: string, item: Item): Entry => ({ seq: 1, id, turnId: 't1', at: 0, item })

type Stored = { readonly entries?: readonly Entry[]; readonly state?: Thread['state']; readonly events?: Watched[] }

/** A store with these entries, and a thread of this state whose watch yields these events and then ends. */
function over({ entries = [], state = 'running', events = [] }: Stored) {
  const watched: string[] = []
  const parts: ReferenceParts = {
    threads: {
      findItems: (_user, refs) => Promise.resolve(entries.filter(({ id }) => refs.some(({ itemId }) => itemId === id))),
      get: (_user, id) => Promise.resolve({ id, userId: ann, state, lastSeq: 7 } as Thread),
    },
    turns: {
      watch(_user, threadId, seq) {
        watched.push(`${threadId} after ${String(seq)}`)
        async function* batches() {
          await Promise.resolve()
          yield events
        }
        return Object.assign(batches(), { close() {} })
      },
    },
  }
  const resolve = (input: readonly InputItem[], threadId?: string) => resolveReferences(parts, ann, { input, threadId })
  return { resolve, watched }
}

const call = { type: 'call', callId: 'c', name: 'f', args: '{}' } as const
const url = 'data:image/png;base64,AA'

describe('a reference', () => {
  for (const [what, item, named] of [
    ['a message', textMessage('assistant', 'a'), textMessage('assistant', 'a')],
    ['a call', call, call],
    ['a call that waits for its output', { ...call, type: 'gate', kind: 'output', prompt: '' }, call],
    ['a result', { type: 'result', callId: 'c', output: 'x' }, { type: 'output', callId: 'c', output: 'x' }],
    [
      'an output with an image',
      { type: 'answer', callId: 'c', decision: 'output', output: 'x', images: [url], by: 'ann' },
      { type: 'output', callId: 'c', output: 'x', images: [url] },
    ],
    [
      'an output without text',
      { type: 'answer', callId: 'c', decision: 'output', by: 'ann' },
      { type: 'output', callId: 'c', output: '' },
    ],
    ['reasoning', { type: 'reasoning', text: 'hm' }, { type: 'nothing' }],
  ] satisfies [string, Item, InputItem][]) {
    it(`is replaced by ${what}`, async () => {
      const { resolve } = over({ entries: [entry('a', item)] })
      const { items } = await resolve([{ type: 'nothing' }, reference('a')])
      assert.deepEqual(items, [{ type: 'nothing' }, named])
    })
  }

  for (const [what, item] of [
    ['an approval that is open', { ...call, type: 'gate', kind: 'approval', prompt: '' }],
    ['an approval', { type: 'answer', callId: 'c', decision: 'allow', by: 'ann' }],
    ['an attempt', { type: 'attempt', callId: 'c' }],
  ] satisfies [string, Item][]) {
    it(`never names ${what}`, async () => {
      const { resolve } = over({ entries: [entry('a', item)] })
      await assert.rejects(resolve([{ type: 'nothing' }, reference('a')]), {
        code: 'invalid_input',
        param: 'input[1].id',
      })
    })
  }

  it('to the continued thread is known there; to another one it is not', async () => {
    const { resolve } = over({ entries: [entry('a', call), entry('b', call)] })
    const input = [{ type: 'nothing' } as const, reference('a', 'h1'), reference('b', 'h2')]
    assert.deepEqual([...(await resolve(input, 'h1')).known], [1])
    assert.deepEqual([...(await resolve(input)).known], [])
  })

  it('is one of at most 500', async () => {
    const { resolve } = over({ entries: [entry('a', call)] })
    const many = (count: number) => Array.from({ length: count }, () => reference('a'))
    assert.equal((await resolve(many(500))).items.length, 500)
    await assert.rejects(resolve(many(501)), { code: 'invalid_input', param: 'input' })
  })
})

describe('a reference to text that is still being written', () => {
  const delta = (offset: number, text: string, itemId = 'a'): Watched => ({
    type: 'delta',
    turnId: 't1',
    itemId,
    offset,
    text,
  })
  const snapshot = (text: string, itemId = 'a'): Watched => ({ type: 'snapshot', turnId: 't1', itemId, text })
  const stored = (id: string, item: Item): Watched => ({ type: 'entries', entries: [entry(id, item)] })

  for (const [what, events, text] of [
    ['the text so far', [snapshot('Other', 'b'), snapshot('Hel'), delta(3, 'lo')], 'Hel'],
    ['pieces of another process', [delta(0, 'Hel'), delta(0, 'no', 'b'), delta(3, 'lo')], 'Hello'],
    ['pieces that overlap', [delta(0, 'Help'), delta(3, 'lo')], 'Hello'],
    [
      'the message that was stored meanwhile',
      [delta(0, 'Hel'), stored('b', call), stored('a', textMessage('assistant', 'Hello'))],
      'Hello',
    ],
  ] satisfies [string, Watched[], string][]) {
    it(`is replaced by ${what}`, async () => {
      const { resolve, watched } = over({ events })
      const { items, known } = await resolve([reference('a')], 'h1')
      assert.deepEqual(items, [textMessage('assistant', text)])
      assert.deepEqual([watched, known.size], [['h1 after 7'], 0])
    })
  }

  it('is refused when nobody writes it', async () => {
    const fault = { code: 'invalid_input', param: 'input[0].id' }
    for (const given of [{ state: 'idle', events: [snapshot('Hel')] }, { events: [] }] as const) {
      await assert.rejects(over({ ...given, events: [...given.events] }).resolve([reference('a')]), fault)
    }
  })

  it('is waited for four times at most', async () => {
    const { resolve, watched } = over({ events: [] })
    await assert.rejects(resolve(Array.from('abcdef', (id) => reference(id))), { param: 'input[0].id' })
    assert.equal(watched.length, 4)
  })
})
