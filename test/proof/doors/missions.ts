// Missions: a prompt by the clock, made and run at once.
import { messageOf } from '../history.ts'
import { trySend } from '../request.ts'
import type { Person, World } from '../world.ts'
import type { Message } from './chat.ts'

/** POST /api/missions and …/run. Neither has a key, so each is sent once. */
export async function mission(world: World, person: Person, { op }: Message): Promise<void> {
  world.record({ type: 'asked', op, user: person.name, door: 'mission', task: 'say' })
  const prompt = messageOf({ op, user: person.name, task: 'say' })
  const url = `${world.site.gateway()}/api/missions`
  const made = await trySend(world, person, url, { body: { prompt, schedule: '0 5 1 1 *' } })
  if (made?.status !== 201) return
  const path = `${world.site.gateway()}/api/missions/${String(made.body['id'])}`
  const run = await trySend(world, person, `${path}/run`, { method: 'POST', body: {} })
  const [turnId, threadId] = [run?.body['turn_id'], run?.body['thread_id']]
  if (run?.status === 202 && typeof turnId === 'string' && typeof threadId === 'string')
    world.record({ type: 'acknowledged', op, turnId, threadId })
  await trySend(world, person, path, { method: 'DELETE' })
}
