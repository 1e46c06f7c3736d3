// The agent loop: ask, settle, wait, stop. It yields what it made; the runner records each step before the loop goes on.
import { isModelMade, openCalls } from '#core/calls.ts'
import { AppError } from '#core/errors.ts'
import type { Delta } from '#core/event.ts'
import { newId } from '#core/ids.ts'
import type { Draft, Item } from '#core/item.ts'
import type { Model } from '#core/model.ts'
import type { Outcome, Step } from '#core/store.ts'
import { addUsage, type Turn, type TurnError, type Usage } from '#core/turn.ts'
import { ask } from './ask.ts'
import { carryOut, planCut, roomIn } from './compact.ts'
import { type Bounds, reachedBound } from './turn-limits.ts'
import { firstSeqOf, fit, type History } from './history.ts'
import { type Move, nextMove, type Settlement } from './move.ts'
import { attemptDraft, gateDraft, inOrderOfArrival, isGate, refusal, runCall } from './settle.ts'
import type { Meter } from './tokens.ts'
import type { Toolbox } from './toolbox.ts'

/** Summaries before one response: a thread may have grown far beyond the window of a model that is new to it. */
const maxCuts = 20
/** How far beyond its room a thread may go before it is shortened without a model. */
const pressing = 1.15

export type LoopParts = {
  readonly turn: Turn
  readonly system: string
  readonly history: History
  readonly model: Model
  readonly toolbox: Toolbox
  readonly bounds: Bounds
  readonly meter: Meter
  /** Holds the money for a call of the model until the next step; tells what is in the way. */
  readonly reserve: (call: { spent: number; next: number }) => Promise<TurnError | undefined>
  readonly signal: AbortSignal
  readonly emit: (deltas: Delta[]) => void
  /** Takes secrets out of what a tool brought. */
  readonly mask?: (text: string) => string
  /** Takes a fault of our own: the turn tells nobody its words. */
  readonly report: (fault: unknown) => void
}

/**
 * Runs a turn from wherever its log stands. Every step must be recorded, and added to the history, before the next is
 * asked for. The last step carries the outcome. Throws only when the turn must be left as it is: the process is going
 * down, or has lost it.
 */
export async function* runTurn(parts: LoopParts): AsyncGenerator<Step> {
  const { turn, history, toolbox, signal, report, meter } = parts
  let usage = turn.usage
  let drafts: readonly Draft[] = []
  let first: Pick<Step, 'first'> = {}
  let lost: Pick<Step, 'asked'> = {}
  let cuts = 0
  try {
    for (;;) {
      signal.throwIfAborted()
      const move = nextMove(history.items, toolbox)
      if (move.do === 'ask') {
        const past = spent(parts)
        const around = meter.around({ system: parts.system, tools: toolbox.specs })
        const cut: Step | undefined = cuts++ < maxCuts ? await shrink(parts, around, usage) : undefined
        if (cut) {
          usage = cut.usage
          yield cut
          continue
        }
        const bare = history.tokens + around
        const bound = reachedBound(past, parts.bounds) ?? (await parts.reserve(nextCall(parts, bare, usage)))
        if (bound) {
          yield { drafts: [], usage, outcome: { status: 'failed', error: bound } }
          return
        }
        const reply = await ask({ ...parts, turnId: turn.id, request: requestOf(parts) })
        if (reply.fault === undefined) meter.learn(parts.model, bare, reply.usage)
        usage = addUsage(usage, reply.usage)
        drafts = reply.drafts
        lost = drafts.length === 0 && reply.asked ? { asked: reply.asked } : {}
        first = past.steps === 0 ? { first: true } : {}
        if (reply.fault !== undefined) throw reply.fault
        const step = { ...(await finishStep(drafts, usage, parts)), ...first }
        yield step
        if (step.outcome) return
        drafts = []
        lost = {}
        cuts = 0
      } else if (move.do === 'settle') {
        const step = yield* settle(move.calls, usage, parts)
        if (step?.outcome) return
      } else {
        yield { drafts: [], usage, outcome: restOf(move) }
        return
      }
    }
  } catch (error) {
    const fault: unknown = signal.aborted ? signal.reason : error
    const outcome = outcomeOf(fault)
    if (!outcome) throw fault
    if (!(fault instanceof AppError)) report(fault)
    yield { drafts: [...drafts, ...closing(history.items)], usage, outcome, ...first, ...lost }
  }
}

/** A step that makes the thread smaller, where it has outgrown the window: a summary of what is older. */
async function shrink(parts: LoopParts, around: number, usage: Usage): Promise<Step | undefined> {
  const { model, history, meter, signal } = parts
  if (!(model.window > 0)) return undefined
  const room = roomIn(meter.bare(model, model.window), around)
  fit(history, room.item)
  if (history.tokens <= room.thread) return undefined
  const plan = planCut({ firstSeq: firstSeqOf(history), items: history.items }, room)
  if (!plan) return undefined
  // Where there is no money for a summary, the turn is not to end by it.
  const refused = model.byRule ?? (await parts.reserve(nextCall(parts, history.tokens, usage)))
  const made = await carryOut(plan, { model: refused ? { ...model, byRule: true } : model, room, signal })
  // A model that cannot be reached now may be so later: the thread is shortened by rule only when it must be.
  if (made.failed && history.tokens <= room.thread * pressing) return undefined
  const { item, asked } = made
  const draft: Draft = { id: newId(), item, ...(asked && { asked }) }
  return { drafts: [draft], usage: asked ? addUsage(usage, asked.usage) : usage }
}

