// Errors that a caller can act on: one class, one closed list of codes.
import type { InputRequest } from './form.ts'

/** Longer paths are truncated in messages, because keys are text of the caller. */
const maxPathLength = 200

/** Every error code. http/reply.ts has the HTTP status of each. */
export type ErrorCode =
  // what the caller sent
  | 'invalid_config'
  | 'invalid_input'
  | 'not_found'
  | 'model_not_found'
  | 'method_not_allowed'
  | 'unauthorized'
  | 'forbidden'
  | 'too_large'
  | 'storage_full'
  | 'request_timeout'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'idempotency_conflict'
  // the person at the keyboard
  | 'interrupted'
  // the state of a thread
  | 'conversation_busy'
  | 'turn_started'
  | 'tool_output_required'
  | 'no_open_gate'
  | 'call_id_mismatch'
  | 'gate_required'
  | 'gate_closed'
  | 'grant_refused'
  | 'mission_running'
  | 'previous_response_not_found'
  // a tool
  | 'tool_refused'
  | 'credential_missing'
  | 'input_required'
  // the machine
  | 'home_locked'
  | 'home_unwritable'
  | 'port_in_use'
  | 'database_unavailable'
  | 'disk_full'
  | 'lease_lost'
  | 'shutting_down'
  | 'overloaded'
  | 'issuer_unavailable'
  // the model
  | 'model_unknown'
  | 'model_key_missing'
  | 'model_unreachable'
  | 'model_unauthorized'
  | 'model_rate_limited'
  | 'model_refused'
  | 'model_filtered'
  | 'model_failed'
  | 'model_timeout'
  // how a turn may end
  | 'turn_timeout'
  | 'turn_cancelled'
  | 'turn_interrupted'
  | 'step_limit'
  | 'time_limit'
  | 'repeated_call'
  | 'failing_tool'
  | 'spend_limit'
  | 'internal'

/** A secret of an installed tool; `title` is the tool author's name for the service that accepts it. */
export type Credential = {
  readonly tool: string
  readonly secret: string
  readonly title?: string
  /** It is set, but the service refused it. */
  readonly refused?: true
  /** The command that sets it. */
  readonly command?: string
  /** `tool` is an MCP server, and the secret is that of a sign-in to it. */
  readonly of?: 'mcp'
}

/** The input that a call needs from a person. `state` comes back with the answer, when the call is run again. */
export type NeededInput = { readonly request: InputRequest; readonly state?: string }

/** The limit that ended a turn. */
export type ReachedLimit =
  | { readonly kind: 'steps' | 'minutes'; readonly max: number }
  /** A tool was called too often with the same arguments, or failed too often in a row. */
  | { readonly kind: 'same_call' | 'failures_in_a_row'; readonly max: number; readonly tool: string }
  | {
      readonly kind: 'spend_per_turn' | 'spend_per_day'
      readonly maxUsd: number
      readonly spentUsd: number
      /** The estimated cost of the next model call, as far as it is known. */
      readonly nextUsd: number
      /** Reserved for other calls in progress. */
      readonly heldUsd?: number
    }

/** A model that gave no answer. */
export type AskedModel = {
  readonly model: string
  readonly via?: { readonly host: string; readonly secret?: string }
  /** Requests that were sent. */
  readonly attempts: number
  /** Absent where the time of the whole call is known to the caller. */
  readonly ms?: number
}

/** An error with a stable code, a message that says what to do, and the field that caused it, if any. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly param: string | undefined
  readonly retryAfterSecs: number | undefined
  /** The secret that a tool lacks. */
  readonly credential: Credential | undefined
  /** The input that a call needs from a person. */
  readonly input: NeededInput | undefined
  /** The limit that a turn has reached. */
  readonly limit: ReachedLimit | undefined
  /** The models that were asked in vain. */
  readonly asked: readonly AskedModel[] | undefined

  constructor(
    code: ErrorCode,
    message: string,
    more: {
      param?: string
      retryAfterSecs?: number
      credential?: Credential
      input?: NeededInput
      limit?: ReachedLimit
      asked?: readonly AskedModel[]
      cause?: unknown
    } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.name = 'AppError'
    this.code = code
    this.param = more.param
    this.retryAfterSecs = more.retryAfterSecs
    this.credential = more.credential
    this.input = more.input
    this.limit = more.limit
    this.asked = more.asked
  }
}

/** A fault of one field. The message is the path followed by the problem, as in "tools[2].name must be a string". */
export function wrongField(path: string, problem: string): AppError {
  if (path === '') return new AppError('invalid_input', `the body ${problem}`)
  const param = path.length > maxPathLength ? `${path.slice(0, maxPathLength)}…` : path
  return new AppError('invalid_input', `${param} ${problem}`, { param })
}

/** The system's codes for a file that cannot be opened because too many are open, each with the way out. */
const tooManyWords: ReadonlyMap<unknown, string> = new Map([
  ['EMFILE', 'too many open files: raise the limit, with `ulimit -n 4096` or LimitNOFILE in a unit of systemd'],
  ['ENFILE', 'this machine has too many open files: end other programs, or raise its limit fs.file-max'],
])

/** The error of a process, or of a machine, that may open no other file; undefined for any other error. */
export function tooManyFiles(error: unknown): AppError | undefined {
  const words = tooManyWords.get((error as NodeJS.ErrnoException | undefined)?.code)
  return words === undefined ? undefined : new AppError('overloaded', words, { cause: error })
}

/** The error of the system for a write for which there is no room. It has no path. */
export function isFullDisk(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}

/** The message of anything thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Any thrown value as an error that is safe to show: the message of a bug goes to the log only. */
export function appErrorOf(error: unknown): AppError {
  const known = error instanceof AppError ? error : tooManyFiles(error)
  if (known) return known
  return new AppError('internal', 'something went wrong inside the service; its log says more', { cause: error })
}

/** Refuses a file or folder that the caller names: for the `catch` of a read. */
export function cannotRead(path: string, wayOut = ''): (error: unknown) => never {
  return (error) => {
    const tooMany = tooManyFiles(error)
    if (tooMany) throw tooMany
    const { code = 'unreadable' } = error as NodeJS.ErrnoException
    const known = { ENOENT: `there is no ${path}`, EISDIR: `${path} is a folder` }[code]
    const fault = known ?? `${path} cannot be read (${code})`
    throw new AppError('invalid_input', `${fault}${wayOut}`, { cause: error })
  }
}
