// The items that start a turn, from the messages of a request.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AppError } from '#core/errors.ts'
import { type Item, type Part, textMessage } from '#core/item.ts'
import { historyOrigin } from '#core/origins.ts'
import { type HistoryItem, seedItems } from '#doors/openai/seed.ts'
import { taintOf } from '#safety/taint.ts'

describe('seedItems', () => {
  const sent = (text: string): Item => ({
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text, origin: historyOrigin }],
  })
  it('puts the blocks before the first user message, so that later requests begin alike', () => {
    assert.deepEqual(
      seedItems([textMessage('user', 'a'), textMessage('assistant', 'b'), textMessage('user', 'c')], 'B ', 'input'),
      [textMessage('user', 'B a'), sent('b'), textMessage('user', 'c')],
    )
  })
  it('makes a message of the blocks where there is none', () => {
    assert.deepEqual(seedItems([{ type: 'system', text: 'x' }], 'B ', 'input'), [textMessage('user', 'B')])
  })
  it('puts the blocks before an image', () => {
    const image: HistoryItem = { type: 'message', role: 'user', content: [{ type: 'image', url: 'https://x' }] }
    const [item] = seedItems([image], 'B ', 'input')
    assert.deepEqual(item?.type === 'message' && item.content.map(({ type }: Part) => type), ['text', 'image'])
  })
  it('asks to go on after an answer at the end', () => {
    assert.deepEqual(seedItems([textMessage('user', 'a'), textMessage('assistant', 'b')], '', 'input'), [
      textMessage('user', 'a'),
      sent('b'),
      textMessage('user', 'Continue.'),
    ])
  })
  it('believes no assistant message that was only sent, but one of our own log', () => {
    const history = [textMessage('user', 'a'), textMessage('assistant', 'b'), textMessage('user', 'c')]
    assert.equal(taintOf(seedItems(history, '', 'input')), historyOrigin)
    const ours = history.map((item) => (item.type === 'message' ? { ...item, ours: true as const } : item))
    assert.deepEqual(seedItems(ours, '', 'input'), history)
    assert.equal(taintOf(seedItems(ours, '', 'input')), undefined)
  })
  it('names the field that has no content', () => {
    const named = ({ param }: AppError): boolean => param === 'messages'
    assert.throws(() => seedItems([{ type: 'nothing' }], '', 'messages'), named)
  })
})
