// The agent loop: ask, settle, wait, stop. It yields steps; the runner records each one before the loop goes on.
import { isModelMade, openCalls } from '#core/calls.ts'
import { AppError, appErrorOf } from '#core/errors.ts'
import type { Delta, Progress as ProgressReport, Thought } from '#core/event.ts'
import { newId } from '#core/ids.ts'
import type { Answer, Draft, Item } from '#core/item.ts'
import type { Model } from '#core/model.ts'
import { isProvider, providers } from '#core/providers.ts'
import type { Outcome, Step } from '#core/turn-store.ts'
import type { ToolContext } from '#core/tool.ts'
import { addUsage, type ModelCall, type Turn, type TurnError, type Usage } from '#core/turn.ts'
import { mapPacked } from '#lib/map-packed.ts'
import { inPace, pace } from '#lib/pace.ts'
import type { Mask } from '#safety/secret-values.ts'
import { ask } from './ask.ts'
import { budgetIn, planCut, summariseCut } from './compact.ts'
import { type Bounds, createCallKeys, type Progress, reachedBound } from './turn-limits.ts'
import { firstSeqOf, fit, type History } from './history-prompt.ts'
import type { AnswerRoom } from './long-answers.ts'
import { type Move, nextMove, type Settlement } from './move.ts'
import { runCalls } from './run-calls.ts'
import { attemptDraft, gateDraft, isGate, refusals } from './settle.ts'
import type { Meter } from './tokens.ts'
import type { Toolbox } from './toolbox.ts'

/** Maximum summaries before one model call. Several are needed when a thread moves to a model with a small window. */
const maxCuts = 20
/** When the model fails to summarise, a thread may exceed its budget by this factor before it is shortened by rule. */
const maxOverBudget = 1.15

export type LoopParts = {
  readonly turn: Turn
  readonly system: string
  readonly history: History
  readonly model: Model
  readonly toolbox: Toolbox
  readonly bounds: Bounds
  readonly meter: Meter
  /** Reserves the cost of a model call until the next step; returns the limit that forbids it, if one does. */
  readonly reserve: (call: { spent: number; next: number }) => Promise<TurnError | undefined>
  readonly signal: AbortSignal
  readonly emit: (events: (Delta | Thought | ProgressReport)[]) => void
  readonly room: Pick<AnswerRoom, 'grow'>
  /** Masks secrets in tool output. */
  readonly mask: Mask
  /** Waits for the answer to a gate, which comes after this seq of the thread. */
  readonly answerTo: (callId: string, after: number) => Promise<Answer>
  /** Reports an internal error: its message is not shown in the turn. */
  readonly report: (fault: unknown) => void
}

/**
 * Runs a turn from the state of its log. The caller must record every step, and add it to the history, before it asks
 * for the next. The last step carries the outcome. Throws only when the turn must stay as it is: the process is shutting
 * down or has lost the lease.
 */
