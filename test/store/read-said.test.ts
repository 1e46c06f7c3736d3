// The texts at the beginning of a large message.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Part } from '#core/item.ts'
import { saidIn } from '#core/thread-index.ts'
import { messageIn } from '#store/read-said.ts'

const said = (beginning: string): string => {
  const item = messageIn(beginning)
  return item.type === 'message' ? saidIn(item) : ''
}
const stored = (content: readonly Part[]): string => JSON.stringify({ type: 'message', role: 'user', content })

test('the texts before the first attachment are read, with their escapes', () => {
  const text = 'a "b" \\ \n ä 😀 \u0001 end'
  const photo: Part = { type: 'image', url: 'data:image/png;base64,AAAA' }
  assert.equal(said(stored([{ type: 'text', text }, photo])), text)
  assert.equal(
    said(
      stored([
        { type: 'text', text: 'one ', origin: 'mail' },
        { type: 'text', text: 'two' },
      ]),
    ),
    'one two',
  )
  assert.equal(said(stored([photo, { type: 'text', text }])), '')
  assert.equal(said(stored([])), '')
})

test('a text is read up to where the beginning was cut, at every place', () => {
  const text = 'a "b" \\ \n \u0001 end'
  const whole = stored([
    { type: 'text', text },
    { type: 'text', text: 'more' },
  ])
  for (let end = 0; end <= whole.length; end++) {
    const read = said(whole.slice(0, end))
    assert.ok(`${text}more`.startsWith(read), `cut at ${end}: ${read}`)
  }
  assert.equal(said(whole), `${text}more`)
})

test('a long text full of escapes is read in one go', () => {
  const text = '"\n'.repeat(64 * 1024)
  assert.equal(said(stored([{ type: 'text', text }])), text.slice(0, 100_000))
})
