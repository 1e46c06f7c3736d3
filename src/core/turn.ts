// Threads and turns. A response is a turn is a job, seen from different doors.
import type { Door } from './doors.ts'
import type { ErrorCode, ReachedLimit } from './errors.ts'
import type { UserId } from './ids.ts'
import type { Json, JsonObject } from './json.ts'
import type { ToolSpec } from './tool.ts'

export type TurnStatus = 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled'

/** How often a turn asks its model, where the operator says nothing else; and the most that can be said. */
export const defaultSteps = 50
export const maxSteps = 500

export type Usage = {
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly outputTokens: number
  readonly reasoningTokens: number
  /** 0 where the model is free, null where nobody knows its price. */
  readonly costUsd: number | null
  /** The model that answered last. */
  readonly model?: string
}

/** Where the requests of a model go, and the sealed secret that goes with them. */
export type Via = { readonly host: string; readonly secret?: string }

/** One call of a model: which one answered, what it used, and how long it took. */
export type ModelCall = {
  readonly model: string
  /** Absent of a model within this process, and from before it was kept. */
  readonly via?: Via
  readonly usage: Usage
  readonly ms: number
  /** It broke off, and its provider told nothing: `usage` is what was sent and what had arrived, by our own count. */
  readonly estimated?: true
}

/** Why a turn failed. `message` says it to whoever shows no words of their own. */
export type TurnError = {
  readonly code: ErrorCode
  readonly message: string
  /** Absent of turns from before it was kept. */
  readonly limit?: ReachedLimit
}

/** What a request may set for its one turn. */
export type TurnOptions = {
  readonly temperature?: number
  /** A JSON schema the answer must follow. */
  readonly format?: { readonly name: string; readonly schema: JsonObject; readonly strict?: boolean }
  /** Functions the caller runs; the loop raises an output gate for them. */
  readonly tools?: readonly ToolSpec[]
  /** How many items the turn was given, where that is more than one: what the model says in it comes after them. */
  readonly inputs?: number
  /** What a door wants to find again when it shows the turn: never read by the loop. */
  readonly echo?: Json
}

export type Turn = {
  readonly id: string
  readonly threadId: string
  readonly userId: UserId
  readonly door: Door
  readonly status: TurnStatus
  readonly options: TurnOptions
  readonly createdAt: number
  readonly startedAt?: number
  readonly endedAt?: number
  readonly usage: Usage
  readonly error?: TurnError
  /** The seq of the turn's first item; absent while queued. */
  readonly firstSeq?: number
  /** The seq of its last item, once it ended. */
  readonly lastSeq?: number
}

/** Whether something goes on in a thread, waits for a person, or went wrong last. */
export type ThreadState = 'idle' | 'running' | 'waiting' | 'failed'

export type Thread = {
  readonly id: string
  readonly userId: UserId
  readonly door: Door
  readonly title: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly lastSeq: number
  readonly state: ThreadState
  /** The call of an open output gate: the thread waits for its caller. */
  readonly openCall?: string
}

export const noUsage: Usage = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, reasoningTokens: 0, costUsd: 0 }

export function addUsage(a: Usage, b: Usage): Usage {
  const model = b.model ?? a.model
  return {
    ...(model !== undefined && { model }),
    inputTokens: a.inputTokens + b.inputTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    // A sum with something unknown in it is unknown.
    costUsd: a.costUsd === null || b.costUsd === null ? null : a.costUsd + b.costUsd,
  }
}

/** True once nothing more will happen in the turn. */
export function ended(status: TurnStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}

/** True once a turn does nothing more by itself: it has ended, or waits for somebody. */
export function atRest(status: TurnStatus): boolean {
  return status !== 'queued' && status !== 'running'
}