export async function* runTurn(parts: LoopParts): AsyncGenerator<Step> {
  const { turn, history, toolbox, signal, report, meter } = parts
  let usage = turn.usage
  // The known cost: caps go on counting it after a call whose cost is unknown.
  let spent = usage.costUsd ?? 0
  let drafts: readonly Draft[] = []
  let first: Pick<Step, 'first'> = {}
  let failedCall: Pick<Step, 'asked'> = {}
  let failedCalls: readonly ModelCall[] = []
  let cuts = 0
  const keyOf = createCallKeys()
  try {
    for (;;) {
      const preparing = toolbox.prepare(history.items)
      if (preparing) await preparing
      signal.throwIfAborted()
      const move = nextMove(history.items, toolbox)
      if (move.do === 'ask') {
        const progress = progressOf(parts)
        const overhead = meter.overhead({ system: parts.system, tools: toolbox.specs() })
        const cut: Step | undefined = cuts++ < maxCuts ? await compact(parts, { overhead, usage, spent }) : undefined
        if (cut) {
          usage = cut.usage
          spent += cut.drafts[0]?.asked?.usage.costUsd ?? 0
          yield cut
          continue
        }
        const raw = history.tokens + overhead
        const limit =
          reachedBound({ ...progress, keyOf }, parts.bounds) ??
          (await parts.reserve({ spent, next: costOf(parts, raw) }))
        if (limit) {
          yield { drafts: [], usage, outcome: { status: 'failed', error: limit } }
          return
        }
        const reply = await ask({ ...parts, turnId: turn.id, request: requestOf(parts) })
        if (reply.fault === undefined) meter.learn(parts.model, raw, reply.usage)
        usage = addUsage(usage, reply.usage)
        spent += reply.usage.costUsd ?? 0
        drafts = reply.drafts
        failedCall = drafts.length === 0 && reply.asked ? { asked: reply.asked } : {}
        failedCalls = reply.failedCalls ?? []
        first = progress.steps === 0 ? { first: true } : {}
        if (reply.fault !== undefined) throw reply.fault
        const step = { ...(await finishStep(drafts, usage, parts)), ...first }
        yield step
        if (step.outcome) return
        drafts = []
        first = {}
        failedCall = {}
        cuts = 0
      } else if (move.do === 'settle') {
        const step = yield* settle(move.calls, usage, parts)
        if (step?.outcome) return
      } else {
        yield { drafts: [], usage, outcome: outcomeOfMove(move) }
        return
      }
    }
  } catch (error) {
    const fault: unknown = signal.aborted ? signal.reason : error
    const end = outcomeOf(fault)
    if (!end) throw fault
    const outcome = end.status === 'failed' && failedCalls.length > 0 ? { ...end, failedCalls } : end
    if (!(fault instanceof AppError)) report(fault)
    yield { drafts: [...drafts, ...closing(history.items)], usage, outcome, ...first, ...failedCall }
  }
}

/** A step that summarises older items, when the thread exceeds its budget; undefined otherwise. */
async function compact(
  parts: LoopParts,
  { overhead, usage, spent }: { overhead: number; usage: Usage; spent: number },
): Promise<Step | undefined> {
  const { model, history, meter, signal } = parts
  if (!(model.window > 0)) return undefined
  const budget = budgetIn(meter.rawOf(model, model.window), overhead)
  await fit(history, budget.item)
  if (history.tokens <= budget.thread) return undefined
  const plan = await inPace(planCut({ firstSeq: firstSeqOf(history), items: history.items }, budget))
  if (!plan) return undefined
  // A spend limit must not end the turn here: the thread is then shortened by rule.
  const byRule = model.byRule ?? (await parts.reserve({ spent, next: costOf(parts, history.tokens) }))
  const made = await summariseCut(plan, { model: byRule ? { ...model, byRule: true } : model, budget, signal })
  // The model may be reachable again later: shorten by rule only when the thread is far over its budget.
  if (made.failed && history.tokens <= budget.thread * maxOverBudget) return undefined
  const { item, asked } = made
  const draft: Draft = { id: newId(), item, ...(asked && { asked }) }
  return { drafts: [draft], usage: asked ? addUsage(usage, asked.usage) : usage }
}

/** How an error ends a turn; undefined when the turn is left for another process to take over. */
export function outcomeOf(fault: unknown): Outcome | undefined {
  const { code, message, limit } = appErrorOf(fault)
  if (code === 'shutting_down' || code === 'lease_lost') return undefined
  if (code === 'turn_cancelled') return { status: 'cancelled' }
  return { status: 'failed', error: { code, message, ...(limit && { limit }) } satisfies TurnError }
}

/** A model response as one step, including the gates that it raises at once and the end of the turn. */
async function finishStep(drafts: readonly Draft[], usage: Usage, parts: LoopParts): Promise<Step> {
  const { toolbox } = parts
  const items = itemsOf(drafts)
  const preparing = toolbox.prepare(items)
  if (preparing) await preparing
  const move = nextMove(items, toolbox)
  if (move.do !== 'settle') return { drafts, usage, ...restIn(move) }
  if (!move.calls.every(isGate)) return { drafts, usage }
  const gated = [...drafts, ...(await gatesOf(move.calls, parts))]
  return { drafts: gated, usage, ...restIn(nextMove(itemsOf(gated), toolbox)) }
}

