// Bodies of requests: in what they are held while they come in.
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { readBytes } from '#http/body.ts'
import { watchJoins } from '../joined.ts'

const text = 'crumb '.repeat(5_000)

/** A request whose body comes one byte at a time. */
function crumbs(): IncomingMessage {
  return Readable.from(Array.from(Buffer.from(text), (byte) => Buffer.of(byte))) as unknown as IncomingMessage
}

test('a body in chunks of one byte is held in few pieces', async (t) => {
  const joins = watchJoins(t)
  assert.equal(String(await readBytes(crumbs(), text.length)), text)
  assert(joins.mostPieces() <= 10, `${joins.mostPieces()} pieces`)
  assert(joins.mostBytes() <= 4 * text.length, `${joins.mostBytes()} bytes`)
})

test('a body over the limit is refused, also in chunks of one byte', async () => {
  await assert.rejects(readBytes(crumbs(), text.length - 1), { code: 'too_large' })
})
