// Bodies of answers over HTTP, without a server: bounds of messages in any cut.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { eventsOf, lostCode, wholeOf } from '#mcp/answer-body.ts'
import { wholeOfShort } from '#mcp/long-messages.ts'
import { loopTurns } from '../loop-turns.ts'

const many = `[${'0,'.repeat(200_000)}0]`

async function* chunksOf(text: string, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < text.length; at += size) yield await Promise.resolve(Buffer.from(text.slice(at, at + size)))
}

function undelivered(): void {
  assert.fail('a short message was delivered past the client package')
}

async function read(body: AsyncIterable<Buffer>): Promise<string> {
  let text = ''
  for await (const chunk of body) text += chunk.toString()
  return text
}

test('a body with too many values is refused', async () => {
  await assert.rejects(read(wholeOf(chunksOf(many, 4096), 7, undelivered)), /200000 values/)
  assert.equal(await read(wholeOf(chunksOf('{"a": 1}', 3), 7, undelivered)), '{"a": 1}')
})

for (const [what, event] of [
  ['one line', `data: ${many}\n\n`],
  ['behind a quote in a comment', `: "\ndata: ${many}\n\n`],
  ['several lines', `event: message\r\ndata:[\r\ndata:${many}\r\ndata:]\r\n\r\n`],
  ['after a byte order mark', `\ufeffdata: ${many}\r\r`],
] as const) {
  test(`an event with too many values is refused: ${what}`, async () => {
    const text = await read(eventsOf(chunksOf(event, 65_536), 1, undelivered))
    assert.match(text, /^\n\nevent: message\ndata: .*"id":1.*200000 values/)
    await assert.rejects(read(eventsOf(chunksOf(`id: 1\n${event}`, 65_536), undefined, undelivered)), /200000 values/)
    assert.match(await read(eventsOf(chunksOf(`id: 1\n${event}`, 65_536), 1, undelivered)), /"id":1.*200000 values/)
  })
}

test('a long event without an end is refused, and left to a stream that is taken up again', async () => {
  const cut = `data: {"jsonrpc":"2.0","id":1,"result":[${'0,'.repeat(150_000)}`
  assert.match(await read(eventsOf(chunksOf(`data: ${many}`, 65_536), 1, undelivered)), /"id":1.*200000 values/)
  assert.match(await read(eventsOf(chunksOf(cut, 65_536), 1, undelivered)), /"id":1.*is no message/)
  for (const text of [`id: 1\n${cut}`, `id: 1\ndata: ${many}`])
    assert.equal(await read(eventsOf(chunksOf(text, 65_536), 1, undelivered)), text)
})

test('an event cannot hide from the count by how it is cut', async () => {
  const body = (async function* () {
    for (const piece of ['data: 1\n\n', 'd', 'at', `a: ${many}\n\n`]) yield await Promise.resolve(Buffer.from(piece))
  })()
  assert.match(await read(eventsOf(body, 1, undelivered)), /200000 values/)
})

for (const size of [1, 2, 3, 7, 100]) {
  test(`events pass unchanged, each as soon as it is whole: ${size} bytes at a time`, async () => {
    const stream = ': hello\n\nid: 1\ndata: {"a": 1}\r\n\r\ndata: {"b": "é"}\r\rdata: 3\n\n'
    assert.equal(await read(eventsOf(chunksOf(stream, size), undefined, undelivered)), stream)
  })
}

test('each event is counted by itself', async () => {
  const event = `data: {"jsonrpc":"2.0","method":"a","params":[${'0,'.repeat(150_000)}0]}\n\n`
  const delivered: unknown[] = []
  const events = eventsOf(chunksOf(event + event, 1 << 20), undefined, (message) => delivered.push(message))
  const passed = 'data: {"jsonrpc":"2.0","method":"passed"}\n\n'
  assert.equal(await read(events), passed + passed)
  assert.equal(delivered.length, 2)
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
    for await (const piece of eventsOf(body, undefined, undelivered)) passed.push([piece.toString(), given])
    assert.deepEqual(passed, [
      [event, event.length],
      [event, 2 * event.length],
    ])
  })

  test(`a stream whose events have ids gets no end of its own: lines end with ${JSON.stringify(end)}`, async () => {
    for (const size of [1, 2, 3, 100]) {
      const stream = `data: 1${end}id: 7${end}${end}`
      assert.equal(await read(eventsOf(chunksOf(stream, size), 1, undelivered)), stream)
    }
    assert.match(await read(eventsOf(chunksOf(`data: 1${end}${end}`, 3), 1, undelivered)), /ended too early/)
  })
}

test('a batch becomes an event for each of its messages, between the others', async () => {
  const stream = 'data: 1\n\nid: 5\ndata: [{"a":1},\ndata: {"b":2}]\n\ndata: []\n\ndata: [\n\n'
  assert.equal(
    await read(eventsOf(chunksOf(stream, 100), undefined, undelivered)),
    'data: 1\n\nid: 5\ndata: {"a":1}\n\ndata: {"b":2}\n\ndata: []\n\ndata: [\n\n',
  )
})

