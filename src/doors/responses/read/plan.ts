// The turn that a checked request starts: a resume, a replay that resumes, or items for a new or existing thread.
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { Chain } from '#core/replay-chain.ts'
import { isAtRest } from '#core/turn-status.ts'
import type { Thread, Turn, TurnOptions } from '#core/turn.ts'
import { instructionsBlock } from '#doors/openai/blocks.ts'
import { type ChainedItem, chainOfRequest, findThread, type Place } from '#doors/openai/find-thread.ts'
import { seedItems } from '#doors/openai/seed.ts'
import type { Planned } from '#doors/openai/start-planned.ts'
import { inputAt, outputAnswer, type SentHistory } from '#doors/openai/turn-input.ts'
import { echoOf } from '#doors/responses/echo.ts'
import type { Readers } from '#turns/readers.ts'
import type { Threads } from '#turns/threads.ts'
import type { StartTurn, Turns } from '#turns/turns.ts'
import { type InputItem, intentOf } from './input.ts'
import { chainOfNamed, type Named } from './named-history.ts'
import { resolveReferences } from './references.ts'
import type { CreateRequest, Previous } from './request.ts'

export type PlanParts = {
  readonly turns: Pick<Turns, 'get' | 'current' | 'watch'>
  readonly threads: Pick<Threads, 'findItems' | 'get' | 'entries' | 'findByOpenCall' | 'findByChain' | 'chainEnd'>
  readonly readers: Pick<Readers, 'canStop' | 'isLeft'>
}

export type Plan = Planned & {
  /** The turn whose answer the client has stopped, and goes on from. The start waits for its end. */
  readonly stopped?: string
}

/** Throws invalid_input for a malformed request, then previous_response_not_found. Stores nothing. */
export async function planTurn(parts: PlanParts, user: UserId, request: CreateRequest): Promise<Plan> {
  const { turns, threads } = parts
  const { previous, conversation } = request
  const threadId = previous?.threadId ?? conversation
  const { items, known } = await resolveReferences(parts, user, { input: request.input, threadId })
  const intent = intentOf(items, threadId !== undefined)
  const before = previous && (await findPrevious(turns, user, previous))
  const thread = conversation === undefined ? undefined : await threads.get(user, conversation)
  if (conversation !== undefined && !thread) throw conversationNotFound()
  const { temporary } = request
  const common: Common = { user, door: 'responses', whenBusy: 'refuse', ...(temporary && { temporary }) }
  const resume = async (named: Named, output: Output): Promise<Plan> => {
    const resumed = resumeOf(user, request, output)
    const history = await chainOfNamed(threads, user, named, { items: [output], instructions: [] })
    const options = { ...resumed.options, ...history.options }
    return { start: { ...common, ...resumed, ...history, options, threadId: named.threadId } }
  }
  if (intent.kind === 'resume') return resume({ threadId: threadId as string, previous: before }, intent.output)
  const sent = sentBy(items, request)
  if (threadId !== undefined) {
    const open = intent.kind === 'replay' && (await threads.findByOpenCall(user, intent.output.callId))
    const resumes = open && (previous || open.id === threadId)
    if (resumes) return resume({ threadId: open.id }, intent.output)
    const fresh = known.size > 0 ? items.filter((_, at) => !known.has(at)) : items
    const blocks = (await instructionsBlock(request.instructions)) + request.context
    const input = seedItems(fresh, blocks, 'input')
    const named = { threadId, previous: before, conversation: thread }
    const history = await chainOfNamed(threads, user, named, sentBy(fresh, request))
    const options = { ...request.options, ...history.options }
    const start = { ...common, ...history, threadId, options, input }
    // The client stopped reading the answer that it names, and goes on.
    const stopped = before && !isAtRest(before.status) && parts.readers.isLeft(before)
    return stopped ? { start: { ...start, whenBusy: 'wait' }, stopped: before.id } : { start }
  }
  const chain = await chainOfRequest(sent.items)
  const history: History = { common, sent, chain, options: request.options }
  const apart = () => startAt(parts, history, { place: { kind: 'new', fresh: 0 } })
  if (intent.kind === 'replay') {
    const open = await threads.findByOpenCall(user, intent.output.callId)
    const waiting = open && (await turns.current(user, open.id))
    if (waiting) {
      const resumed = resumeOf(user, request, intent.output)
      const options = withHistory(resumed.options, chain.history, waiting.options.instructions)
      const at = { threadId: waiting.threadId, historyEnd: waiting.id }
      return { start: { ...common, ...resumed, ...at, options }, apart }
    }
  }
  return replay(parts, history, apart)
}

