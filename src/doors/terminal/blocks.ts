// A thread as the blocks of a transcript, made from its log and its live events. Blocks are immutable: a change makes a
// new object, which is then drawn again.
import { type Entry, isRemoved, isUserMessage } from '#core/item.ts'
import { addUsage, type ModelCall, noUsage, type Turn, type Usage } from '#core/turn.ts'
import { ended } from '#core/turn-status.ts'
import { createUnstored } from '#core/unstored.ts'
import { progressWords, withPiece } from '#core/words.ts'
import type { OpenThread } from '#turns/operator-client.ts'
import type { Watched } from '#turns/watch.ts'
import {
  type Block,
  type Call,
  endNote,
  fileIn,
  type Fold,
  hasDone,
  isQueued,
  type NamedFile,
  ownText,
  type Thought,
  type Took,
  type You,
} from './block.ts'
import { createBlockList } from './block-list.ts'

/** Results and thoughts are truncated to this many characters. */
const maxResultChars = 64 * 1024

type EndedRow = Pick<Turn, 'startedAt' | 'endedAt' | 'failedCalls'>
type Unfinished = { readonly id: string; readonly status: Turn['status']; readonly since: number }

export interface Blocks {
  list(): readonly Block[]
  /** The last seq received: a new watch continues after it. */
  readonly seq: number
  /** The turn that runs or waits; if there is none, the oldest queued turn. */
  turn(): Unfinished | undefined
  /** The id of the latest turn in the log. */
  lastTurn(): string | undefined
  /** Usage of all turns received so far. */
  usage(): Usage
  apply(events: readonly Watched[]): void
  /** Takes the state of the thread before it is watched: its unfinished turns, and where its log ends. */
  know(thread: OpenThread): void
  /** Shows a sent message that waits behind another turn; it enters the log later. */
  queue(turnId: string, text: string, files: readonly NamedFile[]): void
  /** The messages that wait, oldest first. */
  queued(): readonly You[]
  /** Changes how much of a call, or of a thought, is shown. */
  fold(id: string, fold: Fold): void
}

