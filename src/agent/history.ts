// What a thread has said so far, kept in memory between turns so that a turn costs what it adds, not what stands.
import { type Call, type Entry, type Item, type Message, type Part, type Result, type Summary } from '#core/item.ts'
import { fileOrigin } from '#core/origins.ts'
import type { StartedTurn, ThreadStore } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import type { Fence } from '#safety/fence.ts'
import type { Marker } from '#safety/marks.ts'
import { shortened } from './compact.ts'
import { tokensInItem } from './tokens.ts'

const maxBytes = 64 * 1024 * 1024
/** The thread that was used last stays up to so many times the bound: else each turn of a long one would read it whole. */
const longest = 4
/** As much of an attached file as a door takes. */
const maxFileChars = 1024 * 1024

/**
 * A thread as the loop reads it. `items` is the log, from the latest summary or the turn's beginning on; `prompt` is what
 * the model sees of it: it only ever grows, and a summary begins another one.
 */
export type History = {
  readonly threadId: string
  seq: number
  items: Item[]
  prompt: Item[]
  /** How many items of the prompt are within so many tokens each. */
  fitted: { readonly count: number; readonly most: number }
  /** Calls of the latest response, and their results as they come in. */
  calls: Call[]
  results: Map<string, Result>
  bytes: number
  /** The bare count of the prompt. */
  tokens: number
}

export interface Histories {
  /** The history of a turn that has just started, its first entries included. */
  open(started: StartedTurn): Promise<History>
  /**
   * Adds what was stored. Entries that do not follow directly mean that somebody wrote between, an answer while the turn
   * ran: the rest is read from the store, for a turn that missed it would run its calls again.
   */
  extend(turn: Turn, history: History, entries: readonly Entry[]): Promise<void>
  drop(threadId: string): void
}

/** A cache of histories, bounded in bytes; the longest unused goes first. */
export function createHistories({
  threads,
  limit = maxBytes,
  fence,
  marker,
}: {
  threads: Pick<ThreadStore, 'history'>
  limit?: number
  /** Puts text from outside between marks. */
  fence: Fence
  /** Shows the model where outside text looks like an instruction. */
  marker?: () => Marker
}): Histories {
  const grow = createGrow(fence, marker)
  const cache = new Map<string, History>()
  let bytes = 0

  function drop(threadId: string): void {
    bytes -= cache.get(threadId)?.bytes ?? 0
    cache.delete(threadId)
  }

  function keep(history: History): History {
    cache.set(history.threadId, history)
    bytes += history.bytes
    for (const oldest of cache.keys()) {
      if (bytes <= limit || (oldest === history.threadId && bytes <= longest * limit)) break
      drop(oldest)
    }
    return history
  }

  return {
    async open({ turn, entries }) {
      const next = entries[0]?.seq
      const cached = cache.get(turn.threadId)
      drop(turn.threadId)
      const known = next === 1 ? emptyHistory(turn.threadId) : cached && cached.seq + 1 === next ? cached : undefined
      if (known) {
        forget(known)
        for (const { item, seq } of entries) grow(known, item, seq)
        return keep(known)
      }
      // A turn that goes on (an answered gate, a crash) or a cold thread: the store has it all, these entries included.
      const { after, items } = await threads.history(turn)
      const history = emptyHistory(turn.threadId, after)
      for (const item of items) grow(history, item, history.seq + 1)
      return keep(history)
    },
    async extend(turn, history, entries) {
      const before = history.bytes
      const [next] = entries
      if (next && next.seq !== history.seq + 1) {
        const { items } = await threads.history(turn, history.seq)
        for (const item of items) grow(history, item, history.seq + 1)
      } else for (const { item, seq } of entries) grow(history, item, seq)
      if (cache.get(history.threadId) === history) bytes += history.bytes - before
    },
    drop,
  }
}

/** The seq of the first item that is kept. */
export function firstSeqOf({ seq, items }: History): number {
  return seq - items.length + 1
}

/** Cuts what is longer than so many tokens in the prompt. What a model was shown stays the same, unless it had more room. */
export function fit(history: History, most: number): void {
  const again = history.fitted.count > 0 && most < history.fitted.most
  if (again) history.prompt = [...history.prompt]
  const { prompt } = history
  for (let at = again ? 0 : history.fitted.count; at < prompt.length; at++) {
    const item = prompt[at] as Item
    const tokens = tokensInItem(item)
    if (tokens <= most) continue
    const cut = shortened(item, most)
    prompt[at] = cut
    history.tokens += tokensInItem(cut) - tokens
  }
  history.fitted = { count: prompt.length, most: Math.min(most, history.fitted.most) }
}

function emptyHistory(threadId: string, seq = 0): History {
  return { threadId, seq, items: [], bytes: 1_000, ...emptyPrompt() }
}

