// A model that answers from a script, for tests and benchmarks. Its replies depend only on the request's items, so a
// restarted process continues where the killed one stopped.
import { isModelMade } from '#core/calls.ts'
import { AppError } from '#core/errors.ts'
import { isUserMessage, type Item, textOf } from '#core/item.ts'
import { charsPerToken } from '#core/tokens.ts'
import type { Model, ModelEvent, ModelRequest } from '#core/model.ts'
import { noUsage, type Usage } from '#core/turn.ts'
import { type Sleep, sleep as realSleep } from './model-retry.ts'
import type { Reply, Script } from './script.ts'

const windowTokens = 128_000
const exhausted: Reply = { text: '(script exhausted)' }

/** A model that follows a script (`parseScript` reads one). */
export function createScriptedModel({
  script,
  name = 'scripted',
  sleep = realSleep,
}: {
  script: Script
  name?: string
  sleep?: Sleep
}): Model {
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<readonly ModelEvent[]> {
    signal.throwIfAborted()
    const reply = chooseReply(script, request.items)
    const input = latestInput(request.items)
    if (reply.delayMs) await sleep(reply.delayMs, signal)
    for (const batch of batchesOf(reply, input, request)) {
      signal.throwIfAborted()
      yield batch.events
      if (reply.chunkDelayMs && batch.pause) await sleep(reply.chunkDelayMs, signal)
    }
    signal.throwIfAborted()
    if (reply.error) throw new AppError(reply.error.code, reply.error.message ?? `the script says ${reply.error.code}`)
  }
  return { provider: 'scripted', name, window: windowTokens, byRule: true, stream }
}

/** The reply to these items: the first whose conditions match the latest input, else the next one in order. */
function chooseReply(script: Script, items: readonly Item[]): Reply {
  const used = new Map<Reply, number>()
  const counts = script.replies.some((reply) => isConditional(reply) && reply.times !== undefined)
  let responses = 0
  let inResponse = false
  for (const [at, item] of items.entries()) {
    const goesOn = inResponse
    inResponse = isModelMade(item)
    if (!inResponse || goesOn) continue
    // Conditional replies with `times` are used up, so the choice at each earlier response is computed again.
    if (counts) {
      const past = matching(script, latestInput(items.slice(0, at)), used)
      if (past) used.set(past, (used.get(past) ?? 0) + 1)
    }
    responses += 1
  }
  return matching(script, latestInput(items), used) ?? inTurn(script, responses)
}

type Input = { readonly user: string; readonly result: string; readonly afterTool: string | undefined }

/** The latest user message, the latest tool result, and that tool's name if its result came after the message. */
function latestInput(items: readonly Item[]): Input {
  const user = items.findLast(isUserMessage)
  const result = items.findLast((item) => item.type === 'result')
  const fresh = result && (!user || items.lastIndexOf(result) > items.lastIndexOf(user))
  const call = fresh ? items.findLast((item) => item.type === 'call' && item.callId === result.callId) : undefined
  return {
    user: user?.type === 'message' ? textOf(user) : '',
    result: result?.output ?? '',
    afterTool: call?.type === 'call' ? call.name : undefined,
  }
}

function isConditional(reply: Reply): boolean {
  return reply.when !== undefined || reply.afterTool !== undefined
}

function matching(script: Script, input: Input, used: ReadonlyMap<Reply, number>): Reply | undefined {
  return script.replies.find((reply) => {
    if (!isConditional(reply) || (used.get(reply) ?? 0) >= (reply.times ?? Number.POSITIVE_INFINITY)) return false
    // Without `afterTool` a reply answers only the user's message, or it would be chosen again after its own call.
    return reply.afterTool === input.afterTool && input.user.includes(reply.when ?? '')
  })
}

function inTurn(script: Script, responses: number): Reply {
  const replies = script.replies.filter((reply) => !isConditional(reply))
  const total = replies.reduce((sum, reply) => sum + (reply.times ?? 1), 0)
  let position = script.loop && total > 0 ? responses % total : responses
  for (const reply of replies) {
    position -= reply.times ?? 1
    if (position < 0) return reply
  }
  return exhausted
}

type Batch = { readonly events: readonly ModelEvent[]; readonly pause: boolean }

/** The batches to yield: everything at once, or chunk by chunk if the reply has pauses. */
function batchesOf(reply: Reply, input: Input, request: ModelRequest): Batch[] {
  const chunks = chunksOf(reply, input).slice(0, reply.error ? (reply.error.afterChunks ?? 0) : undefined)
  const texts = chunks.map((text): ModelEvent => ({ type: 'text', text }))
  const silent = reply.error !== undefined && texts.length === 0
  const first: ModelEvent[] = reply.reasoning && !silent ? [{ type: 'reasoning', text: reply.reasoning }] : []
  const last: ModelEvent[] = reply.error
    ? []
    : [...callsOf(reply), { type: 'done', usage: usageOf(reply, chunks, request) }]
  if (!reply.chunkDelayMs) {
    const events = [...first, ...texts, ...last]
    return events.length === 0 ? [] : [{ events, pause: false }]
  }
  const paced = [...first, ...texts].map((event) => ({ events: [event], pause: true }))
  return last.length === 0 ? paced : [...paced, { events: last, pause: false }]
}

function chunksOf(reply: Reply, input: Input): readonly string[] {
  const fill = (text: string): string =>
    text.replaceAll(/\{\{(input|result)\}\}/g, (_, name: string) => (name === 'input' ? input.user : input.result))
  if (reply.text === undefined) return []
  if (typeof reply.text !== 'string') return reply.text.map(fill)
  return fill(reply.text).match(/\s*\S+\s*|\s+/g) ?? []
}

function callsOf(reply: Reply): ModelEvent[] {
  return (reply.calls ?? []).map(({ name, args }) => ({
    type: 'call',
    name,
    args: typeof args === 'string' ? args : JSON.stringify(args),
  }))
}

function usageOf(reply: Reply, chunks: readonly string[], request: ModelRequest): Usage {
  // The parser adds no undefined fields.
  if (reply.usage) return { ...noUsage, ...reply.usage } as Usage
  const outputTexts = [...chunks, reply.reasoning ?? '', ...(reply.calls ?? []).map(({ args }) => JSON.stringify(args))]
  const inputChars = request.items.reduce((sum, item) => sum + charsOf(item), request.system.length)
  return {
    ...noUsage,
    inputTokens: tokens(inputChars),
    outputTokens: tokens(outputTexts.reduce((sum, text) => sum + text.length, 0)),
    reasoningTokens: tokens(reply.reasoning?.length ?? 0),
  }
}

function charsOf(item: Item): number {
  if (item.type === 'message') return textOf(item).length
  if (item.type === 'result') return item.output.length
  return item.type === 'call' ? item.args.length : 0
}

function tokens(chars: number): number {
  return Math.ceil(chars / charsPerToken)
}
