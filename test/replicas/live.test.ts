// The live connection over two services and one PostgreSQL: whichever one is connected to, the same is told.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newHome } from '../new-home.ts'
import { bearer, openClient, rests } from '../doors/web/socket.ts'
import { usePostgres } from '../postgres.ts'
import { until } from '../until.ts'
import { killAll, newUser, type Replica, scripted, startReplicas } from './replicas.ts'

/** More than anybody waits for: it is stopped once both have heard of it. */
const words = Array.from({ length: 1_000 }, (_, at) => `word${at} `)
const server = usePostgres()
const folder = newHome()
let replicas: Replica[] = []

before(async () => {
  const script = scripted(folder.path, [
    { when: 'slowly', text: words, chunkDelayMs: 100 },
    { when: 'request', calls: [{ name: 'http_request', args: { method: 'POST', url: 'https://example.com/' } }] },
    { text: 'echo {{input}}' },
  ])
  replicas = await startReplicas(2, await server.prepared(), script)
})
after(async () => {
  await killAll(replicas)
  folder.remove()
})

test('a message sent at one is told at the other, word by word, and a gate answered at one is closed at both', async () => {
  const [one, two] = replicas as [Replica, Replica]
  const token = await newUser(one, 'watcher')
  const [here, there] = [await openClient(one.url, bearer(token)), await openClient(two.url, bearer(token))]
  await Promise.all([here.next('ready'), there.next('ready')])
  here.send({ type: 'message', message: 'slowly please', ref: 'm' })
  const { thread_id } = await here.next('accepted')
  // A service that begins to listen just then tells its readers to read their lists again instead.
  await there.next(({ type, id }) => type === 'reload' || (type === 'thread' && id === thread_id))
  there.send({ type: 'subscribe', thread_id, after: 0 })
  // Text comes as it is written.
  await there.next('delta')
  there.send({ type: 'cancel', thread_id })
  await there.next(rests)
  await here.next(rests)
  const items = (frames: readonly { type: string; seq: number }[]) => frames.filter(({ type }) => type === 'item')
  // Whoever stopped it is answered at once: the items may be told after that.
  await until(() => items(there.frames).length >= items(here.frames).length)
  assert.deepEqual(items(there.frames), items(here.frames))
  // The same message, sent again to the other one, is the same.
  there.send({ type: 'message', message: 'slowly please', ref: 'm' })
  assert.equal((await there.next('accepted')).thread_id, thread_id)
  here.send({ type: 'message', message: 'request it' })
  // Both have seen it open: a gate that opens and closes between two looks of one service is not told there.
  const [gate] = await Promise.all([there.next('gate'), here.next('gate')])
  assert.equal(gate.waiting, 1)
  there.send({ type: 'gate', gate_id: gate.id, action: 'deny' })
  for (const each of [here, there]) {
    const closed = await each.next((frame) => frame.type === 'gate' && frame.closed === true)
    assert.deepEqual([closed.id, closed.waiting], [gate.id, 0])
  }
  for (const each of [here, there]) each.ws.close()
})
