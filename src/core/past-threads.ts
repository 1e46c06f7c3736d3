// Erasure of threads by their last activity, part by part.
import type { Erased } from './account.ts'
import type { UserId } from './ids.ts'

/** Where an erasure by time goes on. */
export type PastThreads = { readonly user: UserId; readonly archived: boolean; readonly turn: string }

export type PastPart = {
  readonly erased: Pick<Erased, 'threads' | 'turns' | 'items'>
  /** The threads that are gone; none in a dry run. */
  readonly threadIds: readonly string[]
  /** Whose threads were erased. */
  readonly user?: UserId
  readonly next?: PastThreads
}
