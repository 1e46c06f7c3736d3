// What a scripted model's script is made of, and which of its replies is due: pure, so that a restarted process goes on
// where the killed one stopped.
import type { ErrorCode } from '#core/errors.ts'
import { type Item, textOf } from '#core/item.ts'
import type { JsonObject } from '#core/json.ts'
import type { Usage } from '#core/turn.ts'

/** The errors a script may raise. */
export const ERROR_CODES = [
  'model_unknown',
  'model_key_missing',
  'model_unreachable',
  'model_unauthorized',
  'model_rate_limited',
  'model_refused',
  'model_failed',
  'model_timeout',
] as const satisfies readonly ErrorCode[]
const EXHAUSTED: Reply = { text: '(script exhausted)' }

/** One thing the model says. All fields are optional; an empty reply is an empty answer. */
export type Reply = {
  /** Only to a user message that contains this. Alone, only while no tool result came after that message. */
  readonly when?: string
  /** Only when the latest input is a result of this tool. */
  readonly afterTool?: string
  /** One string is streamed word by word, a list as it is. `{{input}}` and `{{result}}` are filled in. */
  readonly text?: string | readonly string[]
  readonly reasoning?: string
  /** A string is sent raw, as a model might that writes no valid JSON. */
  readonly calls?: readonly { readonly name: string; readonly args: JsonObject | string }[]
  readonly delayMs?: number
  readonly chunkDelayMs?: number
  /** Instead of an end. It leaves no response behind: a reply in turn stays in turn. */
  readonly error?: {
    readonly code: (typeof ERROR_CODES)[number]
    readonly message?: string
    readonly afterChunks?: number
  }
  readonly usage?: Partial<Usage>
  /** How many responses it serves: 1 in turn, else without end. */
  readonly times?: number
}

export type Script = { readonly replies: readonly Reply[]; readonly loop?: boolean }

/** The reply to these items: the first whose conditions fit the latest input, else the one in turn. */
export function chooseReply(script: Script, items: readonly Item[]): Reply {
  const spent = new Map<Reply, number>()
  const counts = script.replies.some((reply) => isConditional(reply) && reply.times !== undefined)
  let responses = 0
  for (const [at, item] of items.entries()) {
    if (!isOutput(item) || isOutput(items[at - 1])) continue
    // Conditional replies with `times` are used up: what was chosen at each earlier response is worked out again.
    if (counts) {
      const past = matching(script, latestInput(items.slice(0, at)), spent)
      if (past) spent.set(past, (spent.get(past) ?? 0) + 1)
    }
    responses += 1
  }
  return matching(script, latestInput(items), spent) ?? inTurn(script, responses)
}

/** What the model was told last. */
export type Input = { readonly user: string; readonly result: string; readonly afterTool: string | undefined }

/** The latest user message, and the tool whose result came after it, if one did. */
export function latestInput(items: readonly Item[]): Input {
  const user = items.findLast((item) => item.type === 'message' && item.role === 'user')
  const result = items.findLast((item) => item.type === 'result')
  const fresh = result && (!user || items.lastIndexOf(result) > items.lastIndexOf(user))
  const call = fresh ? items.findLast((item) => item.type === 'call' && item.callId === result.callId) : undefined
  return {
    user: user?.type === 'message' ? textOf(user) : '',
    result: result?.output ?? '',
    afterTool: call?.type === 'call' ? call.name : undefined,
  }
}

/** True for what a model makes; an unbroken run of it is one response. */
function isOutput(item: Item | undefined): boolean {
  if (item?.type === 'message') return item.role === 'assistant'
  return item?.type === 'reasoning' || item?.type === 'call'
}

function isConditional(reply: Reply): boolean {
  return reply.when !== undefined || reply.afterTool !== undefined
}

function matching(script: Script, input: Input, spent: ReadonlyMap<Reply, number>): Reply | undefined {
  return script.replies.find((reply) => {
    if (!isConditional(reply) || (spent.get(reply) ?? 0) >= (reply.times ?? Number.POSITIVE_INFINITY)) return false
    // Without `afterTool` a reply is to the user's message alone: it would else be chosen again after its own call.
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
  return EXHAUSTED
}