/** How a fault ends a turn; undefined when the turn is to be left for whoever takes it over. */
export function outcomeOf(fault: unknown): Outcome | undefined {
  if (!(fault instanceof AppError)) {
    return {
      status: 'failed',
      error: { code: 'internal', message: 'something went wrong inside the service; its log says more' },
    }
  }
  if (fault.code === 'shutting_down' || fault.code === 'lease_lost') return undefined
  if (fault.code === 'turn_cancelled') return { status: 'cancelled' }
  const { code, message, limit } = fault
  return { status: 'failed', error: { code, message, ...(limit && { limit }) } satisfies TurnError }
}

/** A model response as one step: the gates it runs into at once are part of it, and so is the end of the turn. */
async function finishStep(drafts: readonly Draft[], usage: Usage, parts: LoopParts): Promise<Step> {
  const { toolbox } = parts
  const move = nextMove(itemsOf(drafts), toolbox)
  if (move.do !== 'settle') return { drafts, usage, ...restIn(move) }
  if (!move.calls.every(isGate)) return { drafts, usage }
  const gated = [...drafts, ...(await gatesOf(move.calls, parts))]
  return { drafts: gated, usage, ...restIn(nextMove(itemsOf(gated), toolbox)) }
}

function gatesOf(calls: readonly Settlement[], { toolbox, turn, signal, mask }: LoopParts): Promise<Draft[]> {
  const parts = { toolbox, context: { user: turn.userId, signal }, ...(mask && { mask }) }
  return Promise.all(calls.map((each) => gateDraft(each, parts)))
}

/** How the turn comes to rest with this move, if it does. */
function restIn(move: Move): Pick<Step, 'outcome'> {
  return move.do === 'wait' || move.do === 'stop' ? { outcome: restOf(move) } : {}
}

async function* settle(
  calls: readonly Settlement[],
  usage: Usage,
  parts: LoopParts,
): AsyncGenerator<Step, Step | undefined> {
  const { history, toolbox, turn, signal } = parts
  if (calls.every(isGate)) {
    const drafts = await gatesOf(calls, parts)
    const step: Step = { drafts, usage, ...restIn(nextMove([...history.items, ...itemsOf(drafts)], toolbox)) }
    yield step
    return step
  }
  const runnable = calls.filter(({ how }) => how === 'run')
  const refused = calls.filter(({ how }) => how !== 'run').map(refusal)
  yield { drafts: [...refused, ...runnable.map(attemptDraft)], usage }
  signal.throwIfAborted()
  const context = { user: turn.userId, threadId: turn.threadId, turnId: turn.id, signal }
  const runs = runnable.map((each) => runCall(each, { toolbox, context, ...(parts.mask && { mask: parts.mask }) }))
  for await (const draft of inOrderOfArrival(runs)) yield { drafts: [draft], usage }
  return undefined
}

function restOf(move: Move): Outcome {
  return { status: move.do === 'wait' ? 'waiting' : 'completed' }
}

function requestOf({ turn, system, history, toolbox }: LoopParts) {
  const { temperature, format } = turn.options
  return {
    system,
    items: history.prompt,
    tools: toolbox.specs,
    ...(temperature !== undefined && { temperature }),
    ...(format && { format }),
  }
}

/** What the turn has cost, and what a call with a prompt of so many tokens is likely to. */
function nextCall({ model, meter }: LoopParts, bare: number, usage: Usage): { spent: number; next: number } {
  const inputTokens = meter.right(model, bare)
  const likely = { inputTokens, cachedTokens: 0, outputTokens: meter.output(model), reasoningTokens: 0 }
  return { spent: usage.costUsd ?? 0, next: model.priceOf?.(likely) ?? 0 }
}

/** The turn's own items, and how often the model was asked in it: each response is a run of reasoning, prose and calls. */
function spent({ turn, history }: LoopParts): { items: readonly Item[]; steps: number } {
  const from = (turn.firstSeq ?? 1) + (turn.options.inputs ?? 1) - firstSeqOf(history)
  const items = history.items.slice(Math.max(from, 0))
  let steps = 0
  let speaking = false
  for (const item of items) {
    const byModel = isModelMade(item)
    if (byModel && !speaking) steps++
    speaking = byModel
  }
  return { items, steps }
}

/** Results for calls that the end of the turn leaves open, so that the thread can go on. */
export function closing(items: readonly Item[]): Draft[] {
  return openCalls(items).map(({ call }) => ({
    id: newId(),
    item: { type: 'result', callId: call.callId, output: 'the turn ended before this call was done', error: true },
  }))
}

function itemsOf(drafts: readonly Draft[]): Item[] {
  return drafts.map(({ item }) => item)
}
