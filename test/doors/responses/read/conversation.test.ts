// Requests that make or change a conversation.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { conversationId } from '#core/ids.ts'
import { readConversation, readConversationField, readNewMetadata } from '#doors/responses/read/conversation.ts'

/** Metadata with so many bytes of JSON; the name, quotes and braces take eight. */
const sized = (bytes: number) => ({ a: 'é'.repeat((bytes - 8) / 2) })
const maxBytes = 16 * 1024

describe('readConversation', () => {
  it('makes an empty conversation of nothing', async () => {
    for (const body of [undefined, null, {}, { items: null, metadata: null }, { items: [] }]) {
      assert.deepEqual(await readConversation(body), { metadata: {}, items: [] })
    }
  })

  it('reads items and metadata', async () => {
    const { metadata, items } = await readConversation({
      items: ['a', { role: 'user', content: 'b' }],
      metadata: { c: 'd' },
    })
    assert.deepEqual([metadata, items.length], [{ c: 'd' }, 2])
  })

  for (const [body, param] of [
    [1, undefined],
    [[], undefined],
    [{ items: 'hi' }, 'items'],
    [{ items: ['a', 7] }, 'items[1]'],
    [{ items: [{ role: 'user' }] }, 'items[0].content'],
    [{ metadata: [] }, 'metadata'],
    [{ metadata: { a: 1 } }, 'metadata.a'],
    [{ metadata: sized(maxBytes + 2) }, 'metadata'],
  ] as const) {
    it(`refuses ${JSON.stringify(body).slice(0, 40)}`, async () => {
      await assert.rejects(readConversation(body), (error: { code?: string; param?: string }) => {
        assert.deepEqual([error.code, error.param], ['invalid_input', param])
        return true
      })
    })
  }

  it('takes metadata of 16 KiB', async () => {
    assert.deepEqual((await readConversation({ metadata: sized(maxBytes) })).metadata, sized(maxBytes))
  })
})

describe('readNewMetadata', () => {
  it('requires metadata of at most 16 KiB', () => {
    assert.deepEqual(readNewMetadata({ metadata: {} }), {})
    assert.deepEqual(readNewMetadata({ metadata: sized(maxBytes) }), sized(maxBytes))
    for (const body of [undefined, {}, { metadata: null }, { metadata: sized(maxBytes + 2) }]) {
      assert.throws(() => readNewMetadata(body), { code: 'invalid_input', param: 'metadata' })
    }
  })
})

describe('readConversationField', () => {
  const thread = '00000000-0000-7000-8000-000000000002'
  const id = conversationId(thread)
  it('is an id, or an object with one', () => {
    for (const field of [id, { id }]) assert.equal(readConversationField(field), thread)
    for (const field of [undefined, null]) assert.equal(readConversationField(field), undefined)
    for (const field of ['', thread, 7, true, {}, { id: 7 }, { id: null }, [id], `${id}0`]) {
      assert.throws(() => readConversationField(field), { code: 'invalid_input', param: 'conversation' })
    }
  })
})
