// Bodies of requests: their limits, their types, and clients that ask before they send one.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { hashToken } from '#lib/token.ts'
import { openHouse, operatorToken } from '../doors/web/house.ts'
import { openBare } from './socket.ts'

const bearer = `Authorization: Bearer ${operatorToken}\r\n`
const head = `POST /api/chat HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${bearer}`
const mebibyte = 1024 * 1024
type Fault = { readonly error: { readonly message: string } }

test('a body of 14 MiB is read, one byte more is 413', async (t) => {
  const { call } = await openHouse(t)
  const body = (size: number) => `{"message":"hi","more":"${'a'.repeat(size - 26)}"}`
  assert.equal(Buffer.byteLength(body(14 * mebibyte)), 14 * mebibyte)
  assert.equal((await call('POST', '/api/chat', { body: body(14 * mebibyte) })).status, 200)
  for (const path of ['/api/chat', '/api/users']) {
    const refused = await call('POST', path, { body: body(14 * mebibyte + 1) })
    assert.equal(refused.status, 413)
    assert.equal(refused.json.error.code, 'too_large')
  }
})

test('a body of unknown length is cut off at the limit of its route, which is told', async (t) => {
  const { url } = await openHouse(t)
  for (const [path, limit] of [
    ['/api/chat', '14 MiB'],
    ['/api/login', '16 KB (16384 bytes)'],
  ]) {
    let sent = 0
    const stream = new ReadableStream({
      pull(controller) {
        controller.enqueue(Buffer.alloc(mebibyte, 'a'))
        if (++sent === 16) controller.close()
      },
    })
    const headers = { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' }
    const response = await fetch(url + path, { method: 'POST', headers, body: stream, duplex: 'half' })
    assert.equal(response.status, 413)
    assert.equal(((await response.json()) as Fault).error.message, `the body is larger than ${limit}`)
  }
})

test('an announced length over the limit is refused before a byte is sent', async (t) => {
  const { port } = await openHouse(t)
  const bare = openBare(port)
  bare.write(`${head}Expect: 100-continue\r\nContent-Length: ${14 * mebibyte + 1}\r\n\r\n`)
  assert.match(await bare.until('too_large'), /^HTTP\/1.1 413 /)
  bare.end()
})

test('an answer that does not wait for the body says that the connection ends', async (t) => {
  const { port } = await openHouse(t)
  const anonymous = 'POST /api/chat HTTP/1.1\r\nHost: a\r\n'
  for (const [request, status] of [
    [`${anonymous}Content-Length: ${mebibyte}`, 401],
    [`${anonymous}Transfer-Encoding: chunked`, 401],
    ['GET /api/health HTTP/1.1\r\nHost: a\r\nContent-Length: 9', 200],
    [`${head}Expect: 100-continue\r\nContent-Length: ${15 * mebibyte}`, 413],
  ] as const) {
    const bare = openBare(port)
    bare.write(`${request}\r\n\r\n`)
    const answer = await bare.until('\r\n\r\n')
    assert.ok(answer.startsWith(`HTTP/1.1 ${status} `), answer)
    assert.match(answer, /\r\nconnection: close\r\n/i)
    bare.end()
  }
})

test('a refused request that came with its whole body keeps its connection', async (t) => {
  const { port } = await openHouse(t)
  const anonymous = 'POST /api/chat HTTP/1.1\r\nHost: a\r\n'
  for (const [request, status] of [
    [`${anonymous}Content-Length: 2\r\n\r\n{}`, 401],
    [`${anonymous}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`, 401],
    [`POST /nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}`, 404],
  ] as const) {
    const bare = openBare(port)
    bare.write(request)
    const answer = await bare.until('\r\n\r\n')
    assert.ok(answer.startsWith(`HTTP/1.1 ${status} `), answer)
    assert.match(answer, /\r\nconnection: keep-alive\r\n/i)
    bare.write('GET /api/health HTTP/1.1\r\nHost: a\r\n\r\n')
    await bare.until('{"status":"ok"}')
    bare.end()
  }
})

test('who sends a whole body, and the end of the connection with it, can read why it was refused', async (t) => {
  const { port } = await openHouse(t)
  const socket = connect(port, '127.0.0.1')
  const size = 15 * mebibyte
  // Nothing is read before all is written, as simple clients have it.
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.write(`${head}Connection: close\r\nContent-Length: ${size}\r\n\r\n`)
    socket.write('a'.repeat(size), (fault) => (fault ? reject(fault) : resolve()))
  })
  assert.match((await socket.setEncoding('utf8').take(1).toArray()).join(''), /^HTTP\/1.1 413 /)
  socket.destroy()
})

