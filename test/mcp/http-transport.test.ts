// What goes out over HTTP to a server, and what may come back, without a network.
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { type Bearer, createHttpTransport } from '#mcp/http.ts'
import type { OpenAnswer, Outgoing, StreamDial } from '#net/dial.ts'
import { until } from '../until.ts'

type Answer = { readonly status: number; readonly headers: ReadonlyMap<string, string>; readonly body: Readable }
type Order = { readonly answer?: Answer; readonly headers?: Record<string, string>; readonly bearer?: Bearer }

const accepted: Answer = { status: 202, headers: new Map(), body: Readable.from([]) }

/** Sends a call and returns the request, and the messages that came back. */
async function send(args: string, { answer = accepted, headers = {}, bearer }: Order = {}) {
  const requests: Outgoing[] = []
  const messages: JSONRPCMessage[] = []
  const dial: StreamDial = (request) => {
    requests.push(request)
    return Promise.resolve({ type: 'open', ...answer } as unknown as OpenAnswer)
  }
  const parsed = JSON.parse(args) as object
  const exact = new WeakMap([[parsed, args]])
  const transport = await createHttpTransport({ url: 'http://wiki.internal/mcp', headers, dial, exact, bearer })
  Object.assign(transport, { onmessage: (message: JSONRPCMessage) => void messages.push(message) })
  await transport.start()
  await transport.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: parsed } })
  await transport.close()
  const [request] = requests
  assert.ok(request)
  return { request, messages, body: request.body?.toString() ?? '' }
}

test('arguments go out as they were written, whatever stands in them', async () => {
  const args = '{"price": "$& $1 $$", "n": 1.0}'
  const { body } = await send(args)
  assert.ok(body.includes(`"arguments":${args}`), body)
})

test('a server that the operator added may be in a private network', async () => {
  const { request } = await send('{}')
  assert.equal(request.listed, true)
})

test('the token of a sign-in goes before a header of the same name', async () => {
  const bearer: Bearer = { token: () => Promise.resolve('signed-in'), refused: () => Promise.resolve(undefined) }
  const { request } = await send('{}', { headers: { Authorization: 'Basic abc', 'X-Team': 'blue' }, bearer })
  assert.equal(request.headers.get('authorization'), 'Bearer signed-in')
  assert.equal(request.headers.get('x-team'), 'blue')
})

test('a request that is only taken lets go of its connection', async () => {
  const body = new Readable({ read() {} })
  const { messages } = await send('{}', { answer: { ...accepted, body } })
  assert.equal(messages.length, 1)
  assert.equal(body.destroyed, true)
})

test('once the server has taken that a session begins, its own messages are listened to', async () => {
  const methods: string[] = []
  const dial: StreamDial = ({ method }) => {
    methods.push(method)
    return Promise.resolve({ type: 'open', ...accepted, status: method === 'GET' ? 405 : 202 } as unknown as OpenAnswer)
  }
  const url = 'http://wiki.internal/mcp'
  const transport = await createHttpTransport({ url, headers: {}, dial, exact: new WeakMap() })
  await transport.start()
  await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  await until(() => methods.length > 1)
  assert.deepEqual(methods, ['POST', 'GET'])
  await transport.close()
})

test('an answer that says it is not compressed is read', async () => {
  const result = { jsonrpc: '2.0', id: 1, result: {} }
  const headers = new Map([
    ['content-type', 'application/json'],
    ['content-encoding', 'identity'],
  ])
  const body = Readable.from([Buffer.from(JSON.stringify(result))])
  const { messages } = await send('{}', { answer: { status: 200, headers, body } })
  assert.deepEqual(messages, [result])
})
