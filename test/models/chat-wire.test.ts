// The bytes of a model's answer, as they come in: in what they are held until a line is whole or the reader comes.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Agent, Dispatcher } from 'undici'
import { LineCutter } from '#models/chat-lines.ts'
import { Upstream } from '#models/chat-wire.ts'
import { watchJoins } from '../joined.ts'
import { fake } from '../fake.ts'
import { loopTurns } from '../loop-turns.ts'
import { until } from '../until.ts'

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
  const upstream = openUpstream(t)
  for (const crumb of crumbs) upstream.onResponseData(controller, crumb)
  assert.equal(upstream.take()?.toString(), text)
  assert(joins.mostPieces() <= 10, `${joins.mostPieces()} pieces`)
  assert.equal(upstream.take(), undefined)
})

test('long reads that follow one another leave turns of the event loop to others', async (t) => {
  const upstream = openUpstream(t)
  const turns = await loopTurns(t, () => readAgain(upstream, Buffer.alloc(10 * 1024, '\n')))
  assert(turns >= reads / 2, `${turns} turns`)
})

test('tokens are read at once', async (t) => {
  const upstream = openUpstream(t)
  assert.equal(await loopTurns(t, () => readAgain(upstream, Buffer.alloc(4 * 1024, '\n'))), 0)
})

test('a server that falls silent is given up, also if its reader was busy when the time ran out before', async (t) => {
  const upstream = openUpstream(t, 1)
  const again = t.mock.method(upstream, 'touch')
  await until(() => again.mock.callCount() > 0)
  assert.equal(upstream.failure, undefined)
  await upstream.more()
  assert.deepEqual(upstream.failure, { type: 'timeout' })
})

const reads = 10
const controller = { paused: false } as Dispatcher.DispatchController

/** Reads chunks that come without a pause. */
async function readAgain(upstream: Upstream, chunk: Buffer): Promise<void> {
  for (let read = 0; read < reads; read++) {
    upstream.onResponseData(controller, chunk)
    await upstream.more()
    assert.equal(upstream.take()?.length, chunk.length)
  }
}

function openUpstream(t: TestContext, idleMs = 60_000): Upstream {
  const agent = fake<Agent>({ dispatch: () => true })
  const { signal } = new AbortController()
  const post = { origin: 'http://a', path: '/', headers: [], body: Buffer.alloc(0), signal, idleMs }
  const upstream = new Upstream(agent, { ...post, maxBytes: 1024 * 1024 })
  t.after(() => upstream.close(false))
  return upstream
}
