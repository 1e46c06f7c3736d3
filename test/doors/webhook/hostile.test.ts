// Slow, broken and hostile senders: each gets a clear answer that names the field, and none holds the door.
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { operator } from '#core/ids.ts'
import { until } from '../../until.ts'
import { openHouse, secret } from './house.ts'

const hello = '{"user_id":"ada","message":"hello"}'
const head = `POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Webhook-Secret: ${secret}\r\n`

/** A raw connection; `answer` is all that came before its end, or before it held what is looked for. */
function open(t: TestContext, port: number): Socket & { answer: (until?: RegExp) => Promise<string> } {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  socket.on('error', () => {})
  t.after(() => socket.destroy())
  const answer = (until?: RegExp): Promise<string> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (until?.test(text)) resolve(text)
      }
      look()
      socket.on('data', look)
      if (socket.closed) resolve(text)
      socket.once('close', () => resolve(text))
    })
  return Object.assign(socket, { answer })
}

/** Sends a head and waits until the door reads its body. */
async function beginBody(socket: ReturnType<typeof open>): Promise<void> {
  socket.write(`${head}Content-Length: ${hello.length}\r\nExpect: 100-continue\r\n\r\n`)
  assert.match(await socket.answer(/Continue/), /^HTTP\/1\.1 100 Continue/)
}

const nested = (depth: number, inside = '1'): string => '{"a":'.repeat(depth) + inside + '}'.repeat(depth)

const refused: readonly [what: string, body: string | Buffer, message: RegExp][] = [
  ['no body', '', /empty/],
  ['white space', ' \n', /empty/],
  ['no JSON', 'user_id=ada', /not valid JSON/],
  ['half an object', '{"user_id":"ada"', /not valid JSON/],
  ['two objects', hello + hello, /not valid JSON/],
  ['a raw NUL', '{"user_id":"a\0da","message":"hello"}', /not valid JSON/],
  ['a number NaN', '{"user_id":"ada","message":NaN}', /not valid JSON/],
  ['a list', `[${hello}]`, /JSON object/],
  ['a text', '"hello"', /JSON object/],
  ['null', 'null', /JSON object/],
  ['invalid UTF-8', Buffer.from('7b22757365725f6964223a22ff227d', 'hex'), /UTF-8/],
  [
    'half a character',
    Buffer.concat([Buffer.from('{"user_id":"ada","message":"'), Buffer.from([0xc3]), Buffer.from('"}')]),
    /UTF-8/,
  ],
  ['nothing in it', '{}', /user_id is missing/],
  ['no message', '{"user_id":"ada"}', /message is missing/],
  ['a null user', '{"user_id":null,"message":"hello"}', /user_id is missing/],
  ['a number as user', '{"user_id":7,"message":"hello"}', /user_id must be a string/],
  ['an empty user', '{"user_id":"","message":"hello"}', /user_id must have 1 to 200/],
  ['a long user', `{"user_id":"${'a'.repeat(201)}","message":"hello"}`, /user_id must have 1 to 200/],
  ['a NUL in the user', '{"user_id":"a\\u0000","message":"hello"}', /user_id contains a NUL/],
  ['half a pair in the user', '{"user_id":"a\\ud800","message":"hello"}', /user_id contains an unpaired surrogate/],
  ['an object as message', '{"user_id":"ada","message":{}}', /message must be a string/],
  ['a huge number as message', '{"user_id":"ada","message":1e999}', /message must be a string/],
  ['an empty message', '{"user_id":"ada","message":""}', /message is empty/],
  ['a blank message', '{"user_id":"ada","message":" \\n\\t"}', /message is empty/],
  ['a NUL in the message', '{"user_id":"ada","message":"a\\u0000b"}', /message contains a NUL/],
  [
    'a number as conversation',
    `{"user_id":"ada","message":"m","conversation_id":1}`,
    /conversation_id must be a string/,
  ],
  [
    'an empty conversation',
    `{"user_id":"ada","message":"m","conversation_id":""}`,
    /conversation_id must have 1 to 200/,
  ],
  [
    'a long conversation',
    `{"user_id":"ada","message":"m","conversation_id":"${'😀'.repeat(201)}"}`,
    /conversation_id must have/,
  ],
  [
    'a NUL in the conversation',
    `{"user_id":"ada","message":"m","conversation_id":"\\u0000"}`,
    /conversation_id contains a NUL/,
  ],
  ['a text as metadata', `{"user_id":"ada","message":"m","metadata":"x"}`, /metadata must be an object/],
  ['a number as metadata', `{"user_id":"ada","message":"m","metadata":1e5}`, /metadata must be an object/],
  ['a list as metadata', `{"user_id":"ada","message":"m","metadata":[]}`, /metadata must be an object/],
  ['a NUL in metadata', `{"user_id":"ada","message":"m","metadata":{"a":"\\u0000"}}`, /metadata\.a contains a NUL/],
  ['a NUL in a key', `{"user_id":"ada","message":"m","metadata":{"\\u0000":1}}`, /a key of metadata contains a NUL/],
  ['deep metadata', `{"user_id":"ada","message":"m","metadata":${nested(64)}}`, /metadata is nested deeper than 64/],
  ['a deep unknown field', `{"user_id":"ada","message":"m","x":${nested(9_000)}}`, /x is nested deeper than 64/],
  ['a deep list', '['.repeat(30_000) + ']'.repeat(30_000), /the body is nested deeper/],
  ['a user twice', '{"user_id":"ada","message":"m","user_id":"bob"}', /user_id appears twice/],
  ['a user twice, once escaped', '{"user_id":"ada","message":"m","\\u0075ser_id":"bob"}', /user_id appears twice/],
  [
    'a key of metadata twice',
    '{"user_id":"ada","message":"m","metadata":{"a":{"b":1,"b":2}}}',
    /metadata\.a\.b appears twice/,
  ],
]

