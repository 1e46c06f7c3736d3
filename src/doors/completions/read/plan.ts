// The turn that a checked request starts, and the thread it starts in.
import { AppError, wrongField } from '#core/errors.ts'
import { isUuid, type UserId } from '#core/ids.ts'
import type { Chain } from '#core/replay-chain.ts'
import { chainOfRequest, findThread, type Place } from '#doors/openai/find-thread.ts'
import type { Planned } from '#doors/openai/start-planned.ts'
import { inputAt, type SentHistory } from '#doors/openai/turn-input.ts'
import type { Readers } from '#turns/readers.ts'
import type { Threads } from '#turns/threads.ts'
import type { StartTurn, Turns } from '#turns/turns.ts'
import type { Messages } from './messages.ts'
import type { CompletionRequest } from './request.ts'

/** Items that a request adds to a thread. Each becomes a row. */
const maxNewItems = 5_000

export type PlanParts = {
  readonly turns: Pick<Turns, 'get' | 'current'>
  readonly threads: Pick<Threads, 'get' | 'entries' | 'findByChain' | 'findByOpenCall'>
  readonly readers: Pick<Readers, 'canStop'>
}

export type Plan = Planned & {
  /** The hash of the history that was sent. */
  readonly history: string
  /** The turn of the answer that the request goes on from, if the thread is still busy. */
  readonly busyTurn?: string
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
export async function planTurn(parts: PlanParts, sent: Sent): Promise<Plan> {
  const { user, request, threadId, apart } = sent
  const { messages, options } = request
  const chain = await chainOfRequest(messages.items)
  if (threadId === undefined) checkOutputs(messages)
  const found = apart ? nowhere : await placeOf(parts, sent, chain)
  const place = threadId === undefined ? found : given(threadId, messages)
  const thread = place.kind === 'thread' ? await parts.threads.get(user, place.threadId) : undefined
  if (place.kind === 'thread' && !thread) {
    throw new AppError('not_found', 'no thread of yours has this id', { param: 'X-Atrium-Thread' })
  }
  const isBusy = place.kind === 'thread' && place.turnId !== '' && thread?.state === 'running'
  const planApart = () => planTurn(parts, { ...sent, apart: true })
  if (isBusy && (await isKept(parts, user, place))) return planApart()
  const common = { user, door: 'completions', whenBusy: 'wait' } as const
  const { input, at, instructions, resumes } = await inputAt(parts, { user, sent: sentBy(messages), place, thread })
  if (input.length > maxNewItems) {
    throw wrongField('messages', `has ${input.length} new items, at most ${maxNewItems} are stored at once`)
  }
  const start: StartTurn = {
    ...common,
    ...at,
    input,
    options: { ...options, chain: chain.history, ...(instructions !== undefined && { instructions }) },
    ...(resumes !== undefined && { resumes }),
  }
  const isFound = threadId === undefined && place.kind !== 'new'
  return {
    start,
    history: chain.history,
    ...(isBusy && { busyTurn: place.turnId }),
    ...(isFound && { apart: async () => (await planApart()).start }),
  }
}

/** The place of a history. One that differs from what was answered goes on where its newest output is waited for. */
async function placeOf({ turns, threads }: PlanParts, { user, request }: Sent, chain: Chain): Promise<Place> {
  const { items, newest } = request.messages
  const found = await findThread(threads, user, chain)
  // Some clients keep a call without the text before it.
  const output = found.fresh < newest ? items.slice(newest).find((item) => item.type === 'output') : undefined
  const open = output && (await threads.findByOpenCall(user, output.callId))
  const waiting = open && (await turns.current(user, open.id))
  return waiting ? { kind: 'thread', threadId: waiting.threadId, turnId: waiting.id, fresh: newest } : found
}

type ThreadPlace = Extract<Place, { kind: 'thread' }>

/**
 * True if the client left an answer that is kept running without it: its next message would wait for all of it. Behind an
 * approval it does wait: the client was told of it as an answer.
 */
async function isKept(parts: PlanParts, user: UserId, { threadId, turnId }: ThreadPlace): Promise<boolean> {
  const running = await parts.turns.current(user, threadId)
  return running?.id === turnId && running.answeredAt === undefined && !parts.readers.canStop(running)
}

const nowhere: Place = { kind: 'new', fresh: 0 }

/** Every tool message answers an earlier call of the request. */
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

function sentBy({ items, at, instructions }: Messages): SentHistory {
  return { items, instructions, field: 'messages', pathOf: (index) => `messages[${at[index]}].tool_call_id` }
}
