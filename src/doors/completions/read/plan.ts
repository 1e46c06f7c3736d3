// The turn that a checked request starts, and the thread it starts in.
import { openCalls } from '#core/calls.ts'
import { AppError } from '#core/errors.ts'
import { isUuid, type UserId } from '#core/ids.ts'
import type { Item } from '#core/item.ts'
import type { Thread } from '#core/turn.ts'
import { hashOfInstructions, instructionsBlock } from '#doors/openai/blocks.ts'
import { type ChainedItem, chainOfRequest, findThread, type Place } from '#doors/openai/find-thread.ts'
import { seedItems } from '#doors/openai/seed.ts'
import { wrongField } from '#http/validate.ts'
import type { Threads } from '#turns/threads.ts'
import type { StartTurn, Turns } from '#turns/turns.ts'
import type { Messages } from './messages.ts'
import type { CompletionRequest } from './request.ts'

/** Items that a request adds to a thread. Each becomes a row. */
const maxNewItems = 5_000
/** Calls of one response, and what belongs to them, are found within this many items. */
const tailItems = 600

export type PlanParts = {
  readonly turns: Pick<Turns, 'get'>
  readonly threads: Pick<Threads, 'get' | 'entries' | 'findByChain'>
}

export type Plan = {
  readonly start: StartTurn
  /** The hash of the history that was sent. */
  readonly asked: string
}

type Sent = {
  readonly user: UserId
  readonly request: CompletionRequest
  /** The thread that the caller named. */
  readonly threadId: string | undefined
  /** Starts a new thread, whatever the history says. */
  readonly apart?: boolean
}

/** Throws invalid_input for a malformed request, not_found for a thread that is not the caller's. Stores nothing. */
export async function planTurn(parts: PlanParts, { user, request, threadId, apart }: Sent): Promise<Plan> {
  const { messages, options } = request
  const chain = await chainOfRequest(messages.items)
  if (threadId === undefined) checkOutputs(messages)
  const found = apart ? nowhere : await findThread(parts.threads, user, chain)
  const place = threadId === undefined ? found : given(threadId, messages)
  const thread = place.kind === 'thread' ? await parts.threads.get(user, place.threadId) : undefined
  if (place.kind === 'thread' && !thread) {
    throw new AppError('not_found', 'no thread of yours has this id', { param: 'X-Atrium-Thread' })
  }
  const common = { user, door: 'completions', whenBusy: 'wait' } as const
  const { input, at, instructions, resumes } = await inputAt(parts, { user, messages, place, thread })
  if (input.length > maxNewItems) {
    throw wrongField('messages', `has ${input.length} new items, at most ${maxNewItems} are stored at once`)
  }
  const start: StartTurn = {
    ...common,
    ...at,
    input,
    options: { ...options, chain: chain.asked, ...(instructions !== undefined && { instructions }) },
    ...(resumes !== undefined && { resumes }),
  }
  return { start, asked: chain.asked }
}

const nowhere: Place = { kind: 'new', fresh: 0 }

/** Every tool message answers a call that stands before it in the request. */
function checkOutputs({ items, at }: Messages): void {
  const called = new Set<string>()
  for (const [index, item] of items.entries()) {
    if (item.type === 'call') called.add(item.callId)
    if (item.type !== 'output' || called.has(item.callId)) continue
    throw wrongField(`messages[${at[index]}].tool_call_id`, 'answers no call of an assistant message before it')
  }
}

/** The thread that the caller named, at its end. What it was sent of the history is not read. */
function given(threadId: string, { newest }: Messages): Place {
  if (!isUuid(threadId)) throw new AppError('not_found', 'no thread of yours has this id', { param: 'X-Atrium-Thread' })
  return { kind: 'thread', threadId, turnId: '', fresh: newest }
}

type Placed = {
  readonly user: UserId
  readonly messages: Messages
  readonly place: Place
  readonly thread: Thread | undefined
}

type Input = Pick<StartTurn, 'resumes'> & {
  readonly at: Pick<StartTurn, 'threadId' | 'forks'>
  readonly input: readonly Item[]
  readonly instructions: string | undefined
}

