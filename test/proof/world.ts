// What the clients of a run share: where the service is, who they are, and the history they write.
import type { Event } from './history.ts'

/** The service under test: one process, or several over one database. Addresses may change when a process is replaced. */
export type Site = {
  gateway(): string
  webhook(): string
}

export type World = {
  readonly site: Site
  readonly webhookSecret: string
  readonly operatorToken: string
  record(event: Event): void
}

/** A client. It does one thing after the other, and knows what it was told. */
export type Person = {
  readonly name: string
  /** The id in the database. */
  readonly id: string
  readonly token: string
  /** This person deletes threads now and then. */
  readonly deletes: boolean
  readonly dice: Dice
  /** Threads of the chat, the last response of each thread of the Responses API, and histories of chat completions. */
  readonly threads: string[]
  /** Threads in which a payment may wait: a message to one of these waits behind it. */
  readonly paying: Set<string>
  readonly responses: string[]
  readonly histories: { role: string; content: string }[][]
  readonly jobs: { readonly op: number; readonly turnId: string }[]
  readonly sent: { readonly op: number; readonly turnId: string; readonly threadId: string }[]
}

/** Numbers by a seed: the same for the same seed. */
export type Dice = {
  /** A whole number from 0 up to, and without, a bound. */
  below(bound: number): number
  pick<T>(from: readonly T[]): T | undefined
}
