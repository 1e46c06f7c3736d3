// Attachments of messages that are sent over HTTP: pictures, texts and PDFs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import type { ModelRequest } from '#core/model.ts'
import { fileOrigin } from '#core/origins.ts'
import type { ReadPdf } from '#core/pdf.ts'
import { fence } from '../../safety/test-fence.ts'
import { type Say, says } from '../test-app.ts'
import { openHouse, operatorToken } from './house.ts'
import { pdfOf } from '../../pdf.ts'
import { until } from '../../until.ts'

const png = Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1').toString('base64')

test('a repeated send with a PDF gets its first answer; one that nobody has time to read is a 503', async (t) => {
  let reads = 0
  const readPdf = () =>
    ++reads > 1
      ? Promise.reject(new AppError('overloaded', 'too many PDFs wait: try again in a moment'))
      : Promise.resolve({ title: '', pages: 1, texts: ['High water'] })
  const { call } = await openHouse(t, { readPdf })
  const data = Buffer.from('%PDF-1.4').toString('base64')
  const body = { message: 'look', attachments: [{ name: 'a.pdf', media_type: 'application/pdf', data }] }
  const send = (key: string) => call('POST', '/api/chat/send', { body, headers: { 'idempotency-key': key } })
  const first = await send('pdf-1')
  const again = await send('pdf-1')
  assert.deepEqual([again.status, again.json, reads], [202, first.json, 1])
  const busy = await send('pdf-2')
  assert.deepEqual([busy.status, busy.json.error.code, reads], [503, 'overloaded', 2])
  assert.ok(Number(busy.headers.get('retry-after')) > 0)
})

test('the reading of a PDF ends when its sender leaves, and at shutdown', async (t) => {
  const signals: AbortSignal[] = []
  const readPdf: ReadPdf = (_bytes, signal) => {
    signals.push(signal)
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
  }
  const reasons = () => signals.map(({ reason }) => (reason as AppError | undefined)?.code)
  const { call, close, url } = await openHouse(t, { readPdf })
  const data = Buffer.from('%PDF-1.4').toString('base64')
  const body = { message: 'look', attachments: [{ name: 'a.pdf', media_type: 'application/pdf', data }] }
  const leave = new AbortController()
  const headers = { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' }
  const sent = { method: 'POST', headers, body: JSON.stringify(body), signal: leave.signal }
  const left = assert.rejects(fetch(`${url}/api/chat/send`, sent))
  await until(() => signals.length === 1)
  leave.abort()
  await left
  await until(() => reasons()[0] === 'request_timeout')
  const last = call('POST', '/api/chat', { body }).catch(() => {})
  await until(() => signals.length === 2)
  await close()
  await last
  assert.deepEqual(reasons(), ['request_timeout', 'shutting_down'])
})

test('a message whose files are read after its user was removed is refused, and nothing of it is stored', async (t) => {
  const read = Promise.withResolvers<{ title: string; pages: number; texts: string[] }>()
  let reads = 0
  const readPdf: ReadPdf = () => {
    reads++
    return read.promise
  }
  const { call, store, addUser } = await openHouse(t, { readPdf })
  const token = await addUser('ada')
  const { id } = (await call('GET', '/api/users')).json.users[0]
  const data = Buffer.from('%PDF-1.4').toString('base64')
  const body = { message: 'look', attachments: [{ name: 'a.pdf', media_type: 'application/pdf', data }] }
  const sent = ['/api/chat', '/api/chat/send'].map((path) => call('POST', path, { token, body }))
  await until(() => reads === sent.length)
  await call('DELETE', '/api/users/ada')
  read.resolve({ title: '', pages: 1, texts: ['High water'] })
  for (const { status, json } of await Promise.all(sent)) {
    assert.deepEqual([status, json.error.code], [401, 'unauthorized'])
  }
  assert.deepEqual((await store.turns.list(id, { limit: 10 })).rows, [])
})

test('attachments become pictures and texts of the message', async (t) => {
  let content: unknown
  const say: Say = ({ items }: ModelRequest) => {
    content = items[0]?.type === 'message' && items[0].content
    return says('seen')
  }
  const { call } = await openHouse(t, { say })
  const text = Buffer.from('grüße').toString('base64')
  const attachments = [
    { name: 'a.png', media_type: 'image/png', data: png },
    { name: 'b.txt', media_type: 'text/plain; charset=utf-8', data: text },
    { name: 'c.json', media_type: 'application/ld+json', data: Buffer.from('{}').toString('base64') },
  ]
  const { json } = await call('POST', '/api/chat', { body: { message: 'look', attachments } })
  assert.equal(json.response, 'seen')
  // What stands in a file is its writer's word, not the user's.
  const fenced = (name: string, inside: string): string => `\n${fence(inside, fileOrigin(name))}\n`
  assert.deepEqual(content, [
    { type: 'text', text: 'look' },
    { type: 'image', url: `data:image/png;base64,${png}` },
    { type: 'text', text: fenced('b.txt', 'grüße'), origin: fileOrigin('b.txt') },
    { type: 'text', text: fenced('c.json', '{}'), origin: fileOrigin('c.json') },
  ])
})

test('a PDF becomes the text of its pages, which are told; one without text and one that is locked are refused', async (t) => {
  let prompt = ''
  const say: Say = ({ items }: ModelRequest) => {
    prompt = JSON.stringify(items)
    return says('seen')
  }
  const { call } = await openHouse(t, { say })
  const attached = (text: string, media_type = 'application/pdf') => ({
    message: 'look',
    attachments: [{ name: 'tides.pdf', media_type, data: Buffer.from(text, 'latin1').toString('base64') }],
  })
  for (const type of ['application/pdf', 'application/octet-stream']) {
    const { json } = await call('POST', '/api/chat', { body: attached(pdfOf(['High water', 'Low water']), type) })
    assert.equal(json.response, 'seen')
    assert.match(prompt, /\[page 1 of 2\]\\nHigh water\\n\\n\[page 2 of 2\]\\nLow water/)
    assert.ok(prompt.includes(fileOrigin('tides.pdf')), 'as a text from outside')
    const [message] = (await call('GET', `/api/threads/${json.thread_id}`)).json.items
    assert.deepEqual(message.content[1].pages, { all: 2, read: 2 })
  }
  for (const [text, says] of [
    [pdfOf(['', '']), /without text: its pages are pictures/],
    [pdfOf(['x'], { locked: true }), /protected by a password\. Attach a copy without/],
    ['no PDF', /is not a PDF/],
  ] as const) {
    const { status, json } = await call('POST', '/api/chat/send', { body: attached(text) })
    assert.deepEqual([status, json.error.param], [400, 'attachments[0].data'])
    assert.match(json.error.message, says)
  }
})
