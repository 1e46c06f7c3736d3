// The bytes of a model's answer, as they come in: in what they are held until a line is whole or the reader comes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Agent, Dispatcher } from 'undici'
import { LineCutter } from '#models/chat-lines.ts'
import { Upstream } from '#models/chat-wire.ts'
import { watchJoins } from '../joined.ts'
import { fake } from '../fake.ts'

const text = 'crumb '.repeat(2_000)
const crumbs = Array.from(Buffer.from(text), (byte) => Buffer.of(byte))

test('a line that comes one byte at a time is held in few pieces', (t) => {
  const joins = watchJoins(t)
  const cutter = new LineCutter(text.length)
  for (const crumb of crumbs) assert.equal(cutter.push(crumb), '')
  assert(!cutter.overlong)
  assert.equal(cutter.push(Buffer.from('!\nnext')), `${text}!`)
  assert.equal(cutter.rest(), 'next')
  assert(joins.mostPieces() <= 10, `${joins.mostPieces()} pieces`)
})

test('chunks of one byte that wait for the reader are held in few pieces', (t) => {
  const joins = watchJoins(t)
  const controller = { paused: false } as Dispatcher.DispatchController
  const agent = fake<Agent>({ dispatch: () => true })
  const { signal } = new AbortController()
  const post = { origin: 'http://a', path: '/', headers: [], body: Buffer.alloc(0), signal, idleMs: 60_000 }
  const upstream = new Upstream(agent, { ...post, maxBytes: text.length })
  t.after(() => upstream.close(false))
  for (const crumb of crumbs) upstream.onResponseData(controller, crumb)
  assert.equal(upstream.take()?.toString(), text)
  assert(joins.mostPieces() <= 10, `${joins.mostPieces()} pieces`)
  assert.equal(upstream.take(), undefined)
})
