// Requests over HTTP: cancelled ones are ended, streams are taken up again after a wait.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createReconnection, endRequests } from '#mcp/http-requests.ts'

test('a stream is taken up again after at least a second, and at most thirty', () => {
  const waits: number[] = []
  const reconnection = createReconnection((_run, ms) => {
    waits.push(ms)
    return () => {}
  })
  for (let time = 0; time < 7; time++) reconnection.schedule(() => {}, 0)
  assert.deepEqual(waits, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  reconnection.onMessage()
  for (const asked of [0, 10_000, 2 ** 40]) reconnection.schedule(() => {}, asked)
  assert.deepEqual(waits.slice(7), [1000, 10_000, 30_000])
})

type Sent = {
  readonly message: JSONRPCMessage
  readonly signal: AbortSignal | undefined
  readonly end: (() => void) | undefined
}

function track(fail?: Error) {
  const sent: Sent[] = []
  const due: (() => void)[] = []
  const transport: Pick<StreamableHTTPClientTransport, 'send' | 'onmessage'> = {
    send(
      message: JSONRPCMessage | JSONRPCMessage[],
      options?: { requestSignal?: AbortSignal; onRequestStreamEnd?: () => void },
    ) {
      const { requestSignal: signal, onRequestStreamEnd: end } = options ?? {}
      if (!Array.isArray(message)) sent.push({ message, signal, end })
      return fail ? Promise.reject(fail) : Promise.resolve()
    },
  }
  let messages = 0
  endRequests(
    transport,
    () => void messages++,
    (run) => {
      due.push(run)
      return () => {}
    },
  )
  return { transport, sent, due, messages: () => messages }
}

const request = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, method: 'tools/call', params: {} })
const cancel = (requestId: number): JSONRPCMessage => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
})

test('a cancelled request is ended a while after the server was told; no other is', async () => {
  const { transport, sent, due } = track()
  await transport.send(request(1))
  await transport.send(request(2))
  await transport.send(cancel(1))
  assert.equal(sent[0]?.signal?.aborted, false)
  for (const run of due) run()
  assert.equal(sent[0]?.signal?.aborted, true)
  assert.equal(sent[1]?.signal?.aborted, false)
})

test('a request with an answer, or with a signal of the client package, is left alone', async () => {
  const { transport, sent, due, messages } = track()
  const seen: unknown[] = []
  Object.assign(transport, { onmessage: (message: unknown) => void seen.push(message) })
  await transport.send(request(1))
  const answer = { jsonrpc: '2.0' as const, id: 1, result: {} }
  transport.onmessage?.(answer)
  assert.deepEqual(seen, [answer])
  assert.equal(messages(), 1)
  const { signal } = new AbortController()
  await transport.send(request(2), { requestSignal: signal })
  assert.equal(sent[1]?.signal, signal)
  await transport.send(cancel(1))
  await transport.send(cancel(2))
  assert.equal(due.length, 0)
})

test('a request whose stream ends for good gets an error, one with an answer or a cancelled one none', async () => {
  const { transport, sent } = track()
  const seen: { id?: unknown; error?: { message: string } }[] = []
  Object.assign(transport, { onmessage: (message: (typeof seen)[number]) => void seen.push(message) })
  await transport.send(request(1))
  await transport.send(request(2), { requestSignal: new AbortController().signal })
  for (const id of [3, 4]) await transport.send(request(id))
  transport.onmessage?.({ jsonrpc: '2.0', id: 3, result: {} })
  await transport.send(cancel(4))
  for (const { end } of sent) end?.()
  const words = 'the stream of its answer ended and could not be taken up again'
  assert.deepEqual(
    seen.map(({ id, error }) => [id, error?.message]),
    [
      [3, undefined],
      [1, words],
      [2, words],
    ],
  )
})

test('a request that could not be sent has nothing to end', async () => {
  const { transport, due } = track(new Error('refused'))
  await assert.rejects(transport.send(request(1)), /refused/)
  await assert.rejects(transport.send(cancel(1)), /refused/)
  assert.equal(due.length, 0)
})