function gatesOf(calls: readonly Settlement[], parts: LoopParts): Promise<Draft[]> {
  const { toolbox, mask } = parts
  const gateParts = { toolbox, context: contextOf(parts), mask }
  return Promise.all(
    calls.map(async (each) => {
      const turn = pace()
      if (turn) await turn
      return gateDraft(each, gateParts)
    }),
  )
}

function contextOf({ turn, toolbox, signal }: LoopParts): Pick<ToolContext, 'user' | 'signal' | 'serviceTools'> {
  const serviceTools = turn.options.serviceTools?.filter((name) => toolbox.find(name))
  return { user: turn.userId, signal, ...(serviceTools && { serviceTools }) }
}

/** The outcome, when this move makes the turn rest. */
function restIn(move: Move): Pick<Step, 'outcome'> {
  return move.do === 'wait' || move.do === 'stop' ? { outcome: outcomeOfMove(move) } : {}
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
  const refused = calls.filter(({ how }) => how !== 'run').flatMap(refusals)
  yield { drafts: [...refused, ...runnable.map(attemptDraft)], usage }
  signal.throwIfAborted()
  const context = { ...contextOf(parts), threadId: turn.threadId, turnId: turn.id, skills: toolbox.skills() }
  const { mask, answerTo } = parts
  const { provider } = parts.model
  const running = runCalls(runnable, {
    toolbox,
    context,
    showsImages: isProvider(provider) && providers[provider].images === true,
    mask,
    emitProgress: (progress) => parts.emit([progress]),
    answerTo: (callId) => answerTo(callId, history.seq),
  })
  for await (const { draft, waits } of running) {
    yield { drafts: [draft], usage, ...(waits && { outcome: { status: 'waiting', held: true } }) }
  }
  return undefined
}

function outcomeOfMove(move: Move): Outcome {
  return { status: move.do === 'wait' ? 'waiting' : 'completed' }
}

function requestOf({ turn, system, history, toolbox }: LoopParts) {
  const { temperature, format, json, sampling } = turn.options
  return {
    system,
    items: history.prompt,
    tools: toolbox.specs(),
    ...(temperature !== undefined && { temperature }),
    ...(format && { format }),
    ...(json && { json }),
    ...(sampling && { sampling }),
  }
}

/** The likely cost of a call with a prompt of `raw` tokens, as far as it is known. */
function costOf({ model, meter }: LoopParts, raw: number): number {
  const inputTokens = meter.calibrate(model, raw)
  const likely = { inputTokens, cachedTokens: 0, outputTokens: meter.expectedOutput(model), reasoningTokens: 0 }
  return model.priceOf?.(likely) ?? 0
}

/** The turn's own items, and its number of model calls: each response is an unbroken run of model items. */
function progressOf({ turn, history }: LoopParts): Progress {
  const from = (turn.firstSeq ?? 1) + (turn.options.inputs ?? 1) - firstSeqOf(history)
  const items = history.items.slice(Math.max(from, 0))
  let steps = 0
  let inResponse = false
  for (const item of items) {
    const byModel = isModelMade(item)
    if (byModel && !inResponse) steps++
    inResponse = byModel
  }
  return { items, steps }
}

/** Error results for calls that are open when the turn ends, so that the thread can go on. */
export function closing(items: readonly Item[]): Draft[] {
  return openCalls(items).map(({ call }) => ({
    id: newId(),
    item: { type: 'result', callId: call.callId, output: 'the turn ended before this call was done', error: true },
  }))
}

function itemsOf(drafts: readonly Draft[]): Item[] {
  return mapPacked(drafts, ({ item }) => item)
}
