// Answers to requests that cannot be parsed, and the small checks of bodies.
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { checkAnnouncedSize, checkEncoding, checkType, isBlank, tooLarge } from '#http/body.ts'
import { answerClientError } from '#http/client-errors.ts'

function answer(code: string | undefined, over: object = {}) {
  const done: string[] = []
  const socket = {
    writable: true,
    destroy: () => done.push('destroyed'),
    end: (text: string, ended: () => void) => {
      done.push(text)
      ended()
    },
    ...over,
  } as unknown as Socket
  answerClientError(Object.assign(new Error('x'), code === undefined ? {} : { code }), socket)
  return done
}

for (const [code, line, type] of [
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout', 'request_timeout'],
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large', 'too_large'],
  ['HPE_INVALID_METHOD', '400 Bad Request', 'invalid_input'],
  [undefined, '400 Bad Request', 'invalid_input'],
] as const) {
  test(`a request that fails with ${code} is answered ${line}, and its connection ends`, () => {
    const [text = '', ...rest] = answer(code)
    assert.deepEqual(rest, ['destroyed'])
    const [head = '', body = ''] = text.split('\r\n\r\n')
    assert.ok(head.startsWith(`HTTP/1.1 ${line}\r\n`))
    assert.match(head, new RegExp(`\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`))
    assert.match(head, /\r\nConnection: close$/)
    assert.ok(body.includes(`"${type}"`), body)
  })
}

test('nothing is written into an answer that began, or to a connection that is gone', () => {
  assert.deepEqual(answer('ECONNRESET'), ['destroyed'])
  assert.deepEqual(answer('HPE_HEADER_OVERFLOW', { writable: false }), ['destroyed'])
  assert.deepEqual(answer('HPE_HEADER_OVERFLOW', { _httpMessage: { headersSent: true } }), ['destroyed'])
  assert.equal(answer('HPE_HEADER_OVERFLOW', { _httpMessage: { headersSent: false } }).length, 2)
})

test('the type, encoding and announced size of a body are checked before it is read', () => {
  const typed = (type?: string) => () =>
    checkType(type === undefined ? {} : { 'content-type': type }, 'application/json')
  for (const type of ['application/json', ' Application/JSON ; charset=utf-8']) assert.doesNotThrow(typed(type))
  for (const type of [undefined, '', 'text/plain', 'application/jsonx'])
    assert.throws(typed(type), { code: 'unsupported_media_type', param: 'Content-Type' })
  for (const encoding of [undefined, 'identity', 'Identity'])
    assert.doesNotThrow(() => checkEncoding(encoding === undefined ? {} : { 'content-encoding': encoding }))
  assert.throws(() => checkEncoding({ 'content-encoding': 'gzip' }), { param: 'Content-Encoding' })
  for (const size of [undefined, '10'])
    assert.doesNotThrow(() => checkAnnouncedSize(size ? { 'content-length': size } : {}, 10))
  assert.throws(() => checkAnnouncedSize({ 'content-length': '11' }, 10), { code: 'too_large' })
})

test('a size is told in the unit that people know', () => {
  assert.equal(tooLarge(64 * 1024).message, 'the body is larger than 64 KB (65536 bytes)')
  assert.equal(tooLarge(1024 * 1024).message, 'the body is larger than 1 MiB')
  assert.equal(tooLarge(14 * 1024 * 1024, 'file').message, 'the file is larger than 14 MiB')
})

test('a body of blanks says nothing', () => {
  for (const [body, blank] of [
    ['', true],
    [' \r\n\t', true],
    ['!', false],
    [' x', false],
    [' '.repeat(64 * 1024), true],
    [' '.repeat(64 * 1024 + 1), false],
  ] as const)
    assert.equal(isBlank(Buffer.from(body)), blank, JSON.stringify(body.slice(0, 9)))
})
