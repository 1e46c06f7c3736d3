// Reads of what a client knows, and tries to read what belongs to another.
import { send } from '../request.ts'
import type { Person, World } from '../world.ts'

/** GET /api/threads/{id}: the items of a thread. */
export async function readThread(world: World, person: Person): Promise<void> {
  const threadId = person.dice.pick(person.threads)
  if (threadId === undefined) return
  const url = (): string => `${world.site.gateway()}/api/threads/${threadId}?limit=500`
  const reply = await send(world, person, url)
  if (reply?.status !== 200) return
  const items = (reply.body['items'] ?? []) as { seq: number }[]
  world.record({ type: 'followed', user: person.name, threadId, after: 0, seqs: items.map(({ seq }) => seq) })
}

/** GET /api/jobs/{id}: the turn of an earlier message. */
export async function readTurn(world: World, person: Person): Promise<void> {
  const sent = person.dice.pick(person.sent.slice(-20))
  if (!sent) return
  const reply = await send(world, person, () => `${world.site.gateway()}/api/jobs/${sent.turnId}`)
  if (!reply) return
  const status = reply.status === 200 ? String(reply.body['status']) : `HTTP ${reply.status}`
  world.record({ type: 'looked', turnId: sent.turnId, status })
  if (status === 'completed')
    world.record({ type: 'answered', op: sent.op, turnId: sent.turnId, text: String(reply.body['response']) })
}

/** Another person's thread and turn, read with the own token. Marks in the answer would show a leak. */
export async function readForeign(world: World, person: Person, other: Person): Promise<void> {
  const sent = person.dice.pick(other.sent)
  if (!sent) return
  for (const path of [
    `/api/threads/${sent.threadId}`,
    `/api/jobs/${sent.turnId}`,
    `/api/turns/${sent.turnId}/receipt`,
  ]) {
    const reply = await send(world, person, () => world.site.gateway() + path)
    if (reply && reply.status !== 404)
      world.record({
        type: 'strange',
        where: path,
        status: reply.status,
        text: `${person.name} read a thing of ${other.name}`,
      })
  }
}

/** All lists that a person has, and what the operator sees of the MCP servers, which have secrets. */
export async function readLists(world: World, person: Person): Promise<void> {
  for (const path of ['/api/threads?limit=100', '/api/jobs?limit=100', '/api/gates'])
    await send(world, person, () => world.site.gateway() + path)
  const operator = { name: 'operator', token: world.operatorToken }
  for (const path of ['/api/mcp', '/api/tools']) await send(world, operator, () => world.site.gateway() + path)
}
