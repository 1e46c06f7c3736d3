// The history of a run: what was asked, acknowledged, streamed, read and done, in the order in which the prover saw it, and
// what is stored at the end. The rules (`rules/`) are functions of a history alone.
import type { Entry } from '#core/item.ts'
import type { TurnStatus } from '#core/turn-status.ts'

/** What a message asks the model to do. */
export type Task = 'say' | 'look' | 'component' | 'pay' | 'break' | 'use' | 'rowdy' | 'ask'

/** The ids of a turn as a client knows them. */
export type TurnIds = { readonly turnId: string; readonly threadId: string }

export type Event =
  /** A message is about to be sent: to a new thread, or to one that the client knows. */
  | {
      readonly type: 'asked'
      readonly op: number
      readonly user: string
      readonly door: string
      readonly task: Task
      readonly threadId?: string
      /** Messages of a webhook conversation go to one thread, whose id the sender never learns. */
      readonly conversation?: string
    }
  /** The service said that it has the message. */
  | ({ readonly type: 'acknowledged'; readonly op: number } & TurnIds)
  /** The whole reply was read. The same turn may be answered several times: each read counts. */
  | { readonly type: 'answered'; readonly op: number; readonly turnId: string; readonly text: string }
  /** Text of a stream, from its beginning. `whole`: the stream said that the reply is complete. */
  | {
      readonly type: 'streamed'
      readonly op: number
      readonly turnId: string
      readonly text: string
      readonly whole: boolean
    }
  /** The reader of an API turn left, or was cut off: the service may stop the turn. */
  | { readonly type: 'left'; readonly op: number }
  /** Somebody asked to stop a turn. */
  | { readonly type: 'cancelled'; readonly turnId: string }
  /** Live items that a connection brought after a seq. */
  | {
      readonly type: 'followed'
      readonly user: string
      readonly threadId: string
      readonly after: number
      readonly seqs: readonly number[]
    }
  /** A status of a turn that was read. */
  | { readonly type: 'looked'; readonly turnId: string; readonly status: string }
  /** A decision is about to be sent. */
  | { readonly type: 'decided'; readonly callId: string; readonly op: number; readonly action: 'approve' | 'deny' }
  /** The decision was taken by the service. */
  | { readonly type: 'decision-taken'; readonly callId: string }
  /** A thread is about to be deleted. */
  | { readonly type: 'deleting'; readonly threadId: string; readonly userId: string }
  /** The service said that the thread is deleted. */
  | { readonly type: 'deleted'; readonly threadId: string }
  /** The output of a caller's function is about to be sent. */
  | { readonly type: 'returning'; readonly callId: string; readonly output: string }
  /** The service said that it has the output, and began this turn with it. */
  | ({ readonly type: 'returned'; readonly op: number; readonly callId: string } & TurnIds)
  /** The model's answer to a message was cut off by a fault of the run: its turn may fail. */
  | { readonly type: 'broken'; readonly op: number }
  /** A secret stood in an answer, a prompt, the log or a thread. */
  | { readonly type: 'leaked'; readonly where: string }
  /** A document was written, with the number of the operation as its text. */
  | { readonly type: 'wrote'; readonly user: string; readonly path: string; readonly op: number }
  /** A document was read: the operation that wrote it, -1 if there is none. */
  | { readonly type: 'read'; readonly user: string; readonly path: string; readonly op: number }
  /** Marks of users that stand in an answer to this user. */
  | { readonly type: 'shown'; readonly user: string; readonly marks: readonly string[]; readonly where: string }
  /** An answer that no page of the documentation promises. */
  | { readonly type: 'strange'; readonly where: string; readonly status: number; readonly text: string }
  /** A request of a tool that may not be repeated reached the outside. */
  | { readonly type: 'effect'; readonly op: number }
  /** A request of a sandboxed tool reached an address that it was not granted. */
  | { readonly type: 'escaped'; readonly op: number }
  /** The model was asked about a message; `marks` are those in the whole prompt. */
  | { readonly type: 'prompted'; readonly op: number; readonly step: number; readonly marks: readonly string[] }
  | { readonly type: 'fault'; readonly name: string }
  | { readonly type: 'fault-over'; readonly name: string }

export type StoredTurn = TurnIds & {
  readonly userId: string
  readonly status: TurnStatus
  readonly costUsd: number | null
  readonly reservedUsd: number | null
  readonly hash: string | null
}
export type StoredThread = {
  readonly id: string
  readonly userId: string
  readonly lastSeq: number
  readonly entries: readonly Entry[]
}
/** The database at the end, when nothing runs any more. */
export type Stored = {
  readonly threads: readonly StoredThread[]
  readonly turns: readonly StoredTurn[]
  /** What each user has spent, as counted by day. */
  readonly spent: ReadonlyMap<string, number>
}

export type History = {
  readonly events: readonly Event[]
  readonly stored: Stored
  /** Processes have leases: one that gets no time for its beats loses its turns to another, without any fault of ours. */
  readonly leases?: true
}

/** A rule: the breaches that it finds in a history, a line each. */
export type Rule = { readonly name: string; readonly promise: string; check(history: History): readonly string[] }

/** The mark of a user; it stands in each of their messages. */
export function markOf(user: string): string {
  return `mark-${user}-end`
}

/** All marks of users in a text. */
export function marksIn(text: string): string[] {
  return [...new Set(text.match(/mark-[a-z0-9]+-end/g))]
}

/** The text of a message. The model reads the task from it. */
export function messageOf({ op, user, task }: { op: number; user: string; task: Task }): string {
  return `op ${op} of ${markOf(user)}: ${task}`
}

/** The message in a text. */
export function readMessage(text: string): { op: number; task: Task } | undefined {
  const found = /op (\d+) of mark-[a-z0-9]+-end: (say|look|component|pay|break|use|rowdy|ask)/.exec(text)
  return found ? { op: Number(found[1]), task: found[2] as Task } : undefined
}

/** A value of the secret that an MCP server of the run gets, the `n`th one. */
export function secretValue(n: number): string {
  return `proof-secret-of-the-run-${n}-a8Fq2LzX`
}

export function hasSecret(text: string): boolean {
  return /proof-secret-of-the-run-\d/.test(text)
}

/** The op that a reply answers. */
export function repliedOp(text: string): number | undefined {
  const found = /reply to op (\d+) /.exec(text)
  return found ? Number(found[1]) : undefined
}
