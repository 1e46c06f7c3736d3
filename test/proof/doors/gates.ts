// Decisions: a person allows or denies what waits for them.
import { send } from '../request.ts'
import type { Person, World } from '../world.ts'

type Gate = {
  readonly id: string
  readonly thread_id: string
  readonly turn_id: string
  readonly args: { url?: string }
}

/** Answers one of the open gates. A decision that got no answer is sent again: the second finds the gate closed. */
export async function decide(world: World, person: Person): Promise<void> {
  const list = await send(world, person, () => `${world.site.gateway()}/api/gates`)
  const gates = (list?.body['gates'] ?? []) as readonly Gate[]
  const action = person.dice.below(3) === 0 ? 'deny' : 'approve'
  const gate = person.dice.pick(gates)
  if (!gate) return
  const op = Number(/\/pay\/(\d+)$/.exec(gate.args.url ?? '')?.[1])
  world.record({ type: 'decided', callId: gate.id, op, action })
  const path = `/api/threads/${gate.thread_id}/gates/${gate.id}`
  const reply = await send(world, person, () => world.site.gateway() + path, { body: { action } })
  person.paying.delete(gate.thread_id)
  if (reply?.status === 200) world.record({ type: 'decision-taken', callId: gate.id })
}
