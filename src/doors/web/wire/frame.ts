// Frames of the chat WebSocket, in both directions.
import * as z from 'zod/mini'
import { GateBody, type Waiting } from './gate.ts'
import type { TurnWire } from './job.ts'
import type { Item, Thread } from './thread.ts'

const ref = z.nullish(
  z
    .string()
    .check(
      z.minLength(1, 'must not be empty'),
      z.maxLength(100, 'must have at most 100 characters'),
      z.regex(/^[^\0]*$/, 'must not hold a NUL'),
    ),
)
const seq = z.int('must be a sequence number').check(z.minimum(0, 'must be a sequence number'))

/** Frames that a client may send, by type. The client chooses `ref`; the reply to the frame carries the same one. */
export const clientFrames = {
  message: z.object({ ref, message: z.string(), thread_id: z.nullish(z.string()), model: z.nullish(z.string()) }),
  cancel: z.object({ ref, thread_id: z.string() }),
  gate: z.extend(GateBody, { ref, gate_id: z.string(), thread_id: z.nullish(z.string()) }),
  subscribe: z.object({ ref, thread_id: z.string(), after: z.nullish(seq) }),
  unsubscribe: z.object({ ref, thread_id: z.string() }),
  ping: z.object({ ref }),
} as const

/** Client frames after validation. */
export type ClientFrames = { readonly [Type in keyof typeof clientFrames]: z.output<(typeof clientFrames)[Type]> }
export type ClientFrame = {
  [Type in keyof typeof clientFrames]: { readonly type: Type } & z.input<(typeof clientFrames)[Type]>
}[keyof typeof clientFrames]

/** The `ref` of the client frame that this frame replies to. */
export type Ref = { readonly ref?: string }
/** The item whose text is being streamed. */
type ItemRef = { readonly thread_id: string; readonly turn_id: string; readonly item_id: string }
/** With the first piece of an item: the first item of the same response. What an earlier response left is given up. */
type First = { readonly first_id?: string }
/** The number of open gates. */
type Waits = { readonly waiting: number }

/** How far a running call is. `message` is the tool's own. */
export type Progress = { readonly progress: number; readonly total?: number; readonly message?: string }

/** Frames that the service sends. */
export type Frame =
  | ({ readonly type: 'ready'; readonly user: string; readonly operator: boolean } & Waits)
  | ({ readonly type: 'accepted'; readonly status: 'accepted' } & Ref &
      Omit<ItemRef, 'item_id'> & {
        readonly message_id: string | null
      })
  | { readonly type: 'item'; readonly thread_id: string; readonly seq: number; readonly item: Item }
  | ({ readonly type: 'delta'; readonly offset: number; readonly text: string } & ItemRef & First)
  | ({ readonly type: 'snapshot'; readonly text: string } & ItemRef & First)
  /** Reasoning that is being written. */
  | ({ readonly type: 'thought'; readonly offset: number; readonly text: string } & ItemRef & First)
  | ({ readonly type: 'progress'; readonly call_id: string } & Progress & Omit<ItemRef, 'item_id'>)
  | ({ readonly type: 'turn' } & z.output<typeof TurnWire>)
  | ({ readonly type: 'thread'; readonly removed?: never } & Thread)
  | { readonly type: 'thread'; readonly id: string; readonly removed: true }
  | ({ readonly type: 'gate'; readonly closed?: never } & Waiting & Waits)
  | ({ readonly type: 'gate'; readonly id: string; readonly thread_id: string; readonly closed: true } & Waits)
  | ({ readonly type: 'reload' } & Waits)
  | ({ readonly type: 'pong' } & Ref)
  | ({ readonly type: 'error'; readonly code: string; readonly message: string } & Ref & {
        readonly param?: string
        readonly retry_after_secs?: number
      })
