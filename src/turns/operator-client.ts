// What a terminal or `run` asks of the service on the operator's behalf: verbs on plain data, which work alike in this
// process and through the socket of a running service.
import type { ListChange } from '#core/bus.ts'
import type { LocalDoor } from '#core/doors.ts'
import { AppError } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import { type Part, textMessage } from '#core/item.ts'
import type { ListedTurn, OpenGate } from '#core/store.ts'
import type { PolicyInForce } from '#core/policy.ts'
import { type Effects, effectsOf, rowsOf, type Tool } from '#core/tool.ts'
import { atRest, type Thread, type Turn } from '#core/turn.ts'
import type { Documents } from '#memory/documents.ts'
import { policyInForce, type PolicySettings } from '#safety/policy-table.ts'
import type { GateAnswer } from './gate-answers.ts'
import type { Gates } from './gates.ts'
import type { Receipt } from './receipt.ts'
import { checkMessage } from './message.ts'
import type { Threads } from './threads.ts'
import type { Turns } from './turns.ts'
import type { Watched } from './watch.ts'

/** Threads of one list, and documents. */
const maxThreads = 50
/** Turns that are looked through for those of one thread. */
const maxTurns = 100
const maxDocuments = 50
const maxFound = 10

export type OutgoingMessage = {
  readonly door: LocalDoor
  readonly message: string
  /** Without one a thread is made. */
  readonly threadId?: string | undefined
  /** Files that go with the message. */
  readonly files?: readonly Part[] | undefined
}
export type Sent = { readonly threadId: string; readonly turnId: string; readonly queued: boolean }
/** A thread, with those of its turns that are among the latest or have not ended. */
export type OpenThread = Thread & { readonly turns: readonly ListedTurn[] }
export type OperatorTool = Pick<PolicyInForce, 'verdict'> & {
  readonly name: string
  readonly description: string
  readonly effects: Effects | 'varies'
}
export type OperatorDocument = { readonly path: string; readonly words: string; readonly updatedAt: number }
/** What the service tells of itself, as far as a terminal shows it. */
export type OperatorStatus = {
  readonly provider: string
  readonly model: string
  readonly passedOver: readonly string[]
  readonly costTodayUsd: number
  readonly doors: readonly { readonly name: string; readonly address?: string }[]
}

/** Streams begin with an empty batch once they are open, and end with their signal. Before it they throw not_found. */
export interface OperatorClient {
  /** Stores a message as a turn; `follow` and `watch` tell what comes of it. */
  send(message: OutgoingMessage): Promise<Sent>
  /** Answers a gate; tells its turn. Throws gate_closed, not_found, grant_refused. */
  answer(threadId: string, said: Omit<GateAnswer, 'by'>): Promise<Omit<Turn, 'options'>>
  cancel(turnId: string): Promise<void>
  thread(threadId: string): Promise<OpenThread | undefined>
  /** Newest first. */
  threads(): Promise<readonly Thread[]>
  /** What waits, of all doors, oldest first. */
  gates(): Promise<readonly OpenGate[]>
  receipt(turnId: string): Promise<Receipt | undefined>
  status(): Promise<OperatorStatus>
  tools(): Promise<readonly OperatorTool[]>
  /** Documents that match, or without words the list. */
  memory(query: string): Promise<readonly OperatorDocument[]>
  /** One turn from its start up to its rest, also when it rests already. */
  follow(turnId: string, signal: AbortSignal): AsyncIterable<readonly Watched[]>
  /** A thread from after a seq. */
  watch(threadId: string, after: number, signal: AbortSignal): AsyncIterable<readonly Watched[]>
  /** Tells that threads, turns or gates changed. */
  changes(signal: AbortSignal): AsyncIterable<readonly ListChange[]>
}

export type OperatorParts = {
  readonly turns: Turns
  readonly threads: Pick<Threads, 'get' | 'list'>
  readonly gates: Pick<Gates, 'answer' | 'list'>
  readonly documents: Pick<Documents, 'list' | 'search'>
  readonly tools: () => Iterable<Tool>
  /** What the operator has set of the policy. */
  readonly policy: () => PolicySettings
  readonly status: () => Promise<OperatorStatus>
}

