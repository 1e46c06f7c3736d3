// Threads and turns. A response of the API and a job of the webhook are turns too.
import type { Door } from './doors.ts'
import type { ErrorCode, ReachedLimit } from './errors.ts'
import type { UserId } from './ids.ts'
import type { Json, JsonObject } from './json.ts'
import type { ToolSpec } from './tool.ts'
import { ended, type TurnStatus } from './turn-status.ts'

/** Model calls per turn: the default, and the maximum that the operator can set. */
export const defaultSteps = 50
export const maxSteps = 500
/** How long a turn may run, without the time at a gate that is not held open. */
export const defaultMinutes = 30
/** The longest retention that the operator can set. */
export const maxRetentionDays = 36_500

export type Usage = {
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly outputTokens: number
  readonly reasoningTokens: number
  /** 0 for a free model, null when the price is unknown. */
  readonly costUsd: number | null
  /** The model that answered last. */
  readonly model?: string
}

/** The host that a model's requests go to, and the name of the secret sent with them. */
export type Via = { readonly host: string; readonly secret?: string }

/** One model call: the model that answered, its usage and duration. */
export type ModelCall = {
  readonly model: string
  /** Absent for a model in this process, and in records of earlier versions. */
  readonly via?: Via
  readonly usage: Usage
  readonly ms: number
  /** The stream was interrupted before the provider reported usage: `usage` is our own estimate. */
  readonly estimated?: true
  /** No answer came; `usage` has no tokens. */
  readonly failed?: true
  /** The requests of a failed call, where they were counted. */
  readonly attempts?: number
}

/** Why a turn failed. `message` is for surfaces without words of their own for the code. */
export type TurnError = {
  readonly code: ErrorCode
  readonly message: string
  /** Absent in turns of earlier versions. */
  readonly limit?: ReachedLimit
}

/** Sampling and length of the model's answers. A provider that does not take one of these is not sent it. */
export type Sampling = {
  readonly topP?: number
  readonly stop?: readonly string[]
  readonly seed?: number
  readonly maxTokens?: number
  readonly effort?: string
}

/** Options of a request for its turn. */
export type TurnOptions = {
  readonly temperature?: number
  /** A JSON schema the answer must follow. */
  readonly format?: { readonly name: string; readonly schema: JsonObject; readonly strict?: boolean }
  /** Functions that the caller runs; a call of one raises an output gate. */
  readonly tools?: readonly ToolSpec[]
  /** The most that the turn may cost, in USD, beside the caps of its user. */
  readonly capUsd?: number
  /** The number of input items, when more than one: the model's items come after them. */
  readonly inputs?: number
  /** The hash of the instructions that a client sent, up to this turn. They are stored again only where they change. */
  readonly instructions?: string
  /** The answer must be one JSON object, of any shape. */
  readonly json?: true
  readonly sampling?: Sampling
  /** The name of a model that the operator offers for choosing. */
  readonly model?: string
  /** The hash of the history that an API client sent (`replay-chain`). The answer of the turn adds a point after it. */
  readonly chain?: string
  /** The service's tools that the turn may use, by name; all where it is absent. */
  readonly serviceTools?: readonly string[]
  /** The turn goes on when its reader leaves: it was sent with an Idempotency-Key, or in the background. */
  readonly unattended?: true
  /** Data that a door needs when it shows the turn; the loop never reads it. */
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
  /** When a gate of the turn was answered last. */
  readonly answeredAt?: number
  readonly usage: Usage
  readonly error?: TurnError
  /** Model calls of a failed turn that left no item. Absent in turns of earlier versions. */
  readonly failedCalls?: readonly ModelCall[]
  /** The seq of the turn's first item; absent while queued. */
  readonly firstSeq?: number
  /** The seq of the turn's last item, once it has ended. */
  readonly lastSeq?: number
}

/** The state of a thread: a turn runs, it waits for a person, or its last turn failed. */
export type ThreadState = 'idle' | 'running' | 'waiting' | 'failed'

/** A list of threads beside the usual one. */
export type Shelf = 'pinned' | 'archived'
/** The fields to change; the others stay. */
export type ThreadPlace = { readonly pinned?: boolean; readonly archived?: boolean }

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
  /** The name of the model that was chosen for the thread. Absent for the usual one. */
  readonly model?: string
  /** In no list, and erased a day after its last turn: its client sent `store: false`. */
  readonly temporary?: true
  /** At the top of the list. */
  readonly pinned?: true
  /** Out of the list, until a message goes to it. */
  readonly archived?: true
  /** The first thread of a conversation with variants: what Retry and Edit made are threads of one family. */
  readonly family?: string
  /** In no list: another variant of the family is shown there. */
  readonly hidden?: true
  /** The thread that this one was forked from, and the seq before which. */
  readonly forkedFrom?: { readonly threadId: string; readonly beforeSeq: number }
  /** Metadata that an API client attached to the thread as its conversation. */
  readonly metadata?: Readonly<Record<string, string>>
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
    // An unknown cost makes the sum unknown.
    costUsd: a.costUsd === null || b.costUsd === null ? null : a.costUsd + b.costUsd,
  }
}

/** The usage of a turn to show. The cost of an unfinished turn is unknown until a model has answered, and not 0. */
export function usageSoFar({ status, usage }: Pick<Turn, 'status' | 'usage'>): Usage {
  return usage.model === undefined && !ended(status) ? { ...usage, costUsd: null } : usage
}