type Common = Pick<StartTurn, 'user' | 'door' | 'whenBusy' | 'temporary'>

type History = {
  readonly common: Common
  readonly sent: SentHistory
  readonly chain: Chain
  readonly options: TurnOptions
}

/** A history without the id of a response: continues the thread that has it, else starts one with it. */
async function replay(parts: PlanParts, history: History, apart: () => Promise<StartTurn>): Promise<Plan> {
  const { user } = history.common
  const place = await findThread(parts.threads, user, history.chain)
  if (place.kind === 'new') return { start: await apart() }
  const thread = place.kind === 'thread' ? await parts.threads.get(user, place.threadId) : undefined
  const running = thread?.state === 'running' ? await parts.turns.current(user, thread.id) : undefined
  const stopped = running?.id === place.turnId ? running : undefined
  // The client left an answer that is kept running without it.
  if (stopped && !parts.readers.canStop(stopped)) return { start: await apart() }
  const start = await startAt(parts, history, { place, thread }).catch((error: unknown) => {
    // The outputs that were sent do not fit the call that the thread waits for: the history is one of its own.
    if (error instanceof AppError && error.code !== 'invalid_input') return apart()
    throw error
  })
  if (!stopped || start.threadId === undefined) return { start, apart }
  return { start: { ...start, whenBusy: 'wait' }, stopped: stopped.id, apart }
}

type Target = { readonly place: Place; readonly thread?: Thread | undefined }

async function startAt(parts: PlanParts, history: History, { place, thread }: Target): Promise<StartTurn> {
  const { common, sent, chain, options } = history
  const { at, input, instructions, resumes } = await inputAt(parts, { user: common.user, sent, place, thread })
  const stored = withHistory(options, chain.history, instructions)
  return { ...common, input, options: stored, ...at, ...(resumes !== undefined && { resumes }) }
}

/** The input without instructions and reasoning. Items keep their positions, for errors. */
function sentBy(items: readonly InputItem[], { instructions, context }: CreateRequest): SentHistory {
  const kept: ChainedItem[] = []
  const at: number[] = []
  for (const [index, item] of items.entries()) {
    if (item.type !== 'message' && item.type !== 'call' && item.type !== 'output') continue
    kept.push(item)
    at.push(index)
  }
  return { items: kept, instructions, context, field: 'input', pathOf: (index) => `input[${at[index]}].call_id` }
}

function withHistory(options: TurnOptions, chain: string, instructions: string | undefined): TurnOptions {
  return { ...options, chain, ...(instructions !== undefined && { instructions }) }
}

type Output = Extract<InputItem, { type: 'output' }>

function resumeOf(user: UserId, request: CreateRequest, output: Output) {
  return { resumes: output.callId, options: resumeOptions(request), input: [outputAnswer(user, output)] }
}

/**
 * Any response of a thread continues it. An unknown, a deleted and another user's response give the same error, also to the
 * operator, who reads those of the webhook channel: their words are not the operator's.
 */
export async function findPrevious(
  turns: Pick<Turns, 'get'>,
  user: UserId,
  { turnId, threadId }: Previous,
): Promise<Turn> {
  const turn = await turns.get(user, turnId)
  if (turn?.threadId !== threadId || turn.userId !== user) throw previousNotFound()
  return turn
}

export function previousNotFound(): AppError {
  const message = 'the previous response was not found: check previous_response_id, or send the whole history as input'
  return new AppError('previous_response_not_found', message, { param: 'previous_response_id' })
}

export function conversationNotFound(): AppError {
  const message = 'no conversation has this id: check it, or create one'
  return new AppError('not_found', message, { param: 'conversation' })
}

/**
 * Instructions are ignored on a resume, so they are not echoed either. Without `tools` the tools of the waiting turn
 * remain; an empty list removes them.
 */
function resumeOptions({ options, noTools }: CreateRequest): TurnOptions {
  const { instructions: _, ...echo } = echoOf(options.echo)
  const { echo: __, ...rest } = options
  return { ...rest, ...(noTools && { tools: [] }), ...(Object.keys(echo).length > 0 && { echo }) }
}
