// Messages by the chat routes of the gateway: one that waits for the reply, and one that does not.
import { messageOf, type Task } from '../history.ts'
import { type Reply, send, trySend } from '../request.ts'
import type { Person, World } from '../world.ts'

/** A client that waits for a reply leaves after this; its turn goes on. */
const waitMs = 10_000

export type Message = { readonly op: number; readonly task: Task }

/** POST /api/chat. It has no key, so it is sent once: without an answer nobody knows whether it was taken. */
export async function chat(world: World, person: Person, { op, task }: Message): Promise<void> {
  const chosen = threadFor(person)
  const threadId = chosen !== undefined && person.paying.has(chosen) ? undefined : chosen
  asked(world, person, { op, task, door: 'chat', threadId })
  const body = { message: messageOf({ op, user: person.name, task }), ...(threadId && { thread_id: threadId }) }
  const reply = await trySend(world, person, `${world.site.gateway()}/api/chat`, { body, waitMs })
  if (reply?.status !== 200) return
  const ids = acknowledged(world, person, { op, task }, reply.body)
  if (reply.body['status'] === 'completed')
    world.record({ type: 'answered', op, turnId: ids.turnId, text: String(reply.body['response']) })
}

/** POST /api/chat/send with a key, until it is answered. */
export async function chatSend(world: World, person: Person, { op, task }: Message): Promise<void> {
  const threadId = threadFor(person)
  asked(world, person, { op, task, door: 'send', threadId })
  const body = { message: messageOf({ op, user: person.name, task }), ...(threadId && { thread_id: threadId }) }
  const headers = { 'idempotency-key': `op-${op}` }
  const reply = await send(world, person, () => `${world.site.gateway()}/api/chat/send`, { body, headers })
  if (reply?.status === 202) acknowledged(world, person, { op, task }, reply.body)
}

/** One of the person's threads, or none for a new one. */
export function threadFor({ dice, threads }: Person): string | undefined {
  return dice.below(4) === 0 ? undefined : dice.pick(threads.slice(-6))
}

type Asking = Message & { readonly door: string; readonly threadId: string | undefined }

export function asked(world: World, { name }: Person, { op, task, door, threadId }: Asking): void {
  world.record({ type: 'asked', op, user: name, door, task, ...(threadId && { threadId }) })
}

/** Writes down that a message was taken; the client knows its thread from now on. */
export function acknowledged(world: World, person: Person, { op, task }: Message, body: Reply['body']) {
  const ids = { turnId: String(body['turn_id']), threadId: String(body['thread_id']) }
  world.record({ type: 'acknowledged', op, ...ids })
  if (!person.threads.includes(ids.threadId)) person.threads.push(ids.threadId)
  if (task === 'pay') person.paying.add(ids.threadId)
  person.sent.push({ op, ...ids })
  return ids
}
