// A long document: others are served while its words are read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDocuments } from '#memory/documents.ts'
import { openTestStore } from '../agent/bench.ts'
import { ada } from '../store/harness.ts'

test('writing a long document gives way to others many times', async (t) => {
  const { documents: store } = openTestStore(t)
  const documents = createDocuments({ store })
  // Words that were never read before take longest.
  const words = Array.from({ length: 60_000 }, (_, at) => Math.imul(at, 2_654_435_761).toString(36))
  const content = words.join(' ').slice(0, 256 * 1024)
  let turns = 0
  let over = false
  const others = (): void => {
    turns++
    if (!over) setImmediate(others)
  }
  setImmediate(others)
  await documents.write(ada, [{ path: 'long.md', content, author: 'user' }])
  over = true
  assert.ok(turns > 5, `${turns}`)
  assert.equal((await documents.read(ada, 'long.md')).content, content)
})
