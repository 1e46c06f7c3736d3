// What the door is given.
import type { Log } from '#lib/log.ts'
import type { Turns } from '#turns/turns.ts'

export type ResponsesParts = {
  readonly turns: Turns
  /** False takes the caller's functions away: tools and tool_choice are then refused. */
  readonly externalTools: boolean
  /** How long a create without streaming may take. */
  readonly turnTimeoutMs: number
  /** Names of the service's enabled tools, of the moment. */
  readonly registered: () => Pick<ReadonlySet<string>, 'has'>
  /** Names for the list of models. */
  readonly models: () => readonly string[] | Promise<readonly string[]>
  /** Fires shortly before open requests are cut: whoever still waits is told to come back. */
  readonly lastCall?: AbortSignal
  readonly now?: () => number
  readonly log: Log
}
