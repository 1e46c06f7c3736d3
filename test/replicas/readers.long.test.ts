// Readers of one turn at two services over one PostgreSQL: the turn ends when the last of them has left.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newHome } from '../new-home.ts'
import { type Server, startPostgres } from '../postgres-server.ts'
import { until } from '../until.ts'
import { killAll, type Replica, scripted, startReplicas } from './replicas.ts'

const folder = newHome()
let server: Server
let replicas: Replica[] = []

before(async () => {
  server = await startPostgres()
  // A piece comes later than a reader may be away.
  const script = scripted(folder.path, [{ when: '', text: ['one ', 'two ', 'three ', 'four'], chunkDelayMs: 15_000 }])
  replicas = await startReplicas(2, await server.database(), script)
})
after(async () => {
  await killAll(replicas)
  await server?.remove()
  folder.remove()
})

test('a reader at another replica keeps a turn running; when it has left too, the turn is stopped', async () => {
  const [one, two] = replicas as [Replica, Replica]
  const [first, second] = [new AbortController(), new AbortController()]
  const body = { model: 'm', input: 'count', stream: true }
  const begun = one.stream('/api/v1/responses', { body, signal: first.signal })
  const { value: created, done } = await begun.next()
  assert(!done)
  const { id } = created.data['response'] as { id: string }
  const path = `/api/v1/responses/${id}`
  const elsewhere = two.stream(`${path}?stream=true`, { signal: second.signal })
  let text = ''
  const hear = async (word: string): Promise<void> => {
    while (!text.includes(word)) {
      const { value, done: isOver } = await elsewhere.next()
      assert(!isOver, `the stream ended before ${word}`)
      if (value.type === 'output_text.delta') text += String(value.data['delta'])
    }
  }
  await hear('one')
  first.abort()
  await hear('two')
  assert.equal((await two.ask(path)).body['status'], 'in_progress')
  second.abort()
  // Asking would renew the time of a reader that is away: the list does not.
  const isCancelled = async (): Promise<boolean> =>
    (await one.ask('/api/jobs?status=cancelled')).text.includes('"cancelled"')
  await until(isCancelled)
  assert.equal((await one.ask(path)).body['status'], 'cancelled')
})
