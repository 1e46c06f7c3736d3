// Functions of the caller: the model calls one, the turn ends, and the caller sends its output. By the Responses API and by
// chat completions, with keys, so that each request is sent until it is answered.
import { parseResponseId } from '#core/ids.ts'
import { messageOf } from '../history.ts'
import { callerFunction } from '../outside.ts'
import { type Reply, send } from '../request.ts'
import type { Person, World } from '../world.ts'
import type { Message } from './chat.ts'

const parameters = { type: 'object', properties: { op: { type: 'number' } } }
const outputFor = (op: number): string => `= output for op ${op}`
/** Of so many callers one never sends its output. */
const leaversOf = 5

type Output = {
  readonly type: string
  readonly call_id?: string
  readonly content?: readonly { readonly text: string }[]
}

/** POST /responses with a function, and again with its output. */
export async function askResponses(world: World, person: Person, { op }: Message): Promise<void> {
  const tools = [{ type: 'function', name: callerFunction, parameters }]
  const post = (key: string, body: object): Promise<Reply | undefined> =>
    send(world, person, () => `${world.site.gateway()}/api/v1/responses`, {
      body: { model: 'm', tools, ...body },
      headers: { 'idempotency-key': key },
    })
  const leaves = begin(world, person, op)
  const asked = await post(`op-${op}`, { input: messageOf({ op, user: person.name, task: 'ask' }) })
  const ids = parseResponseId(String(asked?.body['id']))
  if (asked?.status !== 200 || !ids) return
  world.record({ type: 'acknowledged', op, ...ids })
  const callId = outputOf(asked).find(({ type }) => type === 'function_call')?.call_id
  if (callId === undefined || leaves) return
  const output = outputFor(op)
  world.record({ type: 'returning', callId, output })
  const input = [{ type: 'function_call_output', call_id: callId, output }]
  const told = await post(`op-${op}-output`, { input, previous_response_id: asked.body['id'] })
  const next = parseResponseId(String(told?.body['id']))
  if (told?.status !== 200 || !next) return
  world.record({ type: 'returned', op, callId, ...next })
  const last = outputOf(told).findLast(({ type }) => type === 'message')
  const text = (last?.content ?? []).map((part) => part.text).join('')
  if (told.body['status'] === 'completed') world.record({ type: 'answered', op, turnId: next.turnId, text })
}

type Choice = { readonly message: { readonly content: string | null; readonly tool_calls?: readonly { id: string }[] } }

/** POST /chat/completions with a function, and again with the history and its output. */
export async function askCompletions(world: World, person: Person, { op }: Message): Promise<void> {
  const tools = [{ type: 'function', function: { name: callerFunction, parameters } }]
  const post = (key: string, messages: readonly object[]): Promise<Reply | undefined> =>
    send(world, person, () => `${world.site.gateway()}/api/v1/chat/completions`, {
      body: { model: 'atrium', tools, messages },
      headers: { 'idempotency-key': key },
    })
  const leaves = begin(world, person, op)
  const message = { role: 'user', content: messageOf({ op, user: person.name, task: 'ask' }) }
  const asked = await post(`op-${op}`, [message])
  const ids = idsOf(asked)
  if (!asked || !ids) return
  world.record({ type: 'acknowledged', op, ...ids })
  const [choice] = (asked.body['choices'] ?? []) as Choice[]
  const callId = choice?.message.tool_calls?.[0]?.id
  if (callId === undefined || leaves) return
  const output = outputFor(op)
  world.record({ type: 'returning', callId, output })
  const told = await post(`op-${op}-output`, [
    message,
    choice?.message ?? {},
    { role: 'tool', tool_call_id: callId, content: output },
  ])
  const next = idsOf(told)
  if (!told || !next) return
  world.record({ type: 'returned', op, callId, ...next })
  const [reply] = (told.body['choices'] ?? []) as Choice[]
  world.record({ type: 'answered', op, turnId: next.turnId, text: reply?.message.content ?? '' })
}

/** True for a caller who never sends the output. */
function begin(world: World, { name, dice }: Person, op: number): boolean {
  world.record({ type: 'asked', op, user: name, door: 'functions', task: 'ask' })
  return dice.below(leaversOf) === 0
}

function outputOf({ body }: Reply): readonly Output[] {
  return (body['output'] ?? []) as readonly Output[]
}

function idsOf(reply: Reply | undefined): { turnId: string; threadId: string } | undefined {
  const [turnId, threadId] = [reply?.headers.get('x-atrium-turn'), reply?.headers.get('x-atrium-thread')]
  return reply?.status === 200 && turnId && threadId ? { turnId, threadId } : undefined
}