test('a body that breaks a rule is 400 and names the field', async (t) => {
  const house = await openHouse(t)
  for (const [what, body, message] of refused) {
    const answer = await house.post(body)
    assert.deepEqual([what, answer.status, answer.json.error?.code], [what, 400, 'invalid_input'])
    assert.match(answer.json.error.message, message, what)
  }
  assert.equal((await house.turns.list(operator, { limit: 1 })).rows.length, 0)
})

const taken: readonly [what: string, body: string][] = [
  ['unknown fields', `{"user_id":"ada","message":"m","priority":1e999,"x":{"y":null},"":[]}`],
  ['the longest names', `{"user_id":"${'😀'.repeat(200)}","message":"m","conversation_id":"${'c'.repeat(200)}"}`],
  ['a byte order mark', `\ufeff${hello}`],
  ['the deepest metadata', `{"user_id":"ada","message":"m","metadata":${nested(63)}}`],
  ['the same key in two objects', `{"user_id":"ada","message":"m","metadata":{"a":{"user_id":1},"b":{"user_id":1}}}`],
  ['brackets in a text', `{"user_id":"ada","message":"${'[{\\"a\\":'.repeat(100)}"}`],
  ['a number that no other holds', `{"user_id":"ada","message":"m","metadata":{"a":[{"b":1e999}]}}`],
  ['the largest number', `{"user_id":"ada","message":"m","metadata":{"n":9007199254740991,"m":-1.5e-300}}`],
  ['names of the language', `{"user_id":"__proto__","message":"m","conversation_id":"constructor"}`],
  ['65,536 bytes', `{"user_id":"ada","message":"${'x'.repeat(65_536 - 31)}"}`],
]

test('a body that keeps the rules is taken', async (t) => {
  const house = await openHouse(t)
  for (const [what, body] of taken) {
    const { status, json } = await house.post(body)
    assert.deepEqual([what, status], [what, 200], JSON.stringify(json))
    assert.equal((await house.completed(json.job_id)).json.error, undefined)
  }
})

test('only JSON in UTF-8 is taken', async (t) => {
  const house = await openHouse(t)
  const good = [
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/vnd.github+json',
    'application/cloudevents+json; version=1; charset=utf-8',
  ]
  for (const type of good) assert.equal((await house.post(hello, { 'content-type': type })).status, 200, type)
  const bad = [
    null,
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'text/json',
    'application/jsonp',
    'application/json; charset=utf-16',
    'multipart/form-data; boundary=x',
  ]
  for (const type of bad) {
    // fetch would name a type of its own for a text.
    const answer = await house.post(type === null ? Buffer.from(hello) : hello, { 'content-type': type })
    assert.deepEqual([type, answer.status, answer.json.error.code], [type, 415, 'unsupported_media_type'])
  }
  assert.equal((await house.post(hello, { 'content-encoding': 'gzip' })).status, 415)
})

