// One WebSocket: frames wait with their sender, and whoever does not read is dropped.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { WebSocket, WebSocketServer } from 'ws'
import { type Connection, createConnection, type Handler, readFrames } from '#http/connection.ts'
import { eventually } from '../doors/test-app.ts'

type Pair = { readonly client: WebSocket; readonly ws: WebSocket; readonly connection: Connection }

async function openPair(t: TestContext, stallMs: number, maxUnreadBytes = 2 ** 30): Promise<Pair> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong: false })
  t.after(() => server.close())
  await once(server, 'listening')
  const came = once(server, 'connection') as Promise<[WebSocket, IncomingMessage]>
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const [[ws, { socket }]] = await Promise.all([came, once(client, 'open')])
  t.after(() => [client, ws].forEach((each) => each.terminate()))
  return { client, ws, connection: createConnection({ ws, socket, stallMs, maxUnreadBytes }) }
}

test('while a frame is worked on nothing more is read, and then the others come in their order', async (t) => {
  const { client, ws, connection } = await openPair(t, 10_000)
  const seen: unknown[] = []
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const handler: Handler = {
    async frame(frame) {
      assert.ok(ws.isPaused)
      seen.push(((await frame.read()) as { at: number }).at)
      await held
    },
    canClose: () => true,
  }
  readFrames({ ws, connection, handler, maxFrames: 200 })
  for (let at = 0; at < 50; at++) client.send(JSON.stringify({ at, text: 'x'.repeat(1_000_000) }))
  await eventually(() => Promise.resolve(seen.length === 1))
  assert.ok(client.bufferedAmount > 10_000_000, 'they wait with their sender')
  release()
  await eventually(() => Promise.resolve(seen.length === 50))
  assert.deepEqual(
    seen,
    seen.map((_, at) => at),
  )
})

test('frames that come together are answered in linear time, also those that are refused', async (t) => {
  const { ws, connection } = await openPair(t, 10_000)
  const ready = Promise.resolve()
  let left = 0
  let finish = (): void => {}
  const handler: Handler = {
    async frame(frame) {
      await ready
      try {
        await frame.read()
        throw new Error('refused')
      } catch {
        if (--left === 0) finish()
      }
    },
    canClose: () => true,
  }
  readFrames({ ws, connection, handler, maxFrames: 0 })
  const costOf = async (count: number): Promise<number> => {
    const { promise: done, resolve } = Promise.withResolvers<void>()
    const before = process.cpuUsage()
    ;[left, finish] = [count, resolve]
    for (let each = 0; each < count; each++) ws.emit('message', Buffer.from('x'), true)
    await done
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  await costOf(1_000)
  let growth = Number.POSITIVE_INFINITY
  // Told by comparing CPU times. What is linear shows it in one of these tries, however busy the machine.
  for (let tries = 0; tries < 4 && growth >= 3; tries++) {
    const few = Math.min(await costOf(1_000), await costOf(1_000))
    growth = Math.min(growth, (await costOf(8_000)) / (few * 8))
  }
  assert.ok(growth < 3, `8 times the frames cost ${growth * 8} times the work`)
})

test('the event loop goes on between frames that come together', async (t) => {
  const { ws, connection } = await openPair(t, 10_000)
  let turns = 0
  const next = (): void => {
    turns++
    counting = setImmediate(next)
  }
  let counting = setImmediate(next)
  t.after(() => clearImmediate(counting))
  const seen: number[] = []
  const handler: Handler = {
    frame() {
      seen.push(turns)
      // Work that takes its share of a turn of the loop.
      for (const end = performance.now() + 11; performance.now() < end; );
      return Promise.resolve()
    },
    canClose: () => true,
  }
  readFrames({ ws, connection, handler, maxFrames: 200 })
  for (let at = 0; at < 4; at++) ws.emit('message', Buffer.from('{}'), false)
  await eventually(() => Promise.resolve(seen.length === 4))
  assert.equal(new Set(seen).size, 4, `frames came in turns ${seen.join()}`)
})

test('a reader who does not read is dropped, however often something is sent meanwhile', async (t) => {
  const { client, ws, connection } = await openPair(t, 400)
  client.pause()
  const sending = setInterval(() => {
    connection.send({ text: 'x'.repeat(500_000) })
    void connection.drained()
  }, 20)
  t.after(() => clearInterval(sending))
  await eventually(() => Promise.resolve(ws.readyState !== ws.OPEN))
  assert.equal(await connection.drained(), false)
})

test('a client that leaves too much unread is dropped; its large frame is not counted', async (t) => {
  const { client, ws, connection } = await openPair(t, 600_000, 1_000_000)
  client.pause()
  let isOver = false
  const large = connection.sendLarge(Buffer.alloc(30_000_000, 'x')).then(() => (isOver = true))
  connection.send({ text: 'x'.repeat(900_000) })
  connection.send({ text: 'x'.repeat(900_000) })
  assert.equal(ws.readyState, ws.OPEN)
  for (let count = 0; count < 30; count++) connection.send({ text: 'x'.repeat(900_000) })
  assert.ok(ws.readyState !== ws.OPEN)
  assert.ok(ws.bufferedAmount < 33_000_000)
  assert.equal(isOver, false, 'its bytes are still in memory')
  const closed = once(client, 'close') as Promise<[number]>
  client.resume()
  assert.equal((await closed)[0], 4408)
  await large
})

test('a large frame counts until its client has read most of it', async (t) => {
  const { client, connection } = await openPair(t, 600_000)
  const read = once(client, 'message') as Promise<[Buffer]>
  await connection.sendLarge(Buffer.alloc(30_000_000, 'x'))
  assert.equal((await read)[0].length, 30_000_000)
})

const idle: Handler = { frame: () => Promise.resolve(), canClose: () => true }

test('a ping gets no pong while much is unread, and one again afterwards', async (t) => {
  const { client, ws, connection } = await openPair(t, 600_000)
  readFrames({ ws, connection, handler: idle, maxFrames: 200 })
  client.pause()
  const large = connection.sendLarge(Buffer.alloc(30_000_000, 'x'))
  const unread = ws.bufferedAmount
  const pinged = once(ws, 'ping')
  client.ping('first')
  await pinged
  await new Promise((resolve) => setImmediate(resolve))
  assert.ok(ws.bufferedAmount <= unread)
  const answered = once(client, 'pong') as Promise<[Buffer]>
  client.resume()
  await large
  client.ping('second')
  assert.equal((await answered)[0].toString(), 'second')
})

test('of a flood of pings no more than one read is worked on in a turn of the event loop', async (t) => {
  const { client, ws, connection } = await openPair(t, 600_000)
  readFrames({ ws, connection, handler: idle, maxFrames: 200 })
  const [all, pingBytes, readBytes] = [400_000, 6, 64 * 1024]
  let pings = 0
  ws.on('ping', () => pings++)
  const socket = Reflect.get(client, '_socket') as Socket
  socket.write(Buffer.concat(Array<Buffer>(all).fill(Buffer.from([0x89, 0x80, 1, 2, 3, 4]))))
  let most = 0
  while (pings < all) {
    const before = pings
    await new Promise((resolve) => setImmediate(resolve))
    most = Math.max(most, pings - before)
  }
  assert.ok(most <= Math.ceil(readBytes / pingBytes), `${most} pings`)
})