async function inputAt(parts: PlanParts, placed: Placed): Promise<Input> {
  const { user, messages, place, thread } = placed
  const { items } = messages
  const fresh = items.slice(place.fresh)
  const waitsFor = place.kind === 'fork' ? callBefore(items, place.fresh) : thread?.openCall
  const outputs = fresh.some(({ type }) => type === 'output')
  // The call was cancelled elsewhere, or the history has answers of others: all of it is new to a thread of its own.
  const lost = place.kind === 'thread' && waitsFor === undefined && outputs
  if (lost && place.turnId === '') throw noOpenCall(messages)
  if (place.kind === 'new' || lost) return seed(messages, items, {}, undefined)
  const at = place.kind === 'thread' ? { threadId: place.threadId } : { forks: place.forks }
  const before = await instructionsAt(parts, user, place)
  if (waitsFor === undefined) return seed(messages, fresh, at, before)
  const answer = outputFor(waitsFor, messages, place.fresh)
  const rest = fresh.filter((item) => item !== answer)
  const closed: Item = { type: 'answer', callId: waitsFor, decision: 'output', output: answer.output, by: user }
  if (rest.length === 0) return { at, input: [closed], resumes: waitsFor, instructions: before }
  const dropped = await laterCalls(parts, user, { place, waitsFor })
  const more = await seed(messages, rest, at, before)
  return { ...more, input: [closed, ...dropped, ...more.input], resumes: waitsFor }
}

/** Fresh items as the input of a turn, with the instructions where they are new or have changed. */
async function seed(
  { instructions }: Messages,
  items: readonly ChainedItem[],
  at: Input['at'],
  before: string | undefined,
): Promise<Input> {
  const now = hashOfInstructions(instructions)
  const blocks = now === before ? '' : await instructionsBlock(instructions)
  return { at, input: seedItems(items, blocks, 'messages'), instructions: now }
}

/** The hash of the instructions that stand in the thread at its latest answer. */
async function instructionsAt({ turns }: PlanParts, user: UserId, place: Place): Promise<string | undefined> {
  if (place.kind === 'new' || place.turnId === '') return undefined
  return (await turns.get(user, place.turnId))?.options.instructions
}

/** The call that a history waits for at a point: our answers make one call at a time. */
function callBefore(items: readonly ChainedItem[], index: number): string | undefined {
  const last = items[index - 1]
  return last?.type === 'call' ? last.callId : undefined
}

function outputFor(callId: string, { items, at }: Messages, from: number): ChainedItem & { type: 'output' } {
  let found: (ChainedItem & { type: 'output' }) | undefined
  for (let index = from; index < items.length; index++) {
    const item = items[index]
    if (item?.type !== 'output') continue
    if (item.callId === callId) found ??= item
    else if (!items.slice(from, index).some((each) => each.type === 'call' && each.callId === item.callId)) {
      const message = `the thread waits for the output of ${callId}, not of ${item.callId}`
      throw new AppError('call_id_mismatch', message, { param: `messages[${at[index]}].tool_call_id` })
    }
  }
  if (found) return found
  const message = `the thread waits for the output of ${callId}: send it as a tool message`
  throw new AppError('tool_output_required', message, { param: 'messages' })
}

function noOpenCall({ items, at }: Messages): AppError {
  const index = items.findLastIndex(({ type }) => type === 'output')
  const param = `messages[${at[index]}].tool_call_id`
  return new AppError('no_open_gate', 'no call of this thread waits for an output', { param })
}

type Waiting = { readonly place: Exclude<Place, { kind: 'new' }>; readonly waitsFor: string }

/** Results for the further calls of the response that waits: a message behind an output goes on without them. */
async function laterCalls({ threads }: PlanParts, user: UserId, { place, waitsFor }: Waiting): Promise<Item[]> {
  const threadId = place.kind === 'thread' ? place.threadId : place.forks.threadId
  const end = place.kind === 'thread' ? (await threads.get(user, threadId))?.lastSeq : place.forks.beforeSeq - 1
  if (end === undefined) return []
  const range = { after: Math.max(0, end - tailItems), upTo: end, limit: tailItems }
  const { entries } = await threads.entries(user, threadId, range)
  return openCalls(entries.map(({ item }) => item))
    .filter(({ call }) => call.callId !== waitsFor)
    .map(({ call }) => ({ type: 'result', callId: call.callId, output: 'not run: the user went on', error: true }))
}
