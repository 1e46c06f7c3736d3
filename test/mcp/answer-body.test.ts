// Bodies of answers over HTTP, without a server: bounds of messages in any cut.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsOf, wholeOf } from '#mcp/answer-body.ts'
import { messageExcess } from '#mcp/message-bounds.ts'

const many = `[${'0,'.repeat(200_000)}0]`
const deep = '['.repeat(1_001)

async function* chunksOf(text: string, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < text.length; at += size) yield await Promise.resolve(Buffer.from(text.slice(at, at + size)))
}

async function read(body: AsyncIterable<Buffer>): Promise<string> {
  let text = ''
  for await (const chunk of body) text += chunk.toString()
  return text
}

test('a message has at most 200,000 values, 40,000 field names and 1,000 levels', () => {
  assert.match(messageExcess(Buffer.from(many)) ?? '', /200000 values/)
  const named = (count: number) => Buffer.from(JSON.stringify(Object.fromEntries(Array(count).fill(0).entries())))
  assert.match(messageExcess(named(40_001)) ?? '', /40000 field names/)
  assert.equal(messageExcess(named(40_000)), undefined)
  assert.match(messageExcess(Buffer.from(deep)) ?? '', /1000 levels/)
  assert.equal(messageExcess(Buffer.from(`"${many}${deep}"`)), undefined)
})

test('a body with too many values is refused', async () => {
  await assert.rejects(read(wholeOf(chunksOf(many, 4096))), /200000 values/)
  assert.equal(await read(wholeOf(chunksOf('{"a": 1}', 3))), '{"a": 1}')
})

for (const [what, event] of [
  ['one line', `data: ${many}\n\n`],
  ['behind a quote in a comment', `: "\ndata: ${many}\n\n`],
  ['several lines', `event: message\r\ndata:[\r\ndata:${many}\r\ndata:]\r\n\r\n`],
  ['after a byte order mark', `\ufeffdata: ${many}\r\r`],
  ['without an end', `data: ${many}`],
] as const) {
  test(`an event with too many values is refused: ${what}`, async () => {
    const text = await read(eventsOf(chunksOf(event, 65_536), 1))
    assert.match(text, /^\n\nevent: message\ndata: .*"id":1.*200000 values/)
    await assert.rejects(read(eventsOf(chunksOf(`id: 1\n${event}`, 65_536), undefined)), /200000 values/)
    assert.match(await read(eventsOf(chunksOf(`id: 1\n${event}`, 65_536), 1)), /"id":1.*200000 values/)
  })
}

test('an event cannot hide from the count by how it is cut', async () => {
  const body = (async function* () {
    for (const piece of ['data: 1\n\n', 'd', 'at', `a: ${many}\n\n`]) yield await Promise.resolve(Buffer.from(piece))
  })()
  assert.match(await read(eventsOf(body, 1)), /200000 values/)
})

for (const size of [1, 2, 3, 7, 100]) {
  test(`events pass unchanged, each as soon as it is whole: ${size} bytes at a time`, async () => {
    const stream = ': hello\n\nid: 1\ndata: {"a": 1}\r\n\r\ndata: {"b": "é"}\r\rdata: 3\n\n'
    assert.equal(await read(eventsOf(chunksOf(stream, size), undefined)), stream)
  })
}

test('each event is counted by itself', async () => {
  const event = `data: [${'0,'.repeat(150_000)}0]\n\n`
  assert.equal(await read(eventsOf(chunksOf(event + event, 1 << 20), undefined)), event + event)
})

for (const end of ['\n', '\r', '\r\n']) {
  test(`an event is passed on with its last byte: lines end with ${JSON.stringify(end)}`, async () => {
    const event = `data: 1${end}${end}`
    let given = 0
    const body = (async function* () {
      for (const letter of event + event) {
        given++
        yield await Promise.resolve(Buffer.from(letter))
      }
    })()
    const passed: [event: string, after: number][] = []
    for await (const piece of eventsOf(body, undefined)) passed.push([piece.toString(), given])
    assert.deepEqual(passed, [
      [event, event.length],
      [event, 2 * event.length],
    ])
  })

  test(`a stream whose events have ids gets no end of its own: lines end with ${JSON.stringify(end)}`, async () => {
    for (const size of [1, 2, 3, 100]) {
      const stream = `data: 1${end}id: 7${end}${end}`
      assert.equal(await read(eventsOf(chunksOf(stream, size), 1)), stream)
    }
    assert.match(await read(eventsOf(chunksOf(`data: 1${end}${end}`, 3), 1)), /ended too early/)
  })
}

test('an event is passed on before the next one has come', async () => {
  const next = Promise.withResolvers<Buffer>()
  const body = (async function* () {
    yield Buffer.from('data: 1\n\nda')
    yield await next.promise
  })()
  const events = eventsOf(body, undefined)
  assert.equal((await events.next()).value?.toString(), 'data: 1\n\n')
  next.resolve(Buffer.from('ta: 2\n\n'))
  assert.equal((await events.next()).value?.toString(), 'data: 2\n\n')
})

test('many small events are passed on in small pieces of whole lines, a long line in one', async () => {
  const events = 'data: {"a": 1}\n\n'.repeat(4_000)
  const sizes: number[] = []
  let text = ''
  for await (const piece of eventsOf(chunksOf(events, 65_536), undefined)) {
    sizes.push(piece.length)
    text += piece.toString()
    assert.ok(text.endsWith('\n'))
  }
  assert.equal(text, events)
  assert.ok(Math.max(...sizes) < 5_000)
  const long = `data: "${'x'.repeat(100_000)}"\n\n`
  const pieces: Buffer[] = []
  for await (const piece of eventsOf(chunksOf(long, 65_536), undefined)) pieces.push(piece)
  assert.equal(pieces[0]?.toString(), long.slice(0, -1))
})
