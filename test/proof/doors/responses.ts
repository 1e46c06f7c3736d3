// Messages by the Responses API, with and without a stream, with and without a key.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseResponseId } from '#core/ids.ts'
import { messageOf } from '../history.ts'
import { again, readEvents, type Reply, send, type Sending, trySend } from '../request.ts'
import type { Person, World } from '../world.ts'
import type { Message } from './chat.ts'

const maxTries = 400
const pauseMs = 60

type Output = { readonly type: string; readonly content?: readonly { readonly text: string }[] }

/** POST /responses. With a key it is sent until it is answered; without one the turn may stop with its reader. */
export async function respond(world: World, person: Person, { op, task }: Message): Promise<void> {
  const keyed = person.dice.below(2) === 0
  const sending = begin(world, person, { op, task, keyed })
  const url = (): string => `${world.site.gateway()}/api/v1/responses`
  const reply = keyed ? await send(world, person, url, sending) : await trySend(world, person, url(), sending)
  if (reply?.status === 200) finish(world, person, { op, response: reply.body })
  else if (!keyed) world.record({ type: 'left', op })
}

/** POST /responses with a stream. Some readers leave in the middle; those with a key come again. */
export async function respondStreaming(world: World, person: Person, { op, task }: Message): Promise<void> {
  const keyed = person.dice.below(3) > 0
  const leavesAfter = person.dice.below(4) === 0 ? person.dice.below(5) : Number.POSITIVE_INFINITY
  const sending = begin(world, person, { op, task, keyed, stream: true })
  for (let left = keyed ? maxTries : 1, leaves = leavesAfter; left > 0; left--) {
    const read = await readResponse(world, person, { op, sending, leaves })
    if (read.ended) return
    if (read.status !== undefined && !again.includes(read.status)) return
    if (!keyed) world.record({ type: 'left', op })
    leaves = Number.POSITIVE_INFINITY
    if (keyed) await sleep(pauseMs)
  }
}

type Reading = { readonly op: number; readonly sending: Sending; readonly leaves: number }

async function readResponse(world: World, person: Person, { op, sending, leaves }: Reading) {
  let turnId: string | undefined
  let text = ''
  let ended: Reply['body'] | undefined
  let deltas = 0
  const read = (data: string): boolean => {
    const event = JSON.parse(data) as { type: string; delta?: string; response?: Reply['body'] }
    if (event.type === 'response.created') turnId = acknowledge(world, person, op, event.response ?? {})
    if (event.type === 'response.output_text.delta') {
      text += event.delta ?? ''
      deltas++
    }
    if (event.type === 'response.completed' || event.type === 'response.failed') ended = event.response ?? {}
    return deltas <= leaves
  }
  const reply = await readEvents(world, person, `${world.site.gateway()}/api/v1/responses`, { sending, read })
  if (turnId !== undefined) {
    const whole = ended?.['status'] === 'completed'
    world.record({ type: 'streamed', op, turnId, text, whole })
    if (whole) answer(world, { op, turnId, response: ended ?? {} })
  }
  return { ended: ended !== undefined, status: reply?.status }
}

type Beginning = Message & { readonly keyed: boolean; readonly stream?: true }

function begin(world: World, person: Person, { op, task, keyed, stream }: Beginning): Sending {
  const { dice, name } = person
  const previous = dice.below(3) === 0 ? undefined : dice.pick(person.responses.slice(-4))
  const threadId = previous === undefined ? undefined : parseResponseId(previous)?.threadId
  world.record({ type: 'asked', op, user: name, door: 'responses', task, ...(threadId && { threadId }) })
  return {
    body: {
      model: 'm',
      input: messageOf({ op, user: name, task }),
      ...(stream && { stream }),
      ...(previous !== undefined && { previous_response_id: previous }),
    },
    headers: keyed ? { 'idempotency-key': `op-${op}` } : {},
  }
}

function finish(world: World, person: Person, { op, response }: { op: number; response: Reply['body'] }): void {
  const turnId = acknowledge(world, person, op, response)
  if (turnId !== undefined && response['status'] === 'completed') answer(world, { op, turnId, response })
}

function acknowledge(world: World, person: Person, op: number, response: Reply['body']): string | undefined {
  const ids = parseResponseId(String(response['id']))
  // A response to an unknown one is not stored.
  if (!ids || (response['error'] as { code?: string } | null)?.code === 'previous_response_not_found') return undefined
  world.record({ type: 'acknowledged', op, ...ids })
  person.responses.push(String(response['id']))
  person.sent.push({ op, ...ids })
  return ids.turnId
}

function answer(world: World, { op, turnId, response }: { op: number; turnId: string; response: Reply['body'] }): void {
  const output = (response['output'] ?? []) as readonly Output[]
  const last = output.findLast(({ type }) => type === 'message')
  world.record({ type: 'answered', op, turnId, text: (last?.content ?? []).map(({ text }) => text).join('') })
}
