// The operator's client, for the terminal and `run`: methods on plain data, which work the same in this process and
// through the socket of a running service.
import type { OfferedModel, OfferedModels } from '#core/admin.ts'
import type { ListChange } from '#core/bus.ts'
import type { LocalDoor } from '#core/doors.ts'
import { AppError } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import { type Part, textMessage } from '#core/item.ts'
import type { ListedTurn, OpenGate } from '#core/turn-store.ts'
import type { QueuedEntry } from '#core/thread-store.ts'
import type { PolicyInForce } from '#core/policy.ts'
import { type Effects, effectsOf, rowsOf, type Tool } from '#core/tool.ts'
import type { Thread, Turn } from '#core/turn.ts'
import { isAtRest } from '#core/turn-status.ts'
import type { CostSum } from '#core/usage.ts'
import type { Documents } from '#memory/documents.ts'
import { policyInForce, type PolicySettings } from '#safety/policy-table.ts'
import type { GateAnswer } from './gate-answers.ts'
import type { Gates } from './gates.ts'
import type { Receipt } from './receipt.ts'
import { checkMessage } from './message.ts'
import { hasShell, shellCall } from './shell-command.ts'
import { queuedBounds, type Threads } from './threads.ts'
import { seqBefore } from './turn-entries.ts'
import type { Turns } from './turns.ts'
import { ownPart, type Watched } from './watch.ts'

const maxThreads = 50
/** Turns read to find those of one thread. */
const maxTurns = 100
const maxDocuments = 50
const maxFound = 10
/** A terminal may be suspended, or a reply be piped into a pager. */
const anyPace = { mayPause: true }

export type OutgoingMessage = {
  readonly door: LocalDoor
  readonly message: string
  /** Without it a new thread is made. */
  readonly threadId?: string | undefined
  /** Files that go with the message. */
  readonly files?: readonly Part[] | undefined
  /** The model of the thread from this message on. */
  readonly model?: string | undefined
  /** A command of the operator, which `workspace_shell` runs before the model is asked. It needs the usual approval. */
  readonly command?: string | undefined
}
export type Sent = { readonly threadId: string; readonly turnId: string; readonly queued: boolean }
/** A thread, with those of its turns that are among the latest or have not ended, and its queued messages. */
export type OpenThread = Thread & {
  readonly turns: readonly ListedTurn[]
  /** The input of turns that have not begun, oldest first. */
  readonly queued: readonly QueuedEntry[]
}
export type OperatorTool = Pick<PolicyInForce, 'verdict'> & {
  readonly name: string
  readonly description: string
  readonly effects: Effects | 'varies'
}
export type OperatorDocument = { readonly path: string; readonly words: string; readonly updatedAt: number }
/** A skill of the operator, also one that is switched off. */
export type OperatorSkill = {
  readonly name: string
  readonly description: string
  readonly enabled: boolean
  /** Nobody has looked at one of its files yet. */
  readonly untrusted: boolean
}
/** The part of the service's status that a terminal shows. */
export type OperatorStatus = {
  readonly provider: string
  readonly model: string
  readonly skippedModels: readonly string[]
  readonly costToday: CostSum
  /** The names of the operator's skills that are on. */
  readonly skills: readonly string[]
  readonly doors: readonly { readonly name: string; readonly address?: string }[]
}

/** Streams yield an empty batch once they are open, and end with their signal. They throw not_found before that batch. */
export interface OperatorClient {
  /** Stores a message as a turn; read its events with `follow` or `watch`. */
  send(message: OutgoingMessage): Promise<Sent>
  /** Answers a gate and returns its turn. Throws gate_closed, not_found, grant_refused. */
  answer(threadId: string, answer: Omit<GateAnswer, 'by'>): Promise<Omit<Turn, 'options'>>
  cancel(turnId: string): Promise<void>
  /** Changes the text of a queued message. Throws turn_started once its turn has begun. */
  editQueued(turnId: string, message: string): Promise<void>
  /** Removes a queued message. Throws turn_started once its turn has begun. */
  removeQueued(turnId: string): Promise<void>
  /** Removes all queued messages of a thread, then stops its turn. Returns how many were removed, and whether a turn was stopped. */
  stopAll(threadId: string): Promise<{ readonly removed: number; readonly stopped: boolean }>
  thread(threadId: string): Promise<OpenThread | undefined>
  /** Newest first. */
  threads(): Promise<readonly Thread[]>
  /** Open gates of all doors, oldest first. */
  gates(): Promise<readonly OpenGate[]>
  receipt(turnId: string): Promise<Receipt | undefined>
  status(): Promise<OperatorStatus>
  /** A sign-in link for the browser: `known` while it works, else a new one; undefined while there is no page. */
  login(known?: string): Promise<string | undefined>
  /** The models that can be chosen for a thread, the usual one first. */
  models(): Promise<readonly OfferedModel[]>
  /** Sets the model of a thread, null for the usual one. Throws not_found, invalid_input. */
  setModel(threadId: string, model: string | null): Promise<void>
  tools(): Promise<readonly OperatorTool[]>
  /** Documents that match the query; with an empty query the list of documents. */
  memory(query: string): Promise<readonly OperatorDocument[]>
  skills(): Promise<readonly OperatorSkill[]>
  /** One request about the operator's missions (`missions/mission-request`). The answer is JSON. */
  missions(request: object): Promise<unknown>
  /** One request about the operator's notifications (`reach/notification-request`). The answer is JSON. */
  notifications(request: object): Promise<unknown>
  /** All events of one turn up to its rest, also when it rests already. */
  follow(turnId: string, signal: AbortSignal): AsyncIterable<readonly Watched[]>
  /** A thread from after a seq. */
  watch(threadId: string, after: number, signal: AbortSignal): AsyncIterable<readonly Watched[]>
  /** Changes of threads, turns and gates. */
  changes(signal: AbortSignal): AsyncIterable<readonly ListChange[]>
}

