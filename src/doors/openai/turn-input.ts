// The input of a turn at the place where the history of a request continues: what is new of the history, and where it goes.
import { openCalls } from '#core/calls.ts'
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import { type Item, textMessage } from '#core/item.ts'
import type { Thread } from '#core/turn.ts'
import type { Threads } from '#turns/threads.ts'
import type { StartTurn, Turns } from '#turns/turns.ts'
import { hashOfInstructions, instructionsBlock } from './blocks.ts'
import type { ChainedItem, Place } from './find-thread.ts'
import { seedItems } from './seed.ts'

/** Calls of one response, and what belongs to them, are found within this many items. */
const tailItems = 600

export type InputParts = {
  readonly turns: Pick<Turns, 'get'>
  readonly threads: Pick<Threads, 'get' | 'entries'>
}

/** The input of a request. */
export type SentHistory = {
  readonly items: readonly ChainedItem[]
  readonly instructions: readonly string[]
  /** A block that goes with the new items, after the instructions. */
  readonly context?: string
  /** The field of the request, and the path of an output's call id. */
  readonly field: string
  readonly pathOf: (index: number) => string
}

type Output = Extract<ChainedItem, { type: 'output' }>

export type Placed = {
  readonly user: UserId
  readonly sent: SentHistory
  readonly place: Place
  /** The thread that goes on. */
  readonly thread: Thread | undefined
}

export type Input = Pick<StartTurn, 'resumes'> & {
  readonly at: Pick<StartTurn, 'threadId' | 'historyEnd' | 'forks'>
  readonly input: readonly Item[]
  /** The hash of the instructions that stand in the thread now. */
  readonly instructions: string | undefined
}

/** Throws no_open_gate, call_id_mismatch and tool_output_required where the outputs do not fit the thread. */
export async function inputAt(parts: InputParts, { user, sent, place, thread }: Placed): Promise<Input> {
  const { items } = sent
  const fresh = items.slice(place.fresh)
  const waitsFor = place.kind === 'fork' ? callBefore(items, place.fresh) : thread?.openCall
  const outputs = fresh.some(({ type }) => type === 'output')
  const closed = place.kind === 'thread' && waitsFor === undefined && outputs
  if (closed && place.turnId === '') throw noOpenCall(sent)
  const kept = closed ? await keptOutput(parts, user, { place, fresh }) : undefined
  // The call was cancelled elsewhere, or the history has answers of others: all of it is new to a thread of its own.
  if (place.kind === 'new' || (closed && !kept)) return seed(sent, items, {}, undefined)
  const at = place.kind === 'thread' ? endOf(place) : { forks: place.forks }
  const before = await instructionsAt(parts, user, place)
  if (waitsFor === undefined) return seed(sent, kept ? fresh.filter((item) => item !== kept) : fresh, at, before)
  const answer = outputFor(waitsFor, sent, place.fresh)
  // Of several outputs of one call the first counts, as in a history that is new.
  const rest = fresh.filter((item) => item.type !== 'output' || item.callId !== waitsFor)
  const given = outputAnswer(user, answer)
  if (rest.length === 0) return { at, input: [given], resumes: waitsFor, instructions: before }
  const dropped = await laterCalls(parts, user, { place, waitsFor })
  const more = await seed(sent, rest, at, before)
  return { ...more, input: [given, ...dropped, ...more.input], resumes: waitsFor }
}

/** The end of a thread. One that the caller named goes on wherever it ends. */
function endOf({ threadId, turnId }: Extract<Place, { kind: 'thread' }>): Input['at'] {
  return { threadId, ...(turnId !== '' && { historyEnd: turnId }) }
}

/** The item that closes the call of a caller's function. */
export function outputAnswer(user: UserId, { callId, output, images }: Omit<Output, 'type'>): Item {
  return { type: 'answer', callId, decision: 'output', output, ...(images && { images }), by: user }
}

