// A job on the wire: three states that only move forward, and the reply once completed.
import { replyIn } from '#core/calls.ts'
import type { Entry, Gate } from '#core/item.ts'
import { isObject, type JsonObject } from '#core/json.ts'
import type { Turn, TurnError } from '#core/turn.ts'
import { ended } from '#core/turn-status.ts'
import { parseLosslessInPieces } from '#http/lossless-json.ts'
import { isoTime } from '#core/time.ts'
import { inPace } from '#lib/pace.ts'
import type { Gates } from '#turns/gates.ts'
import { previewText } from '#safety/gate-question.ts'
import { readEnd } from '#turns/job-outcome.ts'
import type { Threads } from '#turns/threads.ts'

type JobStatus = 'queued' | 'running' | 'completed'

export type JobRecord = {
  readonly id: string
  readonly status: JobStatus
  /** Present once completed. For a failed job it says why. */
  readonly response?: string
  readonly error?: Pick<TurnError, 'code' | 'message'>
  /** The gate that a running job waits at. */
  readonly waiting?: {
    readonly kind: Gate['kind']
    readonly name: string
    readonly prompt: string
    readonly reason?: string
    readonly preview?: string
    readonly message: string
  }
  readonly metadata?: JsonObject
  readonly created_at: string
  readonly completed_at?: string
}

export type JobParts = { readonly threads: Pick<Threads, 'entries'>; readonly gates: Pick<Gates, 'ofTurn'> }

/** Reads the last entries of a turn, or the gate it waits at, and builds the job. */
export async function showJob({ threads, gates }: JobParts, turn: Turn): Promise<JobRecord> {
  return jobRecord(turn, await readEnd(threads, turn), await gates.ofTurn(turn))
}

/** A turn as a job. `entries` are the last few of the turn, `gate` is the one it waits at. */
export async function jobRecord(turn: Turn, entries: readonly Entry[], gate?: Gate): Promise<JobRecord> {
  const error = errorOf(turn)
  const metadata = await metadataOf(turn)
  return {
    id: turn.id,
    status: jobStatus(turn),
    ...(ended(turn.status) && { response: error ? `The job was not done: ${error.message}` : replyOf(entries) }),
    ...(error && { error }),
    ...(gate && { waiting: waitingFor(gate) }),
    ...(metadata && { metadata }),
    created_at: isoTime(turn.createdAt),
    ...(turn.endedAt !== undefined && { completed_at: isoTime(turn.endedAt) }),
  }
}

/** A started turn stays `running` while it waits, and while it is queued again after a gate or a crash. */
function jobStatus({ status, startedAt }: Turn): JobStatus {
  if (ended(status)) return 'completed'
  return status === 'queued' && startedAt === undefined ? 'queued' : 'running'
}

function errorOf({ status, error }: Turn): JobRecord['error'] {
  if (status === 'cancelled') return { code: 'turn_cancelled', message: 'it was cancelled' }
  if (status !== 'failed') return undefined
  return error
    ? { code: error.code, message: error.message }
    : { code: 'internal', message: 'something went wrong inside the service' }
}

function replyOf(entries: readonly Entry[]): string {
  return replyIn(entries.map(({ item }) => item)) ?? ''
}

/** Leaves out the arguments of the call: only the operator who decides sees them. */
function waitingFor({ kind, name, prompt, reason, asks }: Gate): NonNullable<JobRecord['waiting']> {
  return {
    kind,
    name,
    prompt,
    ...(reason && { reason }),
    ...(asks?.preview && { preview: previewText(asks.preview) }),
    message: 'the operator has to answer this, with `atrium gates` or in the web UI; then the job goes on',
  }
}

async function metadataOf({ options: { echo } }: Turn): Promise<JsonObject | undefined> {
  const stored = isObject(echo) ? echo['metadata'] : undefined
  const metadata = typeof stored === 'string' ? await inPace(parseLosslessInPieces(Buffer.from(stored))) : stored
  return isObject(metadata) ? (metadata as JsonObject) : undefined
}