export type OperatorParts = {
  readonly turns: Turns
  readonly threads: Pick<Threads, 'get' | 'list' | 'queued' | 'setModel'>
  readonly models: Pick<OfferedModels, 'list'>
  readonly gates: Pick<Gates, 'answer' | 'list'>
  readonly documents: Pick<Documents, 'list' | 'search'>
  readonly tools: () => Iterable<Tool>
  /** The operator's policy settings. */
  readonly policy: () => PolicySettings
  readonly skills: () => Promise<readonly OperatorSkill[]>
  readonly missions: (request: object) => Promise<unknown>
  readonly notifications: (request: object) => Promise<unknown>
  readonly status: () => Promise<OperatorStatus>
  readonly login: OperatorClient['login']
}

export function createOperatorClient(parts: OperatorParts): OperatorClient {
  const { turns, threads, gates, documents, tools, policy, status } = parts

  async function findTurn(turnId: string): Promise<Turn> {
    const turn = await turns.get(operator, turnId)
    if (!turn) throw new AppError('not_found', `turn ${turnId} does not exist`)
    return turn
  }

  return {
    async send({ door, message, threadId, files = [], model, command }) {
      checkMessage(message)
      if (command !== undefined && !hasShell(tools()))
        throw new AppError('invalid_input', 'commands are off: start the service with ATRIUM_SHELL=true to run them')
      const { turn, events } = await turns.start({
        user: operator,
        door,
        input: [textMessage('user', message, files), ...(command === undefined ? [] : [shellCall(command)])],
        options: {},
        whenBusy: 'queue',
        ...(threadId !== undefined && { threadId }),
        ...(model !== undefined && { model }),
      })
      events.close()
      return { threadId: turn.threadId, turnId: turn.id, queued: turn.status === 'queued' }
    },
    async answer(threadId, answer) {
      const { options: _, ...turn } = await gates.answer(operator, threadId, { ...answer, by: 'operator' })
      return turn
    },
    cancel: async (turnId) => void (await turns.cancel(operator, turnId)),
    editQueued: async (turnId, message) => void (await turns.editQueued(operator, turnId, message)),
    removeQueued: async (turnId) => void (await turns.removeQueued(operator, turnId)),
    async stopAll(threadId) {
      const { removed, stopped } = await turns.stopAll(operator, threadId)
      return { removed: removed.length, stopped: stopped !== undefined }
    },
    async thread(threadId) {
      // Queued messages are read first: one that begins meanwhile is then in both lists, never in neither.
      const queued = await threads.queued(operator, threadId, queuedBounds)
      const unfinished = ['queued', 'running', 'waiting'] as const
      const [thread, ...lists] = await Promise.all([
        threads.get(operator, threadId),
        turns.list(operator, { limit: maxTurns }),
        ...unfinished.map((status) => turns.list(operator, { status, limit: maxTurns })),
      ])
      const own = lists.flatMap(({ rows }) => rows).filter((turn) => turn.threadId === threadId)
      const byId = new Map(own.map((turn) => [turn.id, turn]))
      return thread && { ...thread, turns: [...byId.values()], queued }
    },
    threads: async () => (await threads.list(operator, { limit: maxThreads })).rows,
    gates: () => gates.list(operator),
    receipt: (turnId) => turns.receipt(operator, turnId),
    status,
    login: (known) => parts.login(known),
    models: () => parts.models.list(),
    setModel: (threadId, model) => threads.setModel(operator, threadId, model),
    tools: () => Promise.resolve([...tools()].map((tool) => shownTool(tool, policy()))),
    async memory(query) {
      if (query.trim() === '') {
        const list = await documents.list(operator, { limit: maxDocuments })
        return list.map(({ path, bytes, updatedAt }) => ({ path, words: `${bytes} bytes`, updatedAt }))
      }
      const found = await documents.search(operator, { query, limit: maxFound })
      return found.map(({ path, content, updatedAt }) => ({ path, words: content, updatedAt }))
    },
    skills: () => parts.skills(),
    missions: (request) => parts.missions(request),
    notifications: (request) => parts.notifications(request),
    async *follow(turnId, signal) {
      const turn = await findTurn(turnId)
      const source = turns.follow(operator, turn, await seqBefore(parts, turn), anyPace)
      let now: Turn
      try {
        // Read after subscribing: the subscription reports a later rest.
        now = await findTurn(turnId)
        if (!isAtRest(now.status)) {
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
      yield* opened(turns.watch(operator, threadId, after, anyPace), signal)
    },
    changes: (signal) => opened(turns.changes(operator), signal),
  }
}

function shownTool(tool: Tool, settings: PolicySettings): OperatorTool {
  const { spec, about, effects } = tool
  return {
    name: spec.name,
    // Several tools share a brief.
    description: about?.may[0] ?? about?.brief ?? spec.description,
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
    if (own.some((event) => event.type === 'turn' && isAtRest(event.turn.status))) return
  }
}

/** An empty batch, then the source until the signal. A reader that fell behind gets an error after which it can retry. */
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
