// A compacted conversation on its way to a client and back.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { textMessage } from '#core/item.ts'
import { summaryOrigin } from '#core/origins.ts'
import { closeCompaction, compactionIn, openCompaction } from '#doors/responses/read/compaction.ts'

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('a compaction', () => {
  it('is one text in a block when all of it is trusted', async () => {
    assert.deepEqual(await openCompaction(closeCompaction({ text: 'Ann said é.', tainted: false })), [
      { type: 'text', text: '<conversation-so-far>\nAnn said é.\n</conversation-so-far>' },
    ])
  })

  it('keeps the origin of outside text, and is found again in the stored message', async () => {
    const tainted = { text: 'A page said so.', tainted: true }
    const content = await openCompaction(closeCompaction(tainted))
    assert.deepEqual(content, [
      { type: 'text', text: 'The conversation so far:\n' },
      { type: 'text', text: 'A page said so.', origin: summaryOrigin },
    ])
    assert.deepEqual(compactionIn({ type: 'message', role: 'user', content: content ?? [] }), tainted)
    const other = { type: 'text', text: 'x', origin: 'a page' } as const
    assert.equal(compactionIn({ type: 'message', role: 'user', content: [other] }), undefined)
    assert.equal(compactionIn(textMessage('user', 'hi')), undefined)
  })

  it('takes a mark of outside text only as true', async () => {
    for (const tainted of [false, 'true', 1, null]) {
      assert.equal((await openCompaction(encoded({ v: 1, transcript: 'x', tainted })))?.length, 1)
    }
  })

  for (const [what, content] of [
    ['of another version', encoded({ v: 2, transcript: 'x' })],
    ['without version', encoded({ transcript: 'x' })],
    ['without text', encoded({ v: 1 })],
    ['whose text is none', encoded({ v: 1, transcript: 1 })],
    ['that is a list', encoded([1])],
    ['that is null', encoded(null)],
    ['with more values than it has fields', encoded({ v: 1, transcript: 'x', more: Array(20).fill(0) })],
    ['that is nested', encoded({ v: 1, transcript: 'x', more: { a: {} } })],
    ['that is no JSON', Buffer.from('x').toString('base64url')],
    ['that is empty', ''],
  ] as const) {
    it(`is refused ${what}`, async () => assert.equal(await openCompaction(content), undefined))
  }
})
