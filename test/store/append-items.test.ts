// The texts of items as they are stored.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodiesOf, shortBodiesOf } from '#store/append-items.ts'
import { reply, say } from './harness.ts'

test('long items are written as short ones are, each in its place', async () => {
  const drafts = [say('"first"\n'.repeat(40_000)), reply('short'), say('\u{1F3DB}'.repeat(80_000))]
  const bodies = bodiesOf(drafts)
  assert.ok(bodies instanceof Promise, 'with pauses')
  const made = shortBodiesOf(drafts)
  assert.deepEqual(await bodies, made)
  assert.deepEqual(
    made.texts.map((text) => JSON.parse(text) as unknown),
    drafts.map(({ item }) => item),
  )
  const short = drafts.slice(1, 2)
  assert.deepEqual(bodiesOf(short), shortBodiesOf(short), 'short ones at once')
})