export function createBlocks(now: () => number): Blocks {
  const blocks = createBlockList()
  const put = (block: Block): void => blocks.put(block)
  const remove = (id: string): void => blocks.remove(id)
  /** Replies and thoughts that are still being written. They stay when the watch is lost. */
  const unstored = createUnstored()
  const took = new Map<string, Took>()
  /** Calls whose latest gate asked for input. */
  const asking = new Set<string>()
  const unfinished = new Map<string, Unfinished>()
  const over = new Set<string>()
  /** Turn id -> last seq, for ended turns whose last item has not arrived yet. */
  const ends = new Map<string, number>()
  const faults = new Map<string, Pick<Turn, 'status' | 'error'>>()
  /** Turn id -> what its row adds to the log, once it has ended. */
  const rows = new Map<string, EndedRow>()
  /** Turns whose last text is incomplete. */
  const cut = new Set<string>()
  let seq = 0
  /** Up to this seq a turn counts as unfinished only if the thread's state listed it. */
  let knownUpTo = Number.POSITIVE_INFINITY
  /** Items of no turn, which API clients add, have it in place of a turn's id. */
  let threadId: string | undefined
  let last: string | undefined
  let total = noUsage

  /** Inserts a thought before the unfinished reply that follows it: the reply's text arrives first. */
  function think(id: string, text: string, end?: number): void {
    const known = blocks.get(id)
    const fold = known?.type === 'thought' ? known.fold : 'line'
    const cut = text.slice(0, maxResultChars)
    const block: Thought = { type: 'thought', id, text: cut, fold, ...(end !== undefined && { end }) }
    if (known) put(block)
    else blocks.putAfter(block, (each) => !isQueued(each) && (each.type !== 'reply' || each.whole))
  }

  function begin({ callId: id, name, args }: { callId: string; name: string; args: string }): void {
    put({ type: 'call', id, name, args, state: 'running', fold: 'line' })
  }

  function change(callId: string, more: Partial<Call>): void {
    const block = blocks.get(callId)
    if (block?.type === 'call') put({ ...block, ...more })
  }

  function add(entry: Entry): void {
    const { id, turnId, item } = entry
    if (entry.seq <= seq) return
    seq = entry.seq
    unstored.store(id).forEach(remove)
    if (turnId !== last) {
      if (last !== undefined) close(last)
      last = turnId
    }
    if (seq > knownUpTo && turnId !== threadId) runs(turnId, entry.at)
    count(entry)
    cut.delete(turnId)
    switch (item.type) {
      case 'message': {
        if (isRemoved(item)) break
        const text = ownText(item)
        if (item.role === 'user') {
          remove(`queued ${turnId}`)
          put({ type: 'you', id, turnId, text, files: item.content.flatMap(fileIn), queued: false })
        } else {
          put({ type: 'reply', id, text, whole: true })
          if (item.cut) cut.add(turnId)
        }
        break
      }
      case 'call':
        begin(item)
        break
      case 'attempt':
        change(item.callId, { state: 'running', begun: entry.at })
        break
      case 'result':
        finish(item.callId, entry.at, item)
        break
      case 'gate':
        // A function of an API caller may have no call item.
        if (!blocks.get(item.callId)) begin(item)
        change(item.callId, { state: 'waiting' })
        if (item.kind === 'input') asking.add(item.callId)
        break
      case 'answer':
        if (item.decision === 'output') finish(item.callId, entry.at, { output: item.output ?? '', origin: 'caller' })
        // A server that asked for input goes on when the person declines.
        else change(item.callId, { state: item.decision === 'allow' || asking.has(item.callId) ? 'running' : 'denied' })
        break
      case 'summary':
        put({ type: 'note', id, text: 'What stands above is summed up for the model from here on', failed: false })
        break
      case 'reasoning':
        if (item.text.trim() !== '') think(id, item.text)
        break
    }
    if (ends.get(turnId) === seq || (seq === knownUpTo && !unfinished.has(turnId))) close(turnId)
  }

  /** Marks a turn as running. Its end arrives as a turn event. */
  function runs(turnId: string, from: number): void {
    if (over.has(turnId)) return
    const since = unfinished.get(turnId)?.since ?? from
    unfinished.set(turnId, { id: turnId, status: 'running', since })
  }

  function finish(callId: string, stamp: number, result: { output: string; error?: true; origin?: string }): void {
    const block = blocks.get(callId)
    if (block?.type !== 'call') return
    const { begun, state } = block
    put({
      ...block,
      state: state === 'denied' ? 'denied' : result.error ? 'failed' : 'done',
      result: result.output.slice(0, maxResultChars),
      size: result.output.length,
      ...(begun !== undefined && { ms: stamp - begun }),
      ...(result.origin !== undefined && { origin: result.origin }),
    })
  }

  function count({ turnId, item, asked, at: to }: Entry): void {
    const before = took.get(turnId) ?? { tools: 0, hosts: [], usage: noUsage, from: to, to }
    const more = item.type === 'result' ? (item.hosts ?? []) : []
    const hosts = more.length > 0 ? [...new Set([...before.hosts, ...more])] : before.hosts
    const tools = before.tools + (item.type === 'call' ? 1 : 0)
    const counted = { ...before, tools, hosts, to }
    took.set(turnId, asked ? withCall(counted, asked) : counted)
  }

  function withCall(before: Took, { via, usage }: ModelCall): Took {
    total = addUsage(total, usage)
    const hosts = via ? [...new Set([...before.hosts, via.host])] : before.hosts
    return { ...before, hosts, usage: addUsage(before.usage, usage) }
  }

  /** The whole turn: with its calls that left no item, and up to its end. */
  function wholeOf(
    counted: Took,
    { startedAt = counted.from, endedAt = counted.to, failedCalls = [] }: EndedRow,
  ): Took {
    return { ...failedCalls.reduce(withCall, counted), from: startedAt, to: endedAt }
  }

  /** Ends a turn: adds its fault, if any, and its receipt. */
  function close(turnId: string): void {
    if (over.has(turnId)) return
    over.add(turnId)
    unfinished.delete(turnId)
    // What an ended turn has not stored was given up. A queued turn that is removed is never the last one of the log.
    if (turnId === last) unstored.clear().forEach(remove)
    const all = took.get(turnId)
    // A queued message that was removed: nothing of its turn is in the log.
    if (!all && faults.get(turnId)?.status === 'cancelled') return
    const note = endNote(faults.get(turnId) ?? {}, { cut: cut.has(turnId), done: hasDone(blocks.all, turnId) })
    if (note) put({ type: 'note', id: `fault ${turnId}`, ...note })
    if (all) put({ type: 'receipt', id: `receipt ${turnId}`, took: wholeOf(all, rows.get(turnId) ?? {}) })
  }

  function queue(turnId: string, text: string, files: readonly NamedFile[]): void {
    // The answer to the send may arrive after the turn's own events.
    if (took.has(turnId) || over.has(turnId)) return
    put({ type: 'you', id: `queued ${turnId}`, turnId, text, files, queued: true })
  }

  function know(turn: Omit<Turn, 'options'>): void {
    if (turn.error || turn.status === 'cancelled') faults.set(turn.id, turn)
    if (!ended(turn.status)) {
      if (!over.has(turn.id)) unfinished.set(turn.id, { id: turn.id, status: turn.status, since: turn.createdAt })
      return
    }
    unfinished.delete(turn.id)
    rows.set(turn.id, turn)
    remove(`queued ${turn.id}`)
    if (turn.lastSeq !== undefined && turn.lastSeq > seq) ends.set(turn.id, turn.lastSeq)
    else close(turn.id)
  }

  return {
    list: () => blocks.all,
    get seq() {
      return seq
    },
    turn: () => {
      const all = [...unfinished.values()]
      return all.find(({ status }) => status !== 'queued') ?? all[0]
    },
    lastTurn: () => last,
    usage: () => total,
    apply(events) {
      for (const event of events) {
        if (event.type === 'entries') event.entries.forEach(add)
        else if (event.type === 'turn') know(event.turn)
        else if (event.type === 'thought') {
          const block = blocks.get(event.itemId)
          const before = block?.type === 'thought' ? block : undefined
          // A piece that comes late: the stored item has all of it.
          if (before && before.end === undefined) continue
          unstored.write(event).forEach(remove)
          runs(event.turnId, took.get(event.turnId)?.to ?? now())
          const { text, end } = withPiece(before && { text: before.text, end: before.end ?? 0 }, event)
          think(event.itemId, text, end)
        } else if (event.type === 'progress') change(event.callId, { progress: progressWords(event) })
        else {
          const { itemId: id, turnId } = event
          runs(turnId, took.get(turnId)?.to ?? now())
          const block = blocks.get(id)
          const before = block?.type === 'reply' ? block : undefined
          if (before?.whole) continue
          unstored.write(event).forEach(remove)
          const offset = event.type === 'delta' ? event.offset : 0
          put({ type: 'reply', id, text: (before?.text ?? '').slice(0, offset) + event.text, whole: false })
        }
      }
    },
    know({ id, turns, queued, lastSeq }) {
      threadId = id
      knownUpTo = lastSeq
      turns.forEach(know)
      for (const { turnId, item } of queued) {
        if (isUserMessage(item)) queue(turnId, ownText(item), item.content.flatMap(fileIn))
      }
    },
    queue,
    queued: () => blocks.all.flatMap((block) => (block.type === 'you' && block.queued ? [block] : [])),
    fold(id, fold) {
      const block = blocks.get(id)
      if (block?.type === 'call' || block?.type === 'thought') put({ ...block, fold })
    },
  }
}