export function createOperatorClient(parts: OperatorParts): OperatorClient {
  const { turns, threads, gates, documents, tools, policy, status } = parts

  async function findTurn(turnId: string): Promise<Turn> {
    const turn = await turns.get(operator, turnId)
    if (!turn) throw new AppError('not_found', `turn ${turnId} does not exist`)
    return turn
  }

  /** The seq before a turn's first item: one that is queued comes after all that its thread has. */
  async function seqBefore({ id, threadId, firstSeq }: Turn): Promise<number> {
    if (firstSeq !== undefined) return firstSeq - 1
    // In this order: what a turn appends that is still queued afterwards is behind what was read.
    const thread = await threads.get(operator, threadId)
    const { firstSeq: begun } = await findTurn(id)
    return begun === undefined ? (thread?.lastSeq ?? 0) : begun - 1
  }

  return {
    async send({ door, message, threadId, files = [] }) {
      checkMessage(message)
      const { turn, events } = await turns.start({
        user: operator,
        door,
        input: [textMessage('user', message, files)],
        options: {},
        whenBusy: 'queue',
        ...(threadId !== undefined && { threadId }),
      })
      events.close()
      return { threadId: turn.threadId, turnId: turn.id, queued: turn.status === 'queued' }
    },
    async answer(threadId, said) {
      const { options: _, ...turn } = await gates.answer(operator, threadId, { ...said, by: 'operator' })
      return turn
    },
    cancel: async (turnId) => void (await turns.cancel(operator, turnId)),
    async thread(threadId) {
      const unfinished = ['queued', 'running', 'waiting'] as const
      const [thread, ...lists] = await Promise.all([
        threads.get(operator, threadId),
        turns.list(operator, { limit: maxTurns }),
        ...unfinished.map((status) => turns.list(operator, { status, limit: maxTurns })),
      ])
      const own = lists.flatMap(({ rows }) => rows).filter((turn) => turn.threadId === threadId)
      const byId = new Map(own.map((turn) => [turn.id, turn]))
      return thread && { ...thread, turns: [...byId.values()] }
    },
    threads: async () => (await threads.list(operator, { limit: maxThreads })).rows,
    gates: () => gates.list(operator),
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
    async *follow(turnId, signal) {
      const turn = await findTurn(turnId)
      const source = turns.follow(operator, turn, await seqBefore(turn))
      let now: Turn
      try {
        // After the subscription was made: a rest that comes later is told by it.
        now = await findTurn(turnId)
        if (!atRest(now.status)) {
          yield* upToRest(opened(source, signal), turnId)
          return
        }
      } finally {
        source.close()
      }
      yield []
      yield [{ type: 'entries', entries: await turns.entries(operator, now) }]
      yield [{ type: 'turn', turn: now }]
    },
    async *watch(threadId, after, signal) {
      const thread = await threads.get(operator, threadId)
      if (!thread) throw new AppError('not_found', `thread ${threadId} does not exist`)
      yield* opened(turns.watch(operator, threadId, after), signal)
    },
    changes: (signal) => opened(turns.changes(operator), signal),
  }
}

function shownTool(tool: Tool, settings: PolicySettings): OperatorTool {
  const { spec, about, effects } = tool
  return {
    name: spec.name,
    description: about?.brief ?? spec.description,
    effects: typeof effects === 'function' ? 'varies' : effectsOf({ effects }, ''),
    verdict: policyInForce(rowsOf(tool), settings).verdict,
  }
}

/** The part of a watch that is about one turn. */
async function* upToRest(
  watch: AsyncIterable<readonly Watched[]>,
  turnId: string,
): AsyncGenerator<readonly Watched[], void> {
  for await (const batch of watch) {
    const own = batch.flatMap((event) => ownPart(event, turnId))
    if (own.length > 0 || batch.length === 0) yield own
    if (own.some((event) => event.type === 'turn' && atRest(event.turn.status))) return
  }
}

function ownPart(event: Watched, turnId: string): Watched[] {
  if (event.type === 'turn') return event.turn.id === turnId ? [event] : []
  if (event.type !== 'entries') return event.turnId === turnId ? [event] : []
  const entries = event.entries.filter((entry) => entry.turnId === turnId)
  return entries.length > 0 ? [{ type: 'entries', entries }] : []
}

/** An empty batch, then the source until the signal. A reader that fell behind gets a fault it can come back from. */
async function* opened<T>(
  source: AsyncIterable<readonly T[]> & { close(): void },
  signal: AbortSignal,
): AsyncGenerator<readonly T[], void> {
  const close = (): void => source.close()
  signal.addEventListener('abort', close)
  try {
    yield []
    if (!signal.aborted) yield* source
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('shutting_down', 'the watch fell behind and begins anew', { cause: error })
  } finally {
    signal.removeEventListener('abort', close)
    source.close()
  }
}