test('an unknown expectation is ignored', async (t) => {
  const { port } = await openHouse(t)
  const bare = openBare(port)
  bare.write(`${head}Expect: wonders\r\nContent-Length: 16\r\n\r\n{"message":"hi"}`)
  assert.match(await bare.until('you said'), /HTTP\/1.1 200 OK[\s\S]*x-request-id: /i)
  bare.end()
})

test('a client that asks first is told to go on', async (t) => {
  const { port } = await openHouse(t)
  const bare = openBare(port)
  bare.write(`${head}Expect: 100-continue\r\nContent-Length: 16\r\n\r\n`)
  assert.match(await bare.until('\r\n\r\n'), /^HTTP\/1.1 100 Continue/)
  bare.write('{"message":"hi"}')
  assert.match(await bare.until('you said'), /HTTP\/1.1 200 OK/)
  bare.end()
})

test('a client that asks first with a wrong type is refused, not told to go on', async (t) => {
  const { port } = await openHouse(t)
  const bare = openBare(port)
  bare.write(`${head.replace('application/json', 'text/plain')}Expect: 100-continue\r\nContent-Length: 16\r\n\r\n`)
  assert.match(await bare.until('unsupported_media_type'), /^HTTP\/1.1 415 /)
  bare.end()
})

test('a client of HTTP/1.0 is not told to go on', async (t) => {
  const { port } = await openHouse(t)
  const bare = openBare(port)
  const old = head.replace('HTTP/1.1', 'HTTP/1.0')
  bare.write(`${old}Expect: 100-continue\r\nContent-Length: 16\r\n\r\n{"message":"hi"}`)
  assert.match(await bare.until('you said'), /^HTTP\/1.1 200 OK/)
  bare.end()
})

test('other media types are 415, and a body without one', async (t) => {
  const { call } = await openHouse(t)
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'nonsense']) {
    const { status, json } = await call('POST', '/api/chat', {
      body: '{"message":"hi"}',
      headers: { 'content-type': type },
    })
    assert.equal(status, 415, type)
    assert.equal(json.error.code, 'unsupported_media_type')
  }
  const charset = { 'content-type': 'Application/JSON; charset=UTF-8' }
  assert.equal((await call('POST', '/api/chat', { body: '{"message":"hi"}', headers: charset })).status, 200)
})

test('a compressed body is 415, whichever door it comes to', async (t) => {
  const { call } = await openHouse(t)
  for (const [path, encoding] of [
    ['/api/chat', 'gzip'],
    ['/api/v1/responses', 'br'],
    ['/v1/responses', 'gzip, identity'],
  ] as const) {
    const headers = { 'content-encoding': encoding }
    const { status, json } = await call('POST', path, { body: '{"message":"hi"}', headers })
    assert.equal(status, 415, path)
    assert.equal(json.error.code, 'unsupported_media_type')
    assert.match(json.error.message, /not compressed/)
  }
  const identity = { 'content-encoding': 'Identity' }
  assert.equal((await call('POST', '/api/chat', { body: { message: 'hi' }, headers: identity })).status, 200)
})

test('a body that comes after its user was removed is refused, and nothing of it is stored', async (t) => {
  const { port, store, call } = await openHouse(t)
  const token = 'a-token-of-cleo'
  const { id } = await store.accounts.addUser('cleo', { hash: hashToken(token) })
  const body = JSON.stringify({ path: 'notes.md', content: 'late' })
  const bare = openBare(port)
  bare.write(`PUT /api/memory/documents/notes.md HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`)
  bare.write(`Authorization: Bearer ${token}\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`)
  await bare.until('100 Continue')
  assert.equal((await call('DELETE', '/api/users/cleo')).status, 200)
  bare.write(body)
  assert.match(await bare.until('sign in again'), /HTTP\/1.1 401 /)
  assert.equal(await store.documents.get(id, 'notes.md'), undefined)
  bare.end()
})

test('the token of a body that comes with its head is looked up once', async (t) => {
  const { port, store } = await openHouse(t)
  const token = 'a-token-of-cleo'
  await store.accounts.addUser('cleo', { hash: hashToken(token) })
  const lookups = t.mock.method(store.accounts, 'findByToken')
  const body = JSON.stringify({ path: 'notes.md', content: 'early' })
  const bare = openBare(port)
  bare.write(
    `PUT /api/memory/documents/notes.md HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n` +
      `Authorization: Bearer ${token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  assert.match(await bare.until('\r\n\r\n'), /HTTP\/1.1 20[01] /)
  assert.equal(lookups.mock.callCount(), 1)
  bare.end()
})
