// The client package of the protocol, loaded in parts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as client from '@modelcontextprotocol/client'
import { loadClient } from '#mcp/load-client.ts'

test('the schemas of the client package and the rest of it are loaded in different turns of the event loop', async () => {
  let turn = 0
  let ticking = setImmediate(function tick() {
    turn++
    ticking = setImmediate(tick)
  })
  const loaded: [name: string, turn: number][] = []
  const load = (name: string): Promise<typeof client> => {
    loaded.push([name, turn])
    return Promise.resolve(client)
  }
  assert.equal(await loadClient({ schemas: () => load('schemas'), client: () => load('client') }), client)
  clearImmediate(ticking)
  const [[first, before] = [], [second, after] = []] = loaded
  assert.deepEqual([first, second, before === after], ['schemas', 'client', false])
})

test('the parts are those of the package', async () => {
  assert.equal((await loadClient()).Client, client.Client)
})
