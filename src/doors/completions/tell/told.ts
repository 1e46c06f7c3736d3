// The parts of a turn that a client gets: text, calls of its own functions, progress, and why it ended.
import { AppError } from '#core/errors.ts'
import { hexOf, inOnePiece } from '#core/ids.ts'
import { type Entry, type Gate, isAssistantMessage, type Item, textOf } from '#core/item.ts'
import type { Turn, Usage } from '#core/turn.ts'
import { nameForCaller } from '#doors/openai/caller-tools.ts'
import { inputCount } from '#doors/openai/turn-events.ts'
import { unixTime, usageWire } from '#http/wire-format.ts'
import { createProgress } from './progress.ts'

export type Told = {
  readonly content: string
  readonly reasoning: string
  /** The call of a caller's function, under the caller's own name. */
  readonly call?: Gate
  /** Approvals and sign-ins that nobody has answered. */
  readonly gates: readonly Gate[]
  /** The answer reached the token limit. */
  readonly cut: boolean
}

/** Collects what is told of a turn, entry by entry. */
export function createTeller({ options }: Pick<Turn, 'options'>) {
  const progress = createProgress()
  const gates = new Map<string, Gate>()
  let call: Gate | undefined
  let cut = false
  const ownName = ({ name }: Gate): string => nameForCaller(options.tools, name).name
  return {
    /** The text that an entry adds, and its reasoning. */
    add(item: Item): { text: string; reasoning: string } {
      if (item.type === 'gate' && item.kind === 'output') call = { ...item, name: ownName(item) }
      else if (item.type === 'gate') gates.set(item.callId, item)
      else if (item.type === 'answer' || item.type === 'result') gates.delete(item.callId)
      if (!isAssistantMessage(item)) return { text: '', reasoning: progress.textOf(item) }
      cut = item.cut ?? false
      return { text: textOf(item), reasoning: '' }
    },
    state: () => ({ ...(call && { call }), gates: [...gates.values()], cut }),
  }
}

/** The answer of a turn at rest, from all its entries. */
export function toldOf(turn: Turn, entries: readonly Entry[]): Told {
  const teller = createTeller(turn)
  let content = ''
  let reasoning = ''
  for (const { item } of entries.slice(inputCount(turn))) {
    const added = teller.add(item)
    content = joinText(content, added.text)
    reasoning += added.reasoning
  }
  return { content, reasoning, ...teller.state() }
}

/** Messages of one answer are paragraphs. */
export function joinText(before: string, text: string): string {
  return before === '' || text === '' ? before + text : `${before}\n\n${text}`
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter'

export function finishReason(turn: Turn, { call, cut }: Pick<Told, 'call' | 'cut'>): FinishReason {
  if (turn.error?.code === 'model_filtered') return 'content_filter'
  if (call) return 'tool_calls'
  return cut ? 'length' : 'stop'
}

/** The fault that a client gets in place of an answer; undefined if the turn gave one. */
export function faultOf({ status, error }: Turn): AppError | undefined {
  if (status === 'cancelled') return new AppError('turn_cancelled', 'the turn was stopped before its end')
  if (status !== 'failed' || error?.code === 'model_filtered') return undefined
  return new AppError(error?.code ?? 'internal', error?.message ?? 'the turn failed')
}

/** A failed turn is 502, whatever its code; one that took too long is 504. */
export function statusOfFault({ code }: AppError): 502 | 504 {
  return code === 'turn_timeout' ? 504 : 502
}

export function completionId(turnId: string): string {
  return inOnePiece(`chatcmpl-${hexOf(turnId)}`)
}

export type CompletionState = {
  readonly id: string
  readonly createdAt: number
  readonly model: string
  readonly told: Pick<Told, 'content' | 'reasoning' | 'call'>
  readonly finish: FinishReason
  readonly usage: Usage
}

/** The whole answer as one object. */
export function completionObject({ id, createdAt, model, told, finish, usage }: CompletionState) {
  const { content, reasoning, call } = told
  return {
    id,
    object: 'chat.completion',
    created: unixTime(createdAt),
    model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          ...(reasoning !== '' && { reasoning_content: reasoning }),
          content: content === '' && call ? null : content,
          refusal: null,
          ...(call && { tool_calls: [toolCall(call)] }),
        },
        logprobs: null,
        finish_reason: finish,
      },
    ],
    usage: completionUsage(usage),
  }
}

export function toolCall({ callId, name, args }: Gate) {
  return { id: callId, type: 'function', function: { name, arguments: args } }
}

export function completionUsage(usage: Usage) {
  const { input_tokens, input_tokens_details, output_tokens, output_tokens_details, ...rest } = usageWire(usage)
  return {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    prompt_tokens_details: input_tokens_details,
    completion_tokens_details: output_tokens_details,
    ...rest,
  }
}