/** Fresh items as the input of a turn, with the instructions where they are new or have changed. */
async function seed(
  { instructions, context = '', field }: SentHistory,
  items: readonly ChainedItem[],
  at: Input['at'],
  before: string | undefined,
): Promise<Input> {
  const now = hashOfInstructions(instructions)
  const blocks = now === before ? '' : await instructionsBlock(instructions)
  // The history is all that the thread has: the assistant spoke last.
  if (items.length === 0 && (at.historyEnd ?? at.forks) !== undefined) {
    return { at, input: [textMessage('user', `${blocks}${context}Continue.`)], instructions: now }
  }
  return { at, input: seedItems(items, blocks + context, field), instructions: now }
}

/** The hash of the instructions that stand in the thread at its latest answer. */
async function instructionsAt({ turns }: InputParts, user: UserId, place: Place): Promise<string | undefined> {
  if (place.kind === 'new' || place.turnId === '') return undefined
  return (await turns.get(user, place.turnId))?.options.instructions
}

/** The call that a history waits for at a point: our answers make one call at a time. */
function callBefore(items: readonly ChainedItem[], index: number): string | undefined {
  const last = items[index - 1]
  return last?.type === 'call' ? last.callId : undefined
}

function outputFor(callId: string, { items, field, pathOf }: SentHistory, from: number): Output {
  let found: Output | undefined
  const called = new Set<string>()
  for (let index = from; index < items.length; index++) {
    const item = items[index]
    if (item?.type === 'call') called.add(item.callId)
    if (item?.type !== 'output') continue
    if (item.callId === callId) found ??= item
    else if (!called.has(item.callId)) {
      const message = `the thread waits for the output of ${callId}, not of ${item.callId}`
      throw new AppError('call_id_mismatch', message, { param: pathOf(index) })
    }
  }
  if (found) return found
  const message = `the thread waits for the output of ${callId}: send it as a tool message`
  throw new AppError('tool_output_required', message, { param: field })
}

type Closed = { readonly place: Extract<Place, { kind: 'thread' }>; readonly fresh: readonly ChainedItem[] }

/**
 * The output that the thread has already, because the turn that it resumed failed or was stopped: the request is a retry, or
 * the next message. Undefined where more than messages of the user follow it.
 */
async function keptOutput(parts: InputParts, user: UserId, { place, fresh }: Closed): Promise<Output | undefined> {
  const [output, ...rest] = fresh
  const isNext = rest.every((item) => item.type === 'message' && item.role === 'user')
  if (output?.type !== 'output' || !isNext) return undefined
  const { lastSeq } = (await parts.turns.get(user, place.turnId)) ?? {}
  if (lastSeq === undefined) return undefined
  const { entries } = await parts.threads.entries(user, place.threadId, { after: lastSeq, limit: 1 })
  const item = entries[0]?.item
  const isKept = item?.type === 'answer' && item.callId === output.callId && item.output === output.output
  return isKept ? output : undefined
}

function noOpenCall({ items, pathOf }: SentHistory): AppError {
  const index = items.findLastIndex(({ type }) => type === 'output')
  return new AppError('no_open_gate', 'no call of this thread waits for an output', { param: pathOf(index) })
}

type Waiting = { readonly place: Exclude<Place, { kind: 'new' }>; readonly waitsFor: string }

/** Results for the further calls of the response that waits: a message after an output goes on without them. */
async function laterCalls({ threads }: InputParts, user: UserId, { place, waitsFor }: Waiting): Promise<Item[]> {
  const threadId = place.kind === 'thread' ? place.threadId : place.forks.threadId
  const end = place.kind === 'thread' ? (await threads.get(user, threadId))?.lastSeq : place.forks.beforeSeq - 1
  if (end === undefined) return []
  const range = { after: Math.max(0, end - tailItems), upTo: end, limit: tailItems }
  const { entries } = await threads.entries(user, threadId, range)
  return openCalls(entries.map(({ item }) => item))
    .filter(({ call }) => call.callId !== waitsFor)
    .map(({ call }) => ({ type: 'result', callId: call.callId, output: 'not run: the user went on', error: true }))
}
