// Messages by the webhook channel, with retries under one key, and polls of the job.
import { messageOf } from '../history.ts'
import { send } from '../request.ts'
import type { Person, World } from '../world.ts'
import type { Message } from './chat.ts'

/** A conversation ends after so many operations of all users: one that never ends would cost more and more. */
const conversationOps = 20_000

/** POST /webhook until it is answered. Two of three messages belong to one of a few conversations. */
export async function webhook(world: World, person: Person, { op, task }: Message): Promise<void> {
  const conversation =
    person.dice.below(3) === 0 ? undefined : `c${person.dice.below(3)}-${Math.floor(op / conversationOps)}`
  world.record({
    type: 'asked',
    op,
    user: person.name,
    door: 'webhook',
    task,
    ...(conversation && { conversation: `${person.name} ${conversation}` }),
  })
  const body = {
    user_id: person.name,
    message: messageOf({ op, user: person.name, task }),
    ...(conversation && { conversation_id: conversation }),
  }
  const headers = { 'x-webhook-secret': world.webhookSecret, 'idempotency-key': `op-${op}` }
  const reply = await send(world, person, () => `${world.site.webhook()}/webhook`, { body, headers })
  if (reply?.status !== 200) return
  const turnId = String(reply.body['job_id'])
  // The sender of a webhook never learns the thread.
  world.record({ type: 'acknowledged', op, turnId, threadId: '' })
  person.jobs.push({ op, turnId })
}

/** GET /jobs/{id} of an earlier message. */
export async function pollJob(world: World, person: Person): Promise<void> {
  const job = person.dice.pick(person.jobs.slice(-10))
  if (!job) return
  const headers = { 'x-webhook-secret': world.webhookSecret }
  const reply = await send(world, person, () => `${world.site.webhook()}/jobs/${job.turnId}`, { headers })
  if (!reply) return
  const status = reply.status === 200 ? String(reply.body['status']) : `HTTP ${reply.status}`
  world.record({ type: 'looked', turnId: job.turnId, status })
  if (status === 'completed' && !reply.body['error'])
    world.record({ type: 'answered', op: job.op, turnId: job.turnId, text: String(reply.body['response']) })
}
