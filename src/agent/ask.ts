// One model call: streamed events become deltas at once, and drafts when the response is complete.
import { AppError, type ErrorCode } from '#core/errors.ts'
import type { Delta, Thought } from '#core/event.ts'
import { newCallId, newId } from '#core/ids.ts'
import { type Draft, textMessage } from '#core/item.ts'
import { maxCalls, type Model, type ModelEvent, type ModelRequest } from '#core/model.ts'
import { type ModelCall, noUsage, type Usage } from '#core/turn.ts'
import { charsPerToken } from '#core/tokens.ts'
import { GrowingText } from '#lib/growing-text.ts'
import { boundWords, type JsonBounds, JsonCount } from '#lib/json-bounds.ts'
import { mapPacked } from '#lib/map-packed.ts'
import type { AnswerRoom } from './long-answers.ts'
import { tokensInItem, tokensInText } from './tokens.ts'

/** Text blocks, reasoning blocks and calls in one response. The store looks further back than this for open calls. */
const maxItems = 256
/** Bytes of one response: more than any model generates, and little enough to be read and stored at once. */
const maxBytes = 4 * 1024 * 1024
/** No tool has a longer name. Results and refusals repeat it. */
const maxNameChars = 256
/** JSON in the arguments of all calls of a response. They are parsed several times, at once. */
const argBounds: JsonBounds = { values: 50_000, names: 20_000, levels: 200 }

export type Reply = {
  /** The first draft carries `asked`. */
  readonly drafts: readonly Draft[]
  readonly usage: Usage
  /** The model call and its usage; absent when it failed before any output. */
  readonly asked?: ModelCall
  /** Of a call that failed: the model calls that are in no draft. */
  readonly failedCalls?: readonly ModelCall[]
  /** The error that ended the stream early; `drafts` then hold the text received so far. */
  readonly fault?: unknown
}

/** A piece of text or of reasoning, as it comes. */
type Piece = Delta | Thought

export type Question = {
  readonly model: Model
  readonly request: ModelRequest
  readonly turnId: string
  readonly signal: AbortSignal
  readonly emit: (pieces: Piece[]) => void
  /** The caller releases it once the drafts are stored. */
  readonly room?: Pick<AnswerRoom, 'grow'>
}

/** Calls the model once. Never throws: an error is returned with the text received so far. */
export async function ask({ model, request, turnId, signal, emit, room }: Question): Promise<Reply> {
  const response = createResponse(turnId)
  const startedAt = performance.now()
  let fault: unknown
  try {
    for await (const batch of model.stream(request, signal)) {
      const pieces: Piece[] = []
      for (const event of batch) response.add(event, pieces)
      if (pieces.length > 0) emit(pieces)
      const waiting = room?.grow(response.bytes(), signal)
      if (waiting) await waiting
    }
  } catch (error) {
    fault = error
  }
  const { model: answeredBy, via } = response.answeredBy() ?? { model: model.name, via: model.via }
  const by = { model: answeredBy, ...(via && { via }) }
  const ms = Math.round(performance.now() - startedAt)
  const reported = response.usage()
  if (fault === undefined) {
    const usage = reported ?? noUsage
    const asked: ModelCall = { ...by, usage, ms }
    return { drafts: withCall(response.complete(), asked), usage: { ...usage, model: answeredBy }, asked }
  }
  // The provider charges for an interrupted response too.
  const hasOutput = response.hasOutput()
  const usage = reported ?? (hasOutput ? estimate(model, request, response.chars()) : usageWithoutOutput(model, fault))
  const asked: ModelCall = { ...by, usage, ms, ...(hasOutput && !reported && { estimated: true }) }
  const drafts = withCall(response.partial(), asked)
  const failedCalls = drafts.length > 0 ? [] : hasOutput ? [asked] : unansweredCalls(asked, fault)
  return { drafts, usage: { ...usage, model: answeredBy }, ...(hasOutput && { asked }), failedCalls, fault }
}

/** The calls of models that gave no answer, of which `call` is the first. Without a key no model is asked. */
function unansweredCalls(call: ModelCall, fault: unknown): ModelCall[] {
  const known = fault instanceof AppError ? fault : undefined
  if (known?.code === 'model_key_missing') return []
  if (!known?.asked) return [{ ...call, failed: true }]
  return known.asked.map(({ model, via, attempts, ms = call.ms }, at) => {
    return { model, ...(via && { via }), usage: at === 0 ? call.usage : noUsage, ms, failed: true, attempts }
  })
}

/** Faults of a request that no model worked on: it costs nothing. */
const unanswered: readonly ErrorCode[] = [
  'model_unknown',
  'model_key_missing',
  'model_unreachable',
  'model_unauthorized',
  'model_rate_limited',
  'model_refused',
]

/** A model without a price may have charged for the prompt, so the cost is unknown. */
function usageWithoutOutput({ priceOf }: Model, fault: unknown): Usage {
  if (!priceOf || (fault instanceof AppError && unanswered.includes(fault.code))) return noUsage
  return { ...noUsage, costUsd: priceOf(noUsage) }
}

/** Estimated usage of a call for which the provider reported none. */
function estimate(model: Model, { system, items, tools }: ModelRequest, chars: number): Usage {
  const thread = items.reduce((sum, item) => sum + tokensInItem(item), 0)
  const overhead = tokensInText(system) + tokensInText(JSON.stringify(tools))
  const outputTokens = Math.ceil(chars / charsPerToken)
  const counts = { inputTokens: Math.ceil(thread + overhead), cachedTokens: 0, outputTokens, reasoningTokens: 0 }
  return { ...counts, costUsd: model.priceOf ? model.priceOf(counts) : 0 }
}