test('a body over 64 KB is 413, announced or not, and is not read on', async (t) => {
  const house = await openHouse(t)
  const announced = open(t, house.door.port)
  announced.write(`${head}Content-Length: 65537\r\n\r\n`)
  assert.match(await announced.answer(/"\}\}/), /^HTTP\/1\.1 413 .*connection: close\r\n.*too_large/is)
  const asked = open(t, house.door.port)
  asked.write(`${head}Content-Length: 99999999\r\nExpect: 100-continue\r\n\r\n`)
  assert.match(await asked.answer(/"\}\}/), /^HTTP\/1\.1 413 /)
  const streamed = open(t, house.door.port)
  streamed.write(`${head}Transfer-Encoding: chunked\r\n\r\n`)
  for (let at = 0; at < 5; at++) streamed.write(`4000\r\n${' '.repeat(0x4000)}\r\n`)
  assert.match(await streamed.answer(/"\}\}/), /^HTTP\/1\.1 413 .*too_large/s)
})

test('a client that asks first is told to go on', async (t) => {
  const house = await openHouse(t)
  const socket = open(t, house.door.port)
  await beginBody(socket)
  socket.write(hello)
  assert.match(await socket.answer(/job_id/), /HTTP\/1\.1 200 OK/)
})

test('half-sent requests time out with an answer, and nothing is stored', async (t) => {
  const house = await openHouse(t, { timeouts: { headersMs: 300, requestMs: 300, checkMs: 50 } })
  const halfBody = open(t, house.door.port)
  halfBody.write(`${head}Content-Length: ${hello.length}\r\n\r\n${hello.slice(0, 20)}`)
  const halfHead = open(t, house.door.port)
  halfHead.write(head)
  const dripping = open(t, house.door.port)
  dripping.write(`${head}Content-Length: ${hello.length}\r\n\r\n`)
  let at = 0
  const drip = setInterval(() => dripping.write(hello[at++] ?? ''), 100)
  t.after(() => clearInterval(drip))
  for (const socket of [halfBody, halfHead, dripping]) {
    const answer = await socket.answer()
    assert.match(answer, /^HTTP\/1\.1 408 .*"code":"request_timeout"/s)
  }
  const left = open(t, house.door.port)
  left.write(`${head}Content-Length: ${hello.length}\r\n\r\n${hello.slice(0, 20)}`)
  left.end()
  await left.answer()
  assert.equal((await house.turns.list(operator, { limit: 1 })).rows.length, 0)
  // A machine that has much to do may take longer than these bounds for a whole one too.
  await until(async () => (await house.post(hello)).status === 200)
})

test('what is no HTTP gets a 400, and too long a head a 431', async (t) => {
  const house = await openHouse(t)
  const garbage = open(t, house.door.port)
  garbage.write('\x16\x03\x01 hello\r\n\r\n')
  assert.match(await garbage.answer(), /^HTTP\/1\.1 400 .*"error"/s)
  const both = open(t, house.door.port)
  both.write(`${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`)
  assert.match(await both.answer(), /^HTTP\/1\.1 400 /)
  const long = open(t, house.door.port)
  long.write(`${head}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`)
  assert.match(await long.answer(), /^HTTP\/1\.1 431 .*"error"/s)
})

test('while the door closes, a request on an open connection is 503 and the connection ends', async (t) => {
  const house = await openHouse(t)
  const second = open(t, house.door.port)
  second.write('GET /jobs/x HTTP/1.1\r\nHo')
  const socket = open(t, house.door.port)
  await beginBody(socket)
  const closing = house.door.close(30_000)
  socket.write(hello)
  second.write(`st: x\r\nX-Webhook-Secret: ${secret}\r\n\r\n`)
  // What had come in before is still taken.
  assert.match(await socket.answer(), /HTTP\/1\.1 200 .*connection: close.*job_id/is)
  assert.match(await second.answer(), /^HTTP\/1\.1 503 .*retry-after: 5.*shutting_down/is)
  await closing
  await assert.rejects(house.post(hello))
  await house.door.close(0)
})

test('a request that never ends does not hold the close for longer than its grace', { timeout: 30_000 }, async (t) => {
  const house = await openHouse(t)
  const socket = open(t, house.door.port)
  await beginBody(socket)
  await house.door.close(100)
  await assert.rejects(house.post(hello))
})

test('a whole URL as the target of a request is taken by its path', async (t) => {
  const { door } = await openHouse(t)
  for (const scheme of ['http', 'HTTPS']) {
    const socket = open(t, door.port)
    const whole = head.replace(' /webhook ', ` ${scheme}://agent.example/webhook `)
    socket.write(`${whole}Content-Length: ${hello.length}\r\nConnection: close\r\n\r\n${hello}`)
    assert.match(await socket.answer(), /^HTTP\/1\.1 200 [^]*"job_id"/, scheme)
  }
})

test('a client of HTTP/1.0 is not told to go on', async (t) => {
  const { door } = await openHouse(t)
  const socket = open(t, door.port)
  const old = head.replace('HTTP/1.1', 'HTTP/1.0')
  socket.write(`${old}Content-Length: ${hello.length}\r\nExpect: 100-continue\r\n\r\n${hello}`)
  assert.match(await socket.answer(/\r\n\r\n/), /^HTTP\/1\.1 200 /)
})

test('a request without a Host, and one with an unknown expectation, get an answer of the channel and count', async (t) => {
  const { door } = await openHouse(t, { ratePerMinute: 2 })
  const send = (head: string): Promise<string> => {
    const socket = open(t, door.port)
    socket.write(`POST /webhook HTTP/1.1\r\nConnection: close\r\nContent-Length: 0\r\n${head}\r\n`)
    return socket.answer()
  }
  assert.match(await send(''), /^HTTP\/1\.1 400 [\s\S]*x-request-id: [\s\S]*no Host header/i)
  assert.match(
    await send('Host: x\r\nExpect: wonders\r\n'),
    /^HTTP\/1\.1 401 [\s\S]*x-request-id: [\s\S]*"unauthorized"/i,
  )
  assert.match(await send('Host: x\r\n'), /^HTTP\/1\.1 429 /)
})

test('a request with two Hosts is refused', async (t) => {
  const { door } = await openHouse(t)
  const socket = open(t, door.port)
  socket.write('POST /webhook HTTP/1.1\r\nHost: x\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
  assert.match(await socket.answer(), /^HTTP\/1\.1 400 [\s\S]*more than one Host header/)
})
