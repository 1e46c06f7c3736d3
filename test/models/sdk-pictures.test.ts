// Large pictures in the requests of SDK packages: a package sees marks, the server the pictures.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LanguageModelV4Message } from '@ai-sdk/provider'
import { createSdkPictures } from '#models/sdk-pictures.ts'
import { loopTurns } from '../loop-turns.ts'

const large = 'aGk+/0=='.repeat(400_000)
const picture = (data: string): LanguageModelV4Message => ({
  role: 'user',
  content: [
    { type: 'text', text: 'look' },
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data } },
  ],
})

test('a package gets marks for large pictures, and the body has the pictures again', async (t) => {
  const pictures = createSdkPictures()
  const messages = [picture(large), picture('aGk='), picture(`${large}"é\ud800`)]
  {
    using marked = pictures.open()
    const body = JSON.stringify(marked.mark(messages))
    assert.ok(body.length < 1_000)
    let filled: string | undefined
    const turns = await loopTurns(t, async () => {
      filled = await (await pictures.fill(body))?.text()
    })
    assert.ok(turns > 50, `${turns} turns of the event loop`)
    assert.equal(filled, JSON.stringify([picture(large), picture('aGk='), picture(`${large}"é\ufffd`)]))
    assert.equal(pictures.fill('{"no":"picture"}'), undefined)
  }
  assert.equal(pictures.fill('{}'), undefined)
})
