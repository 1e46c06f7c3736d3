// One thread: its stored items, the text that streams in, and the states of its turns.
import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { isAtRest } from '#core/turn-status.ts'
import { type SoFar, withPiece } from '#core/words.ts'
import type { Frame, Progress } from '#doors/web/wire/frame.ts'
import type { TurnFields } from '#doors/web/wire/job.ts'
import type { Item, Origin, Thread, ThreadItems, Variants } from '#doors/web/wire/thread.ts'
import { ApiFault, request, faultText } from '../api/client.ts'
import { createViewer, type TurnView } from '../lib/conversation.ts'
import { sentTurns, takeQueued } from './outbox.ts'
import { sawThread } from './thread-marks.ts'

/** Items per request. A thread is read from its end. */
const pageSize = 200
const maxPages = 50

export type TurnState = Pick<TurnFields, 'id' | 'thread_id' | 'status' | 'error'>

/** Streamed text of an item that is not stored yet. */
export type Growing = { readonly turnId: string; readonly itemId: string; readonly text: string }

/** Reasoning of an item that is not stored yet. */
export type Thinking = Growing & SoFar & { readonly since: number }

export type Conversation = {
  readonly id: string
  readonly thread: Signal<Thread | undefined>
  readonly turns: ReadonlySignal<readonly TurnView[]>
  /** Reasoning that is being written, with the time of its first piece. */
  readonly thinking: Signal<readonly Thinking[]>
  /** In the order in which they began. */
  readonly growing: Signal<readonly Growing[]>
  readonly states: Signal<ReadonlyMap<string, TurnState>>
  /** How far the calls of the running turn are, by call. */
  readonly progress: Signal<ReadonlyMap<string, Progress>>
  /** The variants of its messages, by seq. */
  readonly variants: Signal<ReadonlyMap<number, Variants>>
  /** The thread that this one was forked from on purpose. */
  readonly origin: Signal<Origin | undefined>
  /** Why the thread could not be read. */
  readonly fault: Signal<{ readonly missing: boolean; readonly text: string } | undefined>
  readonly loaded: Signal<boolean>
  readonly hasEarlier: ReadonlySignal<boolean>
  lastSeq(): number
  load(): Promise<void>
  loadEarlier(): Promise<void>
  /** Applies a frame. False when a frame before it was missed: the caller must load again. */
  apply(frame: Frame): boolean
}

