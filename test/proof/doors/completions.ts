// Messages by chat completions, with and without a stream. The client keeps its history and sends all of it.
import { messageOf } from '../history.ts'
import { readEvents, type Reply, send, type Sending, trySend } from '../request.ts'
import type { Person, World } from '../world.ts'
import type { Message } from './chat.ts'

/** POST /chat/completions. With a key it is sent until it is answered. */
export async function complete(world: World, person: Person, { op, task }: Message): Promise<void> {
  const keyed = person.dice.below(2) === 0
  const { history, sending } = begin(world, person, { op, task, keyed })
  const url = (): string => `${world.site.gateway()}/api/v1/chat/completions`
  const reply = keyed ? await send(world, person, url, sending) : await trySend(world, person, url(), sending)
  if (reply?.status !== 200) {
    if (!keyed) world.record({ type: 'left', op })
    return
  }
  const [choice] = (reply.body['choices'] ?? []) as { message: { content: string } }[]
  const text = choice?.message.content ?? ''
  const turnId = acknowledge(world, op, reply.headers)
  if (turnId !== undefined) told(world, { op, turnId, text, whole: true })
  history.push({ role: 'assistant', content: text })
  person.histories.push(history)
}

/** POST /chat/completions with a stream, once. Some readers leave in the middle. */
export async function completeStreaming(world: World, person: Person, { op, task }: Message): Promise<void> {
  const leaves = person.dice.below(4) === 0 ? person.dice.below(5) : Number.POSITIVE_INFINITY
  const { history, sending } = begin(world, person, { op, task, keyed: false, stream: true })
  let [text, deltas, whole] = ['', 0, false]
  let turnId: string | undefined
  const read = (data: string): boolean => {
    if (data === '[DONE]') return true
    const [choice] = (JSON.parse(data) as { choices?: Choice[] }).choices ?? []
    if (choice?.delta?.content) {
      text += choice.delta.content
      deltas++
    }
    if (choice?.finish_reason === 'stop') whole = true
    return deltas <= leaves
  }
  const begun = (headers: Headers): void => {
    turnId = acknowledge(world, op, headers)
  }
  await readEvents(world, person, `${world.site.gateway()}/api/v1/chat/completions`, { sending, read, begun })
  if (turnId !== undefined) told(world, { op, turnId, text, whole })
  if (!whole) {
    world.record({ type: 'left', op })
    return
  }
  history.push({ role: 'assistant', content: text })
  person.histories.push(history)
}

type Choice = { readonly delta?: { readonly content?: string }; readonly finish_reason?: string }
type Beginning = Message & { readonly keyed: boolean; readonly stream?: true }

function begin(world: World, person: Person, { op, task, keyed, stream }: Beginning) {
  const { dice, name, histories } = person
  const earlier = dice.below(3) === 0 ? undefined : dice.pick(histories.slice(-3))
  world.record({ type: 'asked', op, user: name, door: 'completions', task })
  const history = [...(earlier ?? []), { role: 'user', content: messageOf({ op, user: name, task }) }]
  const sending: Sending = {
    body: { model: 'atrium', messages: [...history], ...(stream && { stream }) },
    headers: keyed ? { 'idempotency-key': `op-${op}` } : {},
  }
  return { history, sending }
}

/** This door puts an empty line between the texts of a turn. */
function told(world: World, { text, ...rest }: { op: number; turnId: string; text: string; whole: boolean }): void {
  world.record({ type: 'streamed', ...rest, text: text.replaceAll('\n\n', '') })
}

function acknowledge(world: World, op: number, headers: Reply['headers']): string | undefined {
  const [turnId, threadId] = [headers.get('x-atrium-turn'), headers.get('x-atrium-thread')]
  if (!turnId || !threadId) return undefined
  world.record({ type: 'acknowledged', op, turnId, threadId })
  return turnId
}
