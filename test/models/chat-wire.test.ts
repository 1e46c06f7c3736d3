// The bytes of a model's answer, as they come in: in what they are held until a line is whole or the reader comes.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Agent, Dispatcher } from 'undici'
import type { Body } from '#models/chat-body.ts'
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
  const upstream = openUpstream(t, { idleMs: 1 })
  const again = t.mock.method(upstream, 'touch')
  await until(() => again.mock.callCount() > 0)
  assert.equal(upstream.failure, undefined)
  await upstream.more()
  assert.deepEqual(upstream.failure, { type: 'timeout' })
})

test('a body is joined only while it is sent, and a long one goes out in its blocks', (t) => {
  const long = 'é'.repeat(100_000)
  const dispatch = t.mock.fn<Agent['dispatch']>(() => true)
  for (const [body, sent] of [
    [['a\u00e9', Buffer.from('c')], [Buffer.from('a\u00e9c')]],
    [
      [long, Buffer.from(long)],
      [long, Buffer.from(long)],
    ],
  ] as const) {
    openUpstream(t, { dispatch, body })
    const { headers, body: blocks } = dispatch.mock.calls.at(-1)?.arguments[0] ?? {}
    const iterable = blocks as unknown as Iterable<string | Buffer>
    assert.deepEqual(headers, ['content-length', `${Buffer.byteLength(body.join(''))}`])
    assert.deepEqual(Array.from(iterable), sent)
    assert.deepEqual(Array.from(iterable), [], 'nothing is kept')
  }
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

type Parts = { readonly idleMs?: number; readonly dispatch?: Agent['dispatch']; readonly body?: Body }

function openUpstream(t: TestContext, { idleMs = 60_000, dispatch = () => true, body = [] }: Parts = {}): Upstream {
  const agent = fake<Agent>({ dispatch })
  const { signal } = new AbortController()
  const post = { origin: 'http://a', path: '/', headers: [], body, signal, idleMs }
  const upstream = new Upstream(agent, { ...post, maxBytes: 1024 * 1024 })
  t.after(() => upstream.close(false))
  return upstream
}
