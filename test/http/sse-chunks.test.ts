// The chunks of an event stream on the wire: whole events each, and an end after which the connection goes on.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test, type TestContext } from 'node:test'
import type { FastifyReply } from 'fastify'
import { type EventWriter, openEvents } from '#http/sse.ts'

/** What a client gets for these requests on one connection, after the header fields of each answer. */
async function bodiesOf(
  t: TestContext,
  requests: readonly string[],
  tell: (writer: EventWriter) => Promise<void>,
): Promise<string[]> {
  const server = createServer((_, raw) => {
    const reply = { raw, hijack() {}, request: {} } as unknown as FastifyReply
    void tell(openEvents(reply, () => {}))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  t.after(() => socket.destroy())
  const bodies: string[] = []
  for (const request of requests) {
    socket.write(request)
    let text = ''
    while (!text.endsWith('done\n\n') && !text.endsWith('0\r\n\r\n')) text += String((await once(socket, 'data'))[0])
    bodies.push(text.slice(text.indexOf('\r\n\r\n') + 4))
  }
  return bodies
}

async function tellAll(writer: EventWriter): Promise<void> {
  writer.begin('data: one\n\n')
  writer.send('data: zwölf\n\n')
  await writer.sendInPieces(['', 'data: three', '\n\n'])
  writer.end('data: done\n\n')
}

test('each write is one chunk with its size in bytes, and the connection takes another request', async (t) => {
  const request = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n'
  const parts = ['data: one\n\ndata: zwölf\n\n', 'data: three', '\n\n', 'data: done\n\n', '']
  const body = parts.map((part) => `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`).join('')
  assert.deepEqual(await bodiesOf(t, [request, request], tellAll), [body, body])
})

test('a client of HTTP/1.0, which knows no chunks, gets the events alone', async (t) => {
  const request = 'POST / HTTP/1.0\r\nContent-Length: 0\r\n\r\n'
  const body = 'data: one\n\ndata: zwölf\n\ndata: three\n\ndata: done\n\n'
  assert.deepEqual(await bodiesOf(t, [request], tellAll), [body])
})

test('an end without a last event, and one before any event, end the stream', async (t) => {
  const request = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n'
  const bodies = await bodiesOf(t, [request, request], async (writer) => writer.end(''))
  assert.deepEqual(bodies, ['0\r\n\r\n', '0\r\n\r\n'])
})
