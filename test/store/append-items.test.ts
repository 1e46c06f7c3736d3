// The texts of items as they are stored.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodiesOf, bodyOf } from '#store/append-items.ts'
import { bytesOfRows } from '#store/storage-quota.ts'
import { reply, say } from './harness.ts'

test('long items are written as short ones are, each in its place', async () => {
  const drafts = [say('"first"\n'.repeat(40_000)), reply('short'), say('\u{1F3DB}'.repeat(80_000))]
  const bodies = bodiesOf(drafts)
  assert.ok(bodies instanceof Promise, 'with pauses')
  const texts = drafts.map(bodyOf)
  assert.deepEqual(await bodies, { texts, bytes: bytesOfRows(texts) })
  assert.deepEqual(
    texts.map((text) => JSON.parse(text) as unknown),
    drafts.map(({ item }) => item),
  )
  const short = texts.slice(1, 2)
  const made = { texts: short, bytes: bytesOfRows(short) }
  assert.deepEqual(bodiesOf(drafts.slice(1, 2)), made, 'short ones at once')
})
