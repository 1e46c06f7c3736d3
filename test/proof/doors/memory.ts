// Documents of the memory: written under a few names, and read again.
import { markOf } from '../history.ts'
import { send } from '../request.ts'
import type { Person, World } from '../world.ts'

const documents = 2

/** PUT /api/memory/documents/{path}, until it is answered. A repeated write has the same text. */
export async function write(world: World, person: Person, op: number): Promise<void> {
  const path = `notes/${person.dice.below(documents)}.md`
  const content = `written by op ${op} of ${markOf(person.name)}`
  const url = (): string => `${world.site.gateway()}/api/memory/documents/${path}`
  const reply = await send(world, person, url, { method: 'PUT', body: { content } })
  if (reply && reply.status < 300) world.record({ type: 'wrote', user: person.name, path, op })
}

/** GET /api/memory/documents/{path}. */
export async function read(world: World, person: Person): Promise<void> {
  const path = `notes/${person.dice.below(documents)}.md`
  const reply = await send(world, person, () => `${world.site.gateway()}/api/memory/documents/${path}`)
  if (!reply) return
  const found = /written by op (\d+) /.exec(String(reply.body['content']))
  world.record({ type: 'read', user: person.name, path, op: reply.status === 200 ? Number(found?.[1]) : -1 })
}
