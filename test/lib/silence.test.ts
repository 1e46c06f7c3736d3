// The watch over a side that falls silent.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, connect, type Socket } from 'node:net'
import { setImmediate as nextLoop, setTimeout as pause } from 'node:timers/promises'
import { test } from 'node:test'
import { watchSilence } from '#lib/silence.ts'
import { until } from '../turns/house.ts'

test('silence is noticed once, later for what is heard, and not after the end', async () => {
  let late = 0
  const watch = watchSilence(1, () => late++)
  await until(() => late === 1)
  watch.heard()
  await until(() => late === 2)
  watch.heard()
  watch.end()
  await pause(5)
  assert.equal(late, 2)
})

test('what came while the process was stopped is heard before the time is over', async (t) => {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const opened = once(server, 'connection') as Promise<[Socket]>
  const client = connect(port, '127.0.0.1')
  const [peer] = await opened
  t.after(() => {
    client.destroy()
    peer.destroy()
    server.close()
  })
  let late = 0
  const watch = watchSilence(20, () => late++)
  t.after(() => watch.end())
  const heard = once(client, 'data').then(() => watch.heard())
  peer.write('x')
  // As if stopped: the loop sees the bytes and the time together.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60)
  await heard
  await nextLoop()
  assert.equal(late, 0)
})
