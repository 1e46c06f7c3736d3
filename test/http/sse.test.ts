// Writing server-sent events: quick ones share a write, and no event waits for another that may not come.
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test, type TestContext } from 'node:test'
import type { FastifyReply } from 'fastify'
import { eventJson, openEvents } from '#http/sse.ts'

/** A writer, what it has written so far, and its clock, which stands until `pass` moves it. */
function opened(t: TestContext) {
  let now = 1_000
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  t.mock.method(performance, 'now', () => now)
  const writes: string[] = []
  const raw = Object.assign(new EventEmitter(), {
    socket: { cork() {}, uncork() {} },
    writableLength: 0,
    writeHead() {},
    writableNeedDrain: false,
    write(text: string) {
      writes.push(text)
      return !raw.writableNeedDrain
    },
    end: (text: string) => writes.push(`${text}.`),
    destroy: () => writes.push('cut'),
    setTimeout() {},
  })
  const counted: string[] = []
  const countLongAnswer = () => {
    counted.push('counts')
    return () => void counted.push('counts no more')
  }
  const noted: number[] = []
  const noteUnread = (_: unknown, bytes: number): void => void noted.push(bytes)
  const reply = { raw, hijack() {}, request: { countLongAnswer, noteUnread } } as unknown as FastifyReply
  const pass = (ms: number): void => {
    now += ms
    t.mock.timers.tick(ms)
  }
  return { writer: openEvents(reply, () => {}), writes, pass, raw, counted, noted }
}

test('an event after a pause is written at once, quick ones after it share a write', (t) => {
  const { writer, writes, pass } = opened(t)
  for (const event of ['a', 'b']) writer.send(event)
  pass(5)
  writer.send('c')
  assert.deepEqual(writes, ['a'])
  pass(10)
  assert.deepEqual(writes, ['a', 'bc'])
  pass(15)
  writer.send('d')
  assert.deepEqual(writes, ['a', 'bc', 'd'])
})

test('the beginning shares the write of the first event, which waits for nothing', (t) => {
  const { writer, writes, pass } = opened(t)
  writer.begin('a')
  pass(14)
  assert.deepEqual(writes, [])
  writer.send('b')
  assert.deepEqual(writes, ['ab'])
  pass(100)
  assert.deepEqual(writes, ['ab'])
})

test('the beginning leaves by itself if no event follows soon, and no event waits for it', (t) => {
  const { writer, writes, pass } = opened(t)
  writer.begin('a')
  pass(15)
  assert.deepEqual(writes, ['a'])
  writer.send('b')
  assert.deepEqual(writes, ['a', 'b'])
})

test('a stream that is cut before its first event has its beginning, once', (t) => {
  const { writer, writes, pass } = opened(t)
  writer.begin('a')
  writer.drop()
  pass(100)
  assert.deepEqual(writes, ['a', 'cut'])
})

test('the end takes what still waits with it', (t) => {
  const { writer, writes, pass } = opened(t)
  for (const event of ['a', 'b']) writer.send(event)
  writer.end('c')
  pass(100_000)
  assert.deepEqual(writes, ['a', 'bc.'])
})

test('the next piece of a long text is made when the client has read those before, and no comment is between them', async (t) => {
  const { writer, writes, pass, raw } = opened(t)
  let made = 0
  function* pieces() {
    for (const piece of ['b', 'c', 'd']) {
      made++
      yield piece
    }
  }
  writer.begin('a')
  raw.writableNeedDrain = true
  const sent = writer.sendInPieces(pieces())
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  for (const count of [1, 2, 3]) {
    await turn()
    assert.equal(made, count)
    pass(20_000)
    raw.emit('drain')
  }
  await sent
  pass(20_000)
  writer.end('e')
  assert.deepEqual(writes, ['a', 'b', 'c', 'd', ': keepalive\n\n', 'e.'])
})

test('a stream counts as a long answer only while a long text of it is being read', async (t) => {
  const { writer, raw, counted } = opened(t)
  raw.writableNeedDrain = true
  const listeners = () => ['drain', 'close'].map((event) => raw.listenerCount(event))
  const before = listeners()
  const sent = writer.sendInPieces(['a'])
  assert.deepEqual(counted, ['counts'])
  raw.emit('drain')
  await sent
  assert.deepEqual(listeners(), before)
  assert.deepEqual(counted, ['counts', 'counts no more'])
})

test('unread data is noted while the client is behind, and no more once it has caught up or left', (t) => {
  const { writer, raw, noted, pass } = opened(t)
  writer.send('a')
  assert.deepEqual(noted, [])
  Object.assign(raw, { writableNeedDrain: true, writableLength: 70_000 })
  pass(15)
  writer.send('b')
  Object.assign(raw, { writableNeedDrain: false, writableLength: 0 })
  raw.emit('drain')
  Object.assign(raw, { writableNeedDrain: true, writableLength: 90_000 })
  writer.end('c')
  raw.emit('close')
  assert.deepEqual(noted, [70_000, 0, 90_000, 0])
})

test('an empty piece of a long text is not written, and waited for by nobody', async (t) => {
  const { writer, writes, raw } = opened(t)
  raw.writableNeedDrain = true
  const sent = writer.sendInPieces(['', 'a'])
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(writes, ['a'])
  raw.emit('drain')
  await sent
})

test('each character of a token is in its JSON, and none ends a line', () => {
  for (let code = 0; code <= 0x20_30; code++) {
    const token = `a${String.fromCharCode(code)}b`
    const json = eventJson(token)
    assert.equal(JSON.parse(json), token)
    assert.doesNotMatch(json, /[\r\n\u0085\u2028\u2029]/)
  }
})

test('a client that leaves within a long text gets no further piece', async (t) => {
  const { writer, writes, raw } = opened(t)
  raw.writableNeedDrain = true
  const sent = writer.sendInPieces(['a', 'b'])
  raw.emit('close')
  await sent
  assert.deepEqual(writes, ['a'])
})
