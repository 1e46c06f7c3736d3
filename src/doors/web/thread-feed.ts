// Follows one thread over a connection: sends stored entries after a seq, then live events, as frames.
import type { PartialText } from '#core/bus.ts'
import type { UserId } from '#core/ids.ts'
import type { Entry } from '#core/item.ts'
import { isLong } from '#core/json-slices.ts'
import type { Turn } from '#core/turn.ts'
import { isAtRest } from '#core/turn-status.ts'
import type { Connection } from '#http/connection.ts'
import { pace } from '#lib/pace.ts'
import type { Threads } from '#turns/threads.ts'
import type { Frame } from '#doors/web/wire/frame.ts'
import type { Turns } from '#turns/turns.ts'
import type { Watched } from '#turns/watch.ts'
import { type LargeFrame, minLargeChars, type SendLarge } from './large-frames.ts'
import { findThread } from './thread-routes.ts'
import { itemWire, turnFrame } from './wire.ts'

export type Following = {
  /** True while a turn runs in the thread, and until its end has been sent. */
  readonly running: () => boolean
  close(): void
}

export type Follow = {
  readonly turns: Pick<Turns, 'watch' | 'get'>
  readonly threads: Pick<Threads, 'get' | 'entries'>
  readonly connection: Pick<Connection, 'drained'> & { send(...frames: readonly Frame[]): void }
  readonly sendLarge: SendLarge
  readonly user: UserId
  readonly threadId: string
  readonly after: number
  /** Called when following ends, with the error that ended it, if any. */
  readonly onEnd: (error: unknown) => void
}

/**
 * Begins to follow. Throws not_found. The watch opens before anything is read, so that no event is missed. The status of
 * the last turn is sent after all of its entries.
 */
export async function followThread(given: Follow): Promise<Following> {
  const { turns, threads, connection, sendLarge, user, threadId, after, onEnd } = given
  const watch = turns.watch(user, threadId, after)
  let runs = false
  /** `runs` as the reader knows it: the end of a turn comes last in what is sent together. */
  let running = false
  let sentSeq = after
  let last: Turn | undefined
  let lastAt = 0

  /** The last turn as it was read at the start, once the entries up to that moment have been sent. */
  function lastTurn(): Frame[] {
    if (!last || lastAt > sentSeq) return []
    const frame = turnFrame(last)
    last = undefined
    return [frame]
  }

  function itemFrame(entry: Entry): Frame | LargeFrame {
    const { seq, item } = entry
    const make = (): Frame => ({ type: 'item', thread_id: threadId, seq, item: itemWire(entry) })
    return isLong(item, minLargeChars) ? { type: 'large', key: `item ${threadId} ${seq}`, make } : make()
  }

  function placeOf({ turnId: turn_id, itemId: item_id, firstId: first_id }: Omit<PartialText, 'text'>) {
    return { thread_id: threadId, turn_id, item_id, ...(first_id !== undefined && { first_id }) }
  }

  function framesOf(event: Watched): (Frame | LargeFrame)[] {
    switch (event.type) {
      case 'entries':
        sentSeq = Math.max(sentSeq, event.entries.at(-1)?.seq ?? 0)
        return [...event.entries.map(itemFrame), ...lastTurn()]
      case 'turn':
        runs = !isAtRest(event.turn.status)
        if (last?.id === event.turn.id) last = undefined
        return [turnFrame(event.turn)]
      case 'delta':
      case 'snapshot': {
        runs = true
        const { text } = event
        const at = placeOf(event)
        return [
          textFrame(
            event.type === 'delta'
              ? { type: 'delta', ...at, offset: event.offset, text }
              : { type: 'snapshot', ...at, text },
          ),
        ]
      }
      case 'thought': {
        runs = true
        const { type, offset, text } = event
        return [textFrame({ type, ...placeOf(event), offset, text })]
      }
      case 'progress': {
        const { turnId: turn_id, callId: call_id, ...rest } = event
        return [{ ...rest, thread_id: threadId, turn_id, call_id }]
      }
      default:
        return event satisfies never
    }
  }

  async function sendFrame(frame: Frame | LargeFrame): Promise<boolean> {
    if (frame.type === 'large') return sendLarge(frame)
    connection.send(frame)
    // All watchers get an item in the same turn of the event loop.
    if (frame.type === 'item') await pace()
    return connection.drained()
  }

  async function pump(): Promise<void> {
    connection.send(...lastTurn())
    for await (const events of watch) {
      const frames = joined(events).flatMap(framesOf)
      running ||= runs || events.some(({ type }) => type === 'turn')
      for (const frame of frames) if (!(await sendFrame(frame))) return
      running = runs
    }
  }

  try {
    const { lastSeq } = await findThread(threads, user, threadId)
    const [entry] = (await threads.entries(user, threadId, { after: lastSeq - 1, limit: 1 })).entries
    const turn = entry && (await turns.get(user, entry.turnId))
    // A fork contains entries of another thread's turns.
    if (turn?.threadId === threadId) last = turn
    lastAt = Math.max(lastSeq, turn?.lastSeq ?? 0)
    runs = last !== undefined && !isAtRest(last.status)
    running = runs
  } catch (error) {
    watch.close()
    throw error
  }
  void pump().then(
    () => onEnd(undefined),
    (error: unknown) => onEnd(error),
  )
  return { running: () => running, close: () => watch.close() }
}

type TextFrame = Extract<Frame, { type: 'delta' | 'thought' | 'snapshot' }>

function textFrame(frame: TextFrame): Frame | LargeFrame {
  const { type, thread_id, item_id, text } = frame
  if (text.length < minLargeChars) return frame
  const from = type === 'snapshot' ? 0 : frame.offset
  return { type: 'large', key: `${type} ${thread_id} ${item_id} ${from} ${text.length}`, make: () => frame }
}

/** Merges consecutive pieces of one item into one event. */
function joined(events: readonly Watched[]): Watched[] {
  const made: Watched[] = []
  for (const event of events) {
    const before = made.at(-1)
    const isPiece = event.type === 'delta' || event.type === 'thought'
    const goesOn = isPiece && before?.type === event.type && before.itemId === event.itemId
    if (goesOn && before.offset + before.text.length === event.offset) {
      made[made.length - 1] = { ...before, text: before.text + event.text }
    } else made.push(event)
  }
  return made
}
