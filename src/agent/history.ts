// What a thread has said so far, kept in memory between turns so that a turn costs what it adds, not what stands.
import type { Call, Entry, Item, Message, Part, Result } from '#core/item.ts'
import type { StartedTurn, ThreadStore } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import { fence } from '#safety/fence.ts'
import type { Marker } from '#safety/marks.ts'
import { tokensInItem } from './tokens.ts'

const maxBytes = 64 * 1024 * 1024
/** The thread that was used last stays up to so many times the bound: else each turn of a long one would read it whole. */
const longest = 4
/** As much of an attached file as a door takes. */
const maxFileChars = 1024 * 1024

/** A thread as the loop reads it. `items` is the log, `prompt` what the model sees of it; both only ever grow. */
export type History = {
  readonly threadId: string
  seq: number
  readonly items: Item[]
  readonly prompt: Item[]
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
  marker,
}: {
  threads: Pick<ThreadStore, 'history'>
  limit?: number
  /** Shows the model where outside text looks like an instruction. */
  marker?: () => Marker
}): Histories {
  const grow = createGrow(marker)
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
        for (const { item, seq } of entries) grow(known, item, seq)
        return keep(known)
      }
      // A turn that goes on (an answered gate, a crash) or a cold thread: the store has it all, these entries included.
      const stored = await threads.history(turn)
      const history = emptyHistory(turn.threadId)
      for (const item of stored) grow(history, item, history.seq + 1)
      return keep(history)
    },
    async extend(turn, history, entries) {
      const before = history.bytes
      const [next] = entries
      if (next && next.seq !== history.seq + 1) {
        const stored = await threads.history(turn)
        for (const item of stored.slice(history.seq)) grow(history, item, history.seq + 1)
      } else for (const { item, seq } of entries) grow(history, item, seq)
      if (cache.get(history.threadId) === history) bytes += history.bytes - before
    },
    drop,
  }
}

function emptyHistory(threadId: string): History {
  return { threadId, seq: 0, items: [], prompt: [], calls: [], results: new Map(), bytes: 1_000, tokens: 0 }
}

/** Outside text goes into a fence here, whichever door or tool it came by. */
function createGrow(marker: (() => Marker) | undefined) {
  const fenced = (text: string, origin: string, limit?: number): string =>
    fence(text, origin, { ...(marker && { marker: marker() }), ...(limit !== undefined && { limit }) })

  const shownPart = (part: Part): Part =>
    part.type === 'file'
      ? { type: 'text', text: `\n${fenced(part.text, `attached file ${part.name}`, maxFileChars)}\n` }
      : part

  const shownMessage = (item: Message): Message =>
    item.content.some(({ type }) => type === 'file') ? { ...item, content: item.content.map(shownPart) } : item

  return (history: History, item: Item, seq: number): void => {
    history.items.push(item)
    history.seq = seq
    history.bytes += sizeOf(item)
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
          close(history, { type: 'result', callId: item.callId, output: fenced(item.output ?? '', name) })
        }
        break
      case 'attempt':
      case 'gate':
      case 'summary':
        break
      default:
        item satisfies never
    }
  }
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
