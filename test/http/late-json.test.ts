// Long values in the text of events: written in pieces, as the whole text would be.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLateJson } from '#http/late-json.ts'
import { eventJson } from '#http/sse.ts'

const long = { text: '"\u2028\0\ud83d\ude00'.repeat(200_000) }

test('the pieces of a text have the JSON of each value in its place', () => {
  const { json, pieces } = createLateJson()
  const text = (write: (value: unknown, chars: number) => string): string =>
    `data: ${write('short', 5)}\n\ndata: ${write(long, long.text.length)},${write(long.text, long.text.length)}\n\n`
  assert.equal([...pieces(text(json))].join(''), text(eventJson))
})

test('no piece is long, nor is the text before its pieces are made', () => {
  const { json, pieces } = createLateJson()
  const text = json(long, long.text.length)
  assert.ok(text.length < 100)
  for (const piece of pieces(text)) assert.ok(piece.length < 1_000_000)
})