function withCall([first, ...rest]: readonly Draft[], asked: ModelCall): Draft[] {
  return first ? [{ ...first, asked }, ...rest] : []
}

/** A text or reasoning block that is still being streamed. */
type Block = {
  readonly type: 'message' | 'reasoning'
  readonly id: string
  /** The id of the text block before it. */
  readonly after?: string
  readonly text: GrowingText
  signature?: string
}
type ResponsePart = Block | { readonly type: 'call'; readonly draft: Draft }

/** Collects the parts of a response in the order in which they arrive. */
function createResponse(turnId: string) {
  const parts: ResponsePart[] = []
  let firstId: string | undefined
  let calls = 0
  let chars = 0
  let bytes = 0
  let usage: Usage | undefined
  let answeredBy: Pick<ModelCall, 'model' | 'via'> | undefined
  let isCut = false
  /** What the arguments of further calls may have. */
  let bounds = argBounds

  function push<T extends ResponsePart>(part: T): T {
    if (parts.push(part) > maxItems) throw tooLong(`${maxItems} parts`)
    return part
  }

  /** The block that a piece of text continues: the last one, unless its signature has ended it. */
  function blockOf(type: Block['type']): Block {
    const last = parts.at(-1)
    if (last?.type === type && last.signature === undefined) return last
    const before = parts.findLast((part): part is Block => part.type === 'message')
    const id = newId()
    firstId ??= id
    return push({ type, id, text: new GrowingText(), ...(before && { after: before.id }) })
  }

  /** The first piece of a block names the response. */
  function piece<T extends Piece>(block: Block, made: T): T {
    return block.text.length === 0 && firstId !== undefined ? { ...made, firstId } : made
  }

  function count(text: string): void {
    chars += text.length
    bytes += Buffer.byteLength(text)
    if (bytes > maxBytes) throw tooLong(`${maxBytes} bytes`)
  }

  function countArgs(args: string): void {
    count(args)
    const json = Buffer.from(args)
    const counted = new JsonCount(json, bounds)
    const excess = counted.next(json.length)
    if (excess) throw tooLong(`${boundWords(argBounds, excess.bound)} in the arguments of calls`)
    const { values, names, levels } = bounds
    bounds = { values: values - counted.values, names: names - counted.names, levels }
  }

  return {
    add(event: ModelEvent, pieces: Piece[]): void {
      switch (event.type) {
        case 'text': {
          if (event.text === '') break
          count(event.text)
          const block = blockOf('message')
          const { id: itemId, after } = block
          const delta = { type: 'delta', turnId, itemId, offset: block.text.length, text: event.text } as const
          pieces.push(piece(block, after === undefined ? delta : { ...delta, after }))
          block.text.add(event.text)
          break
        }
        case 'reasoning': {
          if (event.text === '' && event.signature === undefined) break
          count(event.text)
          const block = blockOf('reasoning')
          const offset = block.text.length
          const thought: Thought = { type: 'thought', turnId, itemId: block.id, offset, text: event.text }
          if (event.text !== '') pieces.push(piece(block, thought))
          block.text.add(event.text)
          if (event.signature === undefined) break
          count(event.signature)
          block.signature = event.signature
          break
        }
        case 'call':
          if (event.name.length > maxNameChars) throw tooLong(`${maxNameChars} characters in the name of a call`)
          countArgs(event.args)
          count(event.signature ?? '')
          if (++calls > maxCalls) throw tooLong(`${maxCalls} calls`)
          push({ type: 'call', draft: callDraft(event) })
          break
        case 'done':
          usage = event.usage
          if (event.model !== undefined) answeredBy = { model: event.model, ...(event.via && { via: event.via }) }
          isCut = event.stop === 'length'
          break
        default:
          event satisfies never
      }
    },
    /** Usage as the provider reported it; undefined when the stream ended before. */
    usage: () => usage,
    hasOutput: () => parts.length > 0,
    chars: () => chars,
    bytes: () => bytes,
    /** The model that answered, when it is not the one that was called. */
    answeredBy: () => answeredBy,
    /** The drafts of a complete response. Without calls there is always a message, so that the turn can end. */
    complete(): Draft[] {
      const hasMessage = isCut ? parts.at(-1)?.type === 'message' : parts.some(({ type }) => type === 'message')
      if (calls === 0 && !hasMessage) parts.push({ type: 'message', id: newId(), text: new GrowingText() })
      return mapPacked(parts, (part, at) => draftOf(part, isCut && at === parts.length - 1))
    },
    /** The drafts of an interrupted response: its texts only. Reasoning without signature and calls are useless now. */
    partial(): Draft[] {
      const texts = parts.filter(({ type }) => type === 'message')
      return mapPacked(texts, (part, at) => draftOf(part, at === texts.length - 1))
    },
  }
}

/** Items keep a signature under its stored name, `seal`: digests of recorded turns cover that key. */
function draftOf(part: ResponsePart, cut: boolean): Draft {
  if (part.type === 'call') return part.draft
  const { type, id, signature } = part
  const text = part.text.toString()
  if (type === 'message') return { id, item: { ...textMessage('assistant', text), ...(cut && { cut }) } }
  return { id, item: { type, text, ...(signature !== undefined && { seal: signature }) } }
}

function callDraft({ name, args, signature }: ModelEvent & { type: 'call' }): Draft {
  const seal = signature !== undefined && { seal: signature }
  return { id: newId(), item: { type: 'call', callId: newCallId(), name, args, ...seal } }
}

function tooLong(what: string): AppError {
  return new AppError('model_failed', `the model sent more than ${what} in one response: ask for less at once`)
}