test('an event that is no JSON is passed on, and an answer without a number goes to the request of its stream', async () => {
  const text = (stream: string, id?: number) => read(eventsOf(chunksOf(`${stream}id: 1\n\n`, 100), id, undelivered))
  for (const beat of ['data: beat\n\n', 'data:\n\n', 'data: \n\n'])
    assert.equal(await text(beat, 7), `${beat}id: 1\n\n`)
  const lost = 'data: {"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"no good"}}\n\n'
  assert.match(await text(lost, 7), /^data: \{.*"id":7,"error":\{"code":-1,"message":"no good"/)
  assert.equal(await text(lost), `${lost}id: 1\n\n`, 'nothing waits for this stream')
})

test('an event is passed on before the next one has come', async () => {
  const next = Promise.withResolvers<Buffer>()
  const body = (async function* () {
    yield Buffer.from('data: 1\n\nda')
    yield await next.promise
  })()
  const events = eventsOf(body, undefined, undelivered)
  assert.equal((await events.next()).value?.toString(), 'data: 1\n\n')
  next.resolve(Buffer.from('ta: 2\n\n'))
  assert.equal((await events.next()).value?.toString(), 'data: 2\n\n')
})

test('many small events are passed on in small pieces of whole lines, a long line in one', async () => {
  const events = 'data: {"a": 1}\n\n'.repeat(4_000)
  const sizes: number[] = []
  let text = ''
  for await (const piece of eventsOf(chunksOf(events, 65_536), undefined, undelivered)) {
    sizes.push(piece.length)
    text += piece.toString()
    assert.ok(text.endsWith('\n'))
  }
  assert.equal(text, events)
  assert.ok(Math.max(...sizes) < 5_000)
  const long = `data: "${'x'.repeat(100_000)}"\n\n`
  const pieces: Buffer[] = []
  for await (const piece of eventsOf(chunksOf(long, 65_536), undefined, undelivered)) pieces.push(piece)
  assert.equal(pieces[0]?.toString(), long.slice(0, -1))
})

const longText = '"\n'.repeat(500_000)
const longResult = { content: [{ type: 'text', text: longText }], isError: true, tools: [] }
const longAnswer = JSON.stringify({ jsonrpc: '2.0', id: 7, result: longResult })

/** Reads a body with a long result, and expects that the client package gets an empty one. */
async function readLong(t: TestContext, bodyOf: (deliver: (message: unknown) => void) => AsyncIterable<Buffer>) {
  const delivered: { id: number; result: object }[] = []
  let text = ''
  const turns = await loopTurns(t, async () => {
    text = await read(bodyOf((message) => delivered.push(message as (typeof delivered)[number])))
  })
  const [{ id, result } = { id: 0, result: {} }] = delivered
  assert.deepEqual([delivered.length, id, wholeOfShort(result)], [1, 7, longResult])
  assert.ok(JSON.stringify({ ...result, _meta: {} }).length < 100)
  assert.ok(turns > 20, `${turns} turns of the event loop`)
  return text
}

test('a long answer is parsed in pieces and goes past the client package, which gets an empty one', async (t) => {
  const text = await readLong(t, (deliver) => wholeOf(chunksOf(longAnswer, 65_536), 7, deliver))
  assert.equal(text, '{"jsonrpc":"2.0","id":7,"result":{}}')
})

for (const end of ['\n', '\r', '\r\n']) {
  test(`so does a long event, and the others pass unchanged: lines end with ${JSON.stringify(end)}`, async (t) => {
    const before = `: hello${end}data: 1${end}${end}`
    const [first, last] = [longAnswer.slice(0, 24), longAnswer.slice(24)]
    const long = `id: 5${end}event: message${end}data: ${first}${end}data:${last}${end}${end}`
    const after = `data: 2${end}${end}`
    const text = await readLong(t, (deliver) => eventsOf(chunksOf(before + long + after, 65_536), undefined, deliver))
    const short = 'id: 5\nevent: message\ndata: {"jsonrpc":"2.0","id":7,"result":{}}\n\n'
    assert.equal(text, before + short + after)
  })
}

test('an event of very many lines is read in the pace of the event loop', async (t) => {
  const event = `${':\n'.repeat(2_000)}data: 1\n\n`
  let text = ''
  const turns = await loopTurns(t, async () => {
    text = await read(eventsOf(chunksOf(event, 65_536), undefined, undelivered))
  })
  assert.equal(text, event)
  assert.ok(turns > 500, `${turns} turns of the event loop`)
})

test('a long text that is no message is refused', async () => {
  const long = `[${'"",'.repeat(50_000)}""]`
  await assert.rejects(read(wholeOf(chunksOf(long, 65_536), 7, undelivered)), /is no message/)
})

for (const [what, body, isAnswered] of [
  ['an answer to it', '{"jsonrpc":"2.0","id":7,"result":{}}', true],
  ['an answer with its number as a text', '{"jsonrpc":"2.0","id":"7","result":{}}', true],
  [
    'an answer to it behind a notification',
    '[{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":7,"result":{}}]',
    true,
  ],
  ['an error without a number', '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no"}}', true],
  ['something else than a message', '{"id":8}', true],
  ['an answer to another one', '{"jsonrpc":"2.0","id":8,"result":{}}', false],
  ['a request of the same number', '{"jsonrpc":"2.0","id":7,"method":"ping"}', false],
  ['a notification', '{"jsonrpc":"2.0","method":"x"}', false],
  ['no message', '[]', false],
] as const) {
  test(`a request gets ${isAnswered ? 'the whole body' : 'an error in place'} of ${what}`, async () => {
    const text = await read(wholeOf(chunksOf(body, 3), 7, undelivered))
    if (isAnswered) assert.equal(text, body)
    else assert.deepEqual(JSON.parse(text), { jsonrpc: '2.0', id: 7, error: { code: lostCode, message: noAnswer } })
    assert.equal(
      await read(wholeOf(chunksOf(body, 3), undefined, undelivered)),
      body,
      'nothing waits for a notification',
    )
  })
}

const noAnswer = 'it sent no answer to this request'
