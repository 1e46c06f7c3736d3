// Where the browser's WebSocket is: its door is loaded with the first connection.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LiveParts } from '#doors/web/chat-socket.ts'
import { mountLive } from '#doors/web/live-routes.ts'
import type { SocketDoor } from '#http/socket.ts'

test('a door that could not be loaded is loaded by the next connection', async () => {
  let fault: Error | undefined = new Error('no file')
  const parts = new Proxy({} as LiveParts, {
    get() {
      if (fault) throw fault
      return {}
    },
  })
  const loads: (() => Promise<SocketDoor>)[] = []
  mountLive({ mount: (_paths, load) => void loads.push(load) }, parts)
  const [load] = loads
  assert(load)
  await assert.rejects(load(), /no file/)
  fault = undefined
  const door = await load()
  assert.equal(await load(), door)
})
