// WebSockets before and after they belong to somebody: strangers are counted, heartbeats are patient, and a shutdown ends all.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { userId } from '#core/ids.ts'
import type { Authenticate } from '#http/auth.ts'
import type { Handler } from '#http/connection.ts'
import { createSockets, type SocketBounds, type Sockets } from '#http/socket.ts'
import { silentLog } from '#lib/log.ts'
import { bearer, openClient } from '../doors/web/socket.ts'
import { refused } from '../doors/web/socket-refusals.ts'
import { until } from '../until.ts'
import { openBare } from './socket.ts'

const path = '/api/chat/ws'
const ada = { user: userId('ada'), name: 'ada', operator: false }
const known: Authenticate = () => Promise.resolve(ada)
const idle: Handler = { frame: () => Promise.resolve(), canClose: () => true }

type House = { readonly url: string; readonly port: number; readonly sockets: Sockets }

async function openSockets(
  t: TestContext,
  { authenticate = known, handler = idle, ...bounds }: Partial<SocketBounds & Opening>,
): Promise<House> {
  const origins = { isAllowed: () => true }
  const sockets = createSockets({ authenticate, origins, log: silentLog, chatsPerMinute: 0, bounds })
  sockets.mount([path], () => Promise.resolve(() => handler))
  const server = createServer()
  server.on('upgrade', (request, socket, head) => void sockets.upgrade(request, socket as Socket, head))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(async () => {
    sockets.close(AbortSignal.abort())
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, port, sockets }
}

type Opening = { readonly authenticate: Authenticate; readonly handler: Handler }

test('a hundred strangers may wait, however others went; whoever brings a token comes in beside them', async (t) => {
  const authenticate: Authenticate = (credential) =>
    Promise.resolve(credential && 'bearer' in credential && credential.bearer === 'nope' ? { status: 401 } : ada)
  const { url } = await openSockets(t, { authenticate })
  const refusedOne = await openClient(url)
  for (let at = 0; at < 5; at++) refusedOne.send({ type: 'auth', token: 'nope' })
  assert.equal((await refusedOne.closed).code, 4401)
  await Promise.all(Array.from({ length: 100 }, () => openClient(url)))
  assert.deepEqual(await refused(openClient(url)), [
    503,
    '{"error":{"code":"overloaded","message":"too many connections wait for their auth frame"}}',
  ])
  await openClient(url, bearer('ada'))
})

test('a connection whose frame takes longer than the heartbeat stays open', async (t) => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  let [beats, frames] = [0, 0]
  const authenticate: Authenticate = (_, { idle: isBeat } = {}) => {
    if (isBeat) beats++
    return Promise.resolve(ada)
  }
  const frame = (): Promise<void> => (frames++ === 0 ? held : Promise.resolve())
  const { url } = await openSockets(t, { authenticate, handler: { ...idle, frame }, beatMs: 10 })
  const client = await openClient(url, bearer('ada'))
  client.send({})
  await until(() => frames === 1)
  const before = beats
  await until(() => beats >= before + 3)
  release()
  client.send({})
  await until(() => frames === 2)
})

test('a connection that becomes idle during a shutdown is closed before the last call', async (t) => {
  let busy = true
  const { url, sockets } = await openSockets(t, { handler: { ...idle, canClose: () => !busy } })
  const client = await openClient(url, bearer('ada'))
  const lastCall = new AbortController()
  t.after(() => lastCall.abort())
  sockets.close(lastCall.signal)
  busy = false
  assert.equal((await client.closed).code, 1001)
})

test('a connection that is being opened during a shutdown is refused, and cut by the last call', async (t) => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  let asked = 0
  const authenticate: Authenticate = async (credential) => {
    asked++
    await (credential && 'bearer' in credential && credential.bearer === 'never' ? new Promise(() => {}) : answered)
    return ada
  }
  const { url, port, sockets } = await openSockets(t, { authenticate })
  const slow = refused(openClient(url, bearer('slow')))
  const never = openBare(port)
  never.write(
    `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer never\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`,
  )
  await until(() => asked === 2)
  const lastCall = new AbortController()
  sockets.close(lastCall.signal)
  answer()
  assert.equal((await slow)[0], 503)
  lastCall.abort()
  assert.equal(await never.closed, '')
})