export function createConversation(id: string): Conversation {
  const thread = signal<Thread | undefined>(undefined)
  const items = signal<readonly Item[]>([])
  const growing = signal<readonly Growing[]>([])
  const thinking = signal<readonly Thinking[]>([])
  const states = signal<ReadonlyMap<string, TurnState>>(new Map())
  const progress = signal<ReadonlyMap<string, Progress>>(new Map())
  const fault = signal<{ missing: boolean; text: string } | undefined>(undefined)
  const loaded = signal(false)
  const variants = signal<ReadonlyMap<number, Variants>>(new Map())
  const origin = signal<Origin | undefined>(undefined)
  const view = createViewer()
  const turns = computed(() => view(items.value))
  let earlier: Promise<void> | undefined

  const lastSeq = (): number => items.peek().at(-1)?.seq ?? 0
  const firstSeq = (): number => items.peek()[0]?.seq ?? 1

  function read(after: number, limit: number): Promise<ThreadItems> {
    return request<ThreadItems>('GET', `/api/threads/${encodeURIComponent(id)}?after=${after}&limit=${limit}`)
  }

  /** Items after one seq up to another, page by page. */
  async function readRange(after: number, upTo: number): Promise<{ thread: Thread; items: Item[] }> {
    const found: Item[] = []
    let answer = await read(after, Math.min(pageSize, upTo - after))
    found.push(...answer.items)
    for (let page = 1; page < maxPages; page++) {
      const last = found.at(-1)?.seq ?? upTo
      if (last >= upTo || answer.next_after === null) break
      answer = await read(last, Math.min(pageSize, upTo - last))
      found.push(...answer.items)
    }
    return { thread: answer.thread, items: found }
  }

  function add(more: readonly Item[]): void {
    const before = items.peek().at(-1)
    const fresh = more.filter(({ seq }) => seq > (before?.seq ?? 0))
    if (fresh.length === 0) return
    items.value = [...items.peek(), ...fresh]
    if (before && fresh.at(-1)?.turn_id !== before.turn_id) dropRunning((turnId) => turnId === before.turn_id)
    // A text that began before a stored item, and is not stored, was given up.
    keepUnstored(({ itemId }) => fresh.every((item) => item.id !== itemId && timeOf(item.id) <= timeOf(itemId)))
    sawThread(id, lastSeq())
  }

  function keepUnstored(stays: (each: Growing) => boolean): void {
    keepIn(growing, stays)
    keepIn(thinking, stays)
  }

  /** Ends of turns may have been missed: only the last turn of a thread can still run. */
  function dropStale(): void {
    const last = items.peek().at(-1)?.turn_id
    dropRunning((turnId) => turnId !== last)
  }

  function dropRunning(isOver: (turnId: string) => boolean): void {
    const kept = [...states.peek()].filter(([turnId, { status }]) => isAtRest(status) || !isOver(turnId))
    if (kept.length < states.peek().size) states.value = new Map(kept)
  }

  function grow(next: Growing): void {
    const rest = growing.peek().filter(({ itemId }) => itemId !== next.itemId)
    growing.value = [...rest, next]
  }

  return {
    id,
    thread,
    turns,
    growing,
    thinking,
    states,
    progress,
    fault,
    loaded,
    variants,
    origin,
    hasEarlier: computed(() => (items.value[0]?.seq ?? 1) > 1),
    lastSeq,
    async load() {
      try {
        const known = lastSeq()
        const sentBefore = sentTurns(id)
        const { thread: now, queued, variants: places = [], origin: comesFrom } = await read(0, 1)
        const from = known > 0 ? known : Math.max(0, now.last_seq - pageSize)
        const found = now.last_seq > from ? await readRange(from, now.last_seq) : { thread: now, items: [] }
        batch(() => {
          thread.value = found.thread
          variants.value = new Map(places.map((each) => [each.seq, each]))
          origin.value = comesFrom
          const here = new Set(found.items.map((item) => item.id))
          takeQueued(
            id,
            queued.filter((message) => !here.has(message.id)),
            sentBefore,
          )
          add(found.items)
          dropStale()
          fault.value = undefined
          loaded.value = true
        })
      } catch (error) {
        fault.value = { missing: error instanceof ApiFault && error.status === 404, text: faultText(error) }
      }
    },
    async loadEarlier() {
      const first = firstSeq()
      if (first <= 1 || earlier) return earlier
      earlier = readRange(Math.max(0, first - 1 - pageSize), first - 1)
        .then((found) => {
          items.value = [...found.items.filter(({ seq }) => seq < first), ...items.peek()]
        })
        .catch(() => undefined)
        .finally(() => (earlier = undefined))
      return earlier
    },
    apply(frame) {
      // A new response: what an earlier one has not stored was given up.
      const first = 'first_id' in frame && frame.first_id
      if (first) keepUnstored(({ itemId }) => timeOf(itemId) >= timeOf(first))
      switch (frame.type) {
        case 'item':
          if (frame.item.seq > lastSeq() + 1) return false
          batch(() => add([frame.item]))
          return true
        case 'snapshot':
          grow({ turnId: frame.turn_id, itemId: frame.item_id, text: frame.text })
          return true
        case 'delta': {
          const before = growing.peek().find(({ itemId }) => itemId === frame.item_id)?.text ?? ''
          if (frame.offset > before.length) return false
          const text = before + frame.text.slice(before.length - frame.offset)
          if (text !== before) grow({ turnId: frame.turn_id, itemId: frame.item_id, text })
          return true
        }
        case 'thought': {
          const { turn_id: turnId, item_id: itemId } = frame
          const before = thinking.peek().find((each) => each.itemId === itemId)
          const next = { turnId, itemId, ...withPiece(before, frame), since: before?.since ?? Date.now() }
          thinking.value = [...thinking.peek().filter((each) => each.itemId !== itemId), next]
          return true
        }
        case 'turn': {
          const { id: turnId, thread_id, status, error } = frame
          batch(() => {
            states.value = new Map([
              ...states.peek(),
              [turnId, { id: turnId, thread_id, status, ...(error && { error }) }],
            ])
            if (!isAtRest(status)) return
            keepUnstored((each) => each.turnId !== turnId)
            progress.value = new Map()
          })
          return true
        }
        case 'progress':
          progress.value = new Map([...progress.peek(), [frame.call_id, frame]])
          return true
        case 'ready':
        case 'accepted':
        case 'thread':
        case 'gate':
        case 'reload':
        case 'pong':
        case 'error':
          return true
        default:
          return frame satisfies never
      }
    },
  }
}

/** The part of an id that tells its time: ids of one millisecond are in no order. */
function timeOf(id: string): string {
  return id.slice(0, 13)
}

/** Texts that stay are not drawn again. */
function keepIn<T extends Growing>(list: Signal<readonly T[]>, stays: (each: Growing) => boolean): void {
  const kept = list.peek().filter(stays)
  if (kept.length < list.peek().length) list.value = kept
}