function emptyPrompt(): Pick<History, 'prompt' | 'fitted' | 'calls' | 'results' | 'tokens'> {
  const fitted = { count: 0, most: Number.POSITIVE_INFINITY }
  return { prompt: [], fitted, calls: [], results: new Map(), tokens: 0 }
}

/** Lets go of what a summary stands for: only the turn that made it still looks at it. */
function forget(history: History): void {
  const summary = history.items.findLast((item) => item.type === 'summary')
  if (!summary) return
  const gone = history.items.splice(0, Math.max(summary.upTo - firstSeqOf(history) + 1, 0))
  for (const item of gone) history.bytes -= sizeOf(item)
}

/** Outside text goes into a fence here, whichever door or tool it came by. Its origin stays beside it. */
function createGrow(fence: Fence, marker: (() => Marker) | undefined) {
  const fenced = (text: string, origin: string, limit?: number): string =>
    fence(text, origin, { ...(marker && { marker: marker() }), ...(limit !== undefined && { maxChars: limit }) })

  const shownPart = (part: Part): Part => {
    if (part.type === 'file') {
      const origin = fileOrigin(part.name)
      return { type: 'text', text: `\n${fenced(part.text, origin, maxFileChars)}\n`, origin }
    }
    if (part.type === 'image' || part.origin === undefined) return part
    return { ...part, text: fenced(part.text, part.origin) }
  }

  const shownMessage = (item: Message): Message =>
    item.content.some(isOutside) ? { ...item, content: item.content.map(shownPart) } : item

  /** What an item changes in the prompt. */
  function place(history: History, item: Item): void {
    switch (item.type) {
      case 'message':
        show(history, shownMessage(item))
        break
      case 'reasoning':
        show(history, item)
        break
      case 'call':
        show(history, item)
        history.calls.push(item)
        break
      case 'result':
        close(history, item.origin ? { ...item, output: fenced(item.output, item.origin) } : item)
        break
      case 'answer':
        if (item.decision === 'output') {
          const name = history.calls.find(({ callId }) => callId === item.callId)?.name ?? 'a function of the caller'
          close(history, { type: 'result', callId: item.callId, output: fenced(item.output ?? '', name), origin: name })
        }
        break
      case 'summary':
        beginAnew(history, item.origin ? { ...item, text: fenced(item.text, item.origin) } : item, place)
        break
      case 'attempt':
      case 'gate':
        break
      default:
        item satisfies never
    }
  }

  return (history: History, item: Item, seq: number): void => {
    history.items.push(item)
    history.seq = seq
    history.bytes += sizeOf(item)
    place(history, item)
  }
}

type Place = (history: History, item: Item) => void

/** The prompt after a summary: its text, and word for word what it does not stand for. */
function beginAnew(history: History, { text, upTo, origin }: Summary, place: Place): void {
  const rest = history.items.slice(Math.max(upTo - firstSeqOf(history) + 1, 0))
  const before = `[Summary of the conversation so far, whose messages are no longer shown]\n${text}\n[End of the summary]\n\n`
  Object.assign(history, emptyPrompt())
  for (const item of rest) if (item.type !== 'summary') place(history, item)
  const [first] = history.prompt
  // Not two messages of the user in a row, which some models refuse.
  const own = first?.type === 'message' && first.role === 'user'
  const lead: Part = { type: 'text', text: before, ...(origin !== undefined && { origin }) }
  const summary: Message = { type: 'message', role: 'user', content: [lead] }
  if (own) history.prompt[0] = { ...first, content: [lead, ...first.content] }
  else history.prompt.unshift(summary)
  history.tokens += tokensInItem(summary)
}

function isOutside(part: Part): boolean {
  return part.type === 'file' || (part.type === 'text' && part.origin !== undefined)
}

function show(history: History, item: Item): void {
  history.prompt.push(item)
  history.tokens += tokensInItem(item)
}

/** Results reach the prompt together, in the order of the calls, whatever order they came in. */
function close(history: History, result: Result): void {
  history.results.set(result.callId, result)
  if (history.results.size < history.calls.length) return
  for (const { callId } of history.calls) {
    const each = history.results.get(callId)
    if (each) show(history, each)
  }
  history.calls = []
  history.results = new Map()
}

/** A rough size in memory: the log, the prompt and its text on the wire. */
function sizeOf(item: Item): number {
  switch (item.type) {
    case 'message':
      return (
        200 + 3 * item.content.reduce((sum, part) => sum + (part.type === 'image' ? part.url : part.text).length, 0)
      )
    case 'result':
    case 'answer':
      return 200 + 3 * (item.output?.length ?? 0)
    case 'call':
    case 'gate':
      return 200 + 3 * item.args.length
    case 'reasoning':
      return 200 + 3 * (item.text.length + (item.seal?.length ?? 0))
    case 'summary':
      return 200 + 3 * item.text.length
    case 'attempt':
      return 200
    default:
      return item satisfies never
  }
}
