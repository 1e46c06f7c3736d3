// One question to the model: its stream becomes deltas as it arrives and drafts when it is whole.
import { AppError } from '#core/errors.ts'
import type { Delta } from '#core/event.ts'
import { newCallId, newId } from '#core/ids.ts'
import { type Draft, textMessage } from '#core/item.ts'
import { maxCalls, type Model, type ModelEvent, type ModelRequest } from '#core/model.ts'
import { type ModelCall, noUsage, type Usage } from '#core/turn.ts'
import { charsPerToken } from '#core/tokens.ts'
import { tokensInItem, tokensInText } from './tokens.ts'

/** Blocks of text and thoughts, and calls, in one response; the store looks back further than this for open calls. */
const maxItems = 256
/** Letters in one response: more than any model has tokens for. */
const maxChars = 32 * 1024 * 1024

export type Reply = {
  /** The first has what the response took. */
  readonly drafts: readonly Draft[]
  readonly usage: Usage
  /** What the call took; absent where nothing came of it. */
  readonly asked?: ModelCall
  /** Why the stream broke off, when it did; `drafts` then hold the text that had arrived. */
  readonly fault?: unknown
}

export type Question = {
  readonly model: Model
  readonly request: ModelRequest
  readonly turnId: string
  readonly signal: AbortSignal
  readonly emit: (deltas: Delta[]) => void
}

/** Asks once. Never throws: a fault comes back beside what had arrived. */
export async function ask({ model, request, turnId, signal, emit }: Question): Promise<Reply> {
  const said = createResponse(turnId)
  const began = performance.now()
  let fault: unknown
  try {
    for await (const batch of model.stream(request, signal)) {
      const deltas: Delta[] = []
      for (const event of batch) said.take(event, deltas)
      if (deltas.length > 0) emit(deltas)
    }
  } catch (error) {
    fault = error
  }
  const { model: answered, via } = said.by() ?? { model: model.name, via: model.via }
  const by = { model: answered, ...(via && { via }) }
  const ms = Math.round(performance.now() - began)
  const told = said.usage()
  if (fault === undefined) {
    const usage = told ?? noUsage
    const asked: ModelCall = { ...by, usage, ms }
    return { drafts: withCall(said.whole(), asked), usage: { ...usage, model: answered }, asked }
  }
  // Whoever breaks off has to pay for what was written all the same.
  const usage = told ?? (said.begun() ? estimate(model, request, said.chars()) : noUsage)
  const asked: ModelCall = { ...by, usage, ms, ...(said.begun() && !told && { estimated: true }) }
  const drafts = withCall(said.brokenOff(), asked)
  return { drafts, usage: { ...usage, model: answered }, ...(said.begun() && { asked }), fault }
}

/** By our own count, for a call that its provider told nothing of. */
function estimate(model: Model, { system, items, tools }: ModelRequest, chars: number): Usage {
  const thread = items.reduce((sum, item) => sum + tokensInItem(item), 0)
  const around = tokensInText(system) + tokensInText(JSON.stringify(tools))
  const outputTokens = Math.ceil(chars / charsPerToken)
  const counts = { inputTokens: Math.ceil(thread + around), cachedTokens: 0, outputTokens, reasoningTokens: 0 }
  return { ...counts, costUsd: model.priceOf ? model.priceOf(counts) : 0 }
}

function withCall([first, ...rest]: readonly Draft[], asked: ModelCall): Draft[] {
  return first ? [{ ...first, asked }, ...rest] : []
}

/** A text or a block of thoughts that is still being written. */
type Block = {
  readonly type: 'message' | 'reasoning'
  readonly id: string
  /** Which text it follows. */
  readonly place?: { readonly after: string }
  text: string
  seal?: string
}
type Said = Block | { readonly type: 'call'; readonly draft: Draft }

/** What the model said, in the order in which it said it. */
function createResponse(turnId: string) {
  const said: Said[] = []
  let calls = 0
  let chars = 0
  let usage: Usage | undefined
  let by: Pick<ModelCall, 'model' | 'via'> | undefined
  let stopped = false

  function add<T extends Said>(each: T): T {
    if (said.push(each) > maxItems) throw beyond(`${maxItems} parts`)
    return each
  }

  /** The block that a piece continues: the last, unless its seal has closed it. */
  function blockOf(type: Block['type']): Block {
    const last = said.at(-1)
    if (last?.type === type && last.seal === undefined) return last
    const before = said.findLast((each): each is Block => each.type === 'message')
    return add({ type, id: newId(), text: '', ...(before && { place: { after: before.id } }) })
  }

  function count(text: string): void {
    chars += text.length
    if (chars > maxChars) throw beyond(`${maxChars} letters`)
  }

  return {
    take(event: ModelEvent, deltas: Delta[]): void {
      switch (event.type) {
        case 'text': {
          if (event.text === '') break
          count(event.text)
          const block = blockOf('message')
          const offset = block.text.length
          deltas.push({ type: 'delta', turnId, itemId: block.id, ...block.place, offset, text: event.text })
          block.text += event.text
          break
        }
        case 'reasoning': {
          if (event.text === '' && event.seal === undefined) break
          count(event.text)
          const block = blockOf('reasoning')
          block.text += event.text
          if (event.seal !== undefined) block.seal = event.seal
          break
        }
        case 'call':
          count(event.args)
          if (++calls > maxCalls) throw beyond(`${maxCalls} calls`)
          add({ type: 'call', draft: callDraft(event) })
          break
        case 'done':
          usage = event.usage
          if (event.model !== undefined) by = { model: event.model, ...(event.via && { via: event.via }) }
          stopped = event.stop === 'length'
          break
        default:
          event satisfies never
      }
    },
    /** What the provider counted; undefined where it broke off before. */
    usage: () => usage,
    begun: () => said.length > 0,
    chars: () => chars,
    /** Who answered, where that is not who was asked. */
    by: () => by,
    /** A response without calls always leaves a message, so that the turn can end. */
    whole(): Draft[] {
      const spoke = stopped ? said.at(-1)?.type === 'message' : said.some(({ type }) => type === 'message')
      if (calls === 0 && !spoke) said.push({ type: 'message', id: newId(), text: '' })
      return said.map((each, at) => draftOf(each, stopped && at === said.length - 1))
    },
    /** Only what was shown: thoughts without their seal and calls that nobody will run are of no use. */
    brokenOff(): Draft[] {
      const texts = said.filter(({ type }) => type === 'message')
      return texts.map((each, at) => draftOf(each, at === texts.length - 1))
    },
  }
}

function draftOf(said: Said, cut: boolean): Draft {
  if (said.type === 'call') return said.draft
  const { type, id, text, seal } = said
  if (type === 'message') return { id, item: { ...textMessage('assistant', text), ...(cut && { cut }) } }
  return { id, item: { type, text, ...(seal !== undefined && { seal }) } }
}

function callDraft({ name, args, seal }: ModelEvent & { type: 'call' }): Draft {
  const call = { type: 'call', callId: newCallId(), name, args, ...(seal !== undefined && { seal }) } as const
  return { id: newId(), item: call }
}

function beyond(what: string): AppError {
  return new AppError('model_failed', `the model sent more than ${what} in one response: ask for less at once`)
}
