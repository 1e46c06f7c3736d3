// What people do with whole threads: fork them, delete them, stop their turns.
import { send, trySend } from '../request.ts'
import type { Person, World } from '../world.ts'

type Item = { readonly seq: number; readonly type: string; readonly role?: string }

/** POST /api/threads/{id}/fork before one of its messages. It has no key, so it is sent once. */
export async function fork(world: World, person: Person): Promise<void> {
  const threadId = person.dice.pick(person.threads)
  if (threadId === undefined) return
  const path = (): string => `${world.site.gateway()}/api/threads/${threadId}`
  const read = await send(world, person, () => `${path()}?limit=500`)
  const items = ((read?.body['items'] ?? []) as readonly Item[]).filter(
    ({ type, role, seq }) => type === 'message' && role === 'user' && seq > 1,
  )
  const item = person.dice.pick(items)
  if (!item) return
  const made = await trySend(world, person, `${path()}/fork`, { body: { before_seq: item.seq } })
  const thread = made?.status === 201 ? (made.body['thread'] ?? made.body) : undefined
  if (thread) person.threads.push((thread as { id: string }).id)
}

/** DELETE /api/threads/{id}, until it is answered. */
export async function remove(world: World, person: Person): Promise<void> {
  const threadId = person.dice.pick(person.threads)
  // Those who delete nothing can be asked for the sum of all that they spent.
  if (threadId === undefined || !person.deletes) return
  world.record({ type: 'deleting', threadId, userId: person.id })
  person.threads.splice(person.threads.indexOf(threadId), 1)
  const reply = await send(world, person, () => `${world.site.gateway()}/api/threads/${threadId}`, { method: 'DELETE' })
  if (reply?.status === 204 || reply?.status === 404) world.record({ type: 'deleted', threadId })
}

/** POST /api/jobs/{id}/cancel for one of the last turns. */
export async function stop(world: World, person: Person): Promise<void> {
  const sent = person.dice.pick(person.sent.slice(-3))
  if (!sent) return
  world.record({ type: 'cancelled', turnId: sent.turnId })
  await send(world, person, () => `${world.site.gateway()}/api/jobs/${sent.turnId}/cancel`, {
    method: 'POST',
    body: {},
  })
}
