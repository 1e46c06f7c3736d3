// The operator's desk: all that a terminal does, as verbs on plain data, so that they work in this process and through a
// socket alike.
import type { ListChange } from '#core/bus.ts'
import { AppError } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import { type Part, textMessage } from '#core/item.ts'
import type { ListedTurn, OpenGate } from '#core/store.ts'
import type { PolicyInForce } from '#core/policy.ts'
import { type Effects, effectsOf, rowsOf, type Tool } from '#core/tool.ts'
import type { Thread } from '#core/turn.ts'
import type { Documents } from '#memory/documents.ts'
import { policyInForce, type PolicySettings } from '#safety/policy-table.ts'
import type { GateAnswer } from './gate-answers.ts'
import type { Receipt } from './receipt.ts'
import { checkMessage } from './message.ts'
import type { Turns } from './turns.ts'
import type { Watched } from './watch.ts'

/** Threads of one list, and documents. */
const maxThreads = 50
/** Turns that are looked through for those of one thread. */
const maxTurns = 100
const maxDocuments = 50
const maxFound = 10

export type Sent = { readonly threadId: string; readonly turnId: string; readonly queued: boolean }
/** A thread, with those of its turns that are among the latest or have not ended. */
export type OpenThread = Thread & { readonly turns: readonly ListedTurn[] }
export type DeskTool = Pick<PolicyInForce, 'verdict'> & {
  readonly name: string
  readonly description: string
  readonly effects: Effects | 'varies'
}
export type DeskDocument = { readonly path: string; readonly words: string; readonly updatedAt: number }
/** What the service tells of itself, as far as a terminal shows it. */
export type DeskStatus = {
  readonly provider: string
  readonly model: string
  readonly passedOver: readonly string[]
  readonly costTodayUsd: number
  readonly doors: readonly { readonly name: string; readonly address?: string }[]
}

export interface Desk {
  /** Stores a message, with files beside its words; its thread tells what comes of it. Without a thread one is made. */
  send(message: string, threadId?: string, files?: readonly Part[]): Promise<Sent>
  cancel(turnId: string): Promise<void>
  /** Throws gate_closed, not_found, grant_refused. */
  answer(threadId: string, said: Omit<GateAnswer, 'by'>): Promise<void>
  thread(threadId: string): Promise<OpenThread | undefined>
  /** Newest first. */
  threads(): Promise<readonly Thread[]>
  /** What waits, of all doors, oldest first. */
  gates(): Promise<readonly OpenGate[]>
  receipt(turnId: string): Promise<Receipt | undefined>
  status(): Promise<DeskStatus>
  tools(): Promise<readonly DeskTool[]>
  /** What matches, or without words the list. */
  memory(query: string): Promise<readonly DeskDocument[]>
  /** Follows a thread from after a seq, until the signal. Throws not_found. */
  watch(threadId: string, after: number, signal: AbortSignal): AsyncIterable<readonly Watched[]>
  /** Tells that threads, turns or gates changed. */
  changes(signal: AbortSignal): AsyncIterable<readonly ListChange[]>
}

export type DeskParts = {
  readonly turns: Turns
  readonly documents: Pick<Documents, 'list' | 'search'>
  readonly tools: () => Iterable<Tool>
  /** What the operator has set of the policy. */
  readonly policy: () => PolicySettings
  readonly status: () => Promise<DeskStatus>
}

export function createDesk({ turns, documents, tools, policy, status }: DeskParts): Desk {
  return {
    async send(message, threadId, files = []) {
      checkMessage(message)
      const thread = threadId === undefined ? {} : { threadId }
      const { turn, events } = await turns.start({
        user: operator,
        door: 'terminal',
        input: [textMessage('user', message, files)],
        options: {},
        whenBusy: 'queue',
        ...thread,
      })
      events.close()
      return { threadId: turn.threadId, turnId: turn.id, queued: turn.status === 'queued' }
    },
    cancel: async (turnId) => void (await turns.cancel(operator, turnId)),
    answer: async (threadId, said) => void (await turns.answer(operator, threadId, { ...said, by: 'operator' })),
    async thread(threadId) {
      const unfinished = ['queued', 'running', 'waiting'] as const
      const [thread, ...lists] = await Promise.all([
        turns.thread(operator, threadId),
        turns.list(operator, { limit: maxTurns }),
        ...unfinished.map((status) => turns.list(operator, { status, limit: maxTurns })),
      ])
      const own = lists.flatMap(({ rows }) => rows).filter((turn) => turn.threadId === threadId)
      const byId = new Map(own.map((turn) => [turn.id, turn]))
      return thread && { ...thread, turns: [...byId.values()] }
    },
    threads: async () => (await turns.threads(operator, { limit: maxThreads })).rows,
    gates: () => turns.gates(operator),
    receipt: (turnId) => turns.receipt(operator, turnId),
    status,
    tools: () => Promise.resolve([...tools()].map((tool) => shownTool(tool, policy()))),
    async memory(query) {
      if (query.trim() === '') {
        const list = await documents.list(operator, { limit: maxDocuments })
        return list.map(({ path, bytes, updatedAt }) => ({ path, words: `${bytes} bytes`, updatedAt }))
      }
      const found = await documents.search(operator, { query, limit: maxFound })
      return found.map(({ path, content, updatedAt }) => ({ path, words: content, updatedAt }))
    },
    watch: (threadId, after, signal) => untilAborted(turns.watch(operator, threadId, after), signal),
    changes: (signal) => untilAborted(turns.changes(operator), signal),
  }
}

function shownTool(tool: Tool, settings: PolicySettings): DeskTool {
  const { spec, about, effects } = tool
  return {
    name: spec.name,
    description: about?.brief ?? spec.description,
    effects: typeof effects === 'function' ? 'varies' : effectsOf({ effects }, ''),
    verdict: policyInForce(rowsOf(tool), settings).verdict,
  }
}

/** What closes with the signal; a reader that fell behind gets a fault it can come back from. */
async function* untilAborted<T>(source: AsyncIterable<T> & { close(): void }, signal: AbortSignal): AsyncGenerator<T> {
  const close = (): void => source.close()
  signal.addEventListener('abort', close)
  try {
    if (!signal.aborted) yield* source
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('shutting_down', 'the watch fell behind and begins anew', { cause: error })
  } finally {
    signal.removeEventListener('abort', close)
    source.close()
  }
}
