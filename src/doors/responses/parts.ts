// Dependencies of the Responses API door.
import type { WaitParts } from '#doors/openai/turn-events.ts'
import type { EventStyle, StreamRecords } from '#doors/responses/tell/stream-records.ts'
import type { Log } from '#lib/log.ts'
import type { Readers } from '#turns/readers.ts'
import type { Threads } from '#turns/threads.ts'

/** Where the operator may widen the specification. */
export type ResponsesRules = {
  /** The most bytes of canonical JSON in `tools`. */
  readonly toolsBytes: number
  readonly foreignTools: 'refuse' | 'drop'
  /** The events of streamed function calls, where a request does not choose. */
  readonly events: EventStyle
  /** With `reference`, fields beyond the specification do what the reference says. */
  readonly fields: 'specified' | 'reference'
}

export type ResponsesParts = WaitParts & {
  readonly threads: Threads
  /** False disables functions of the caller: tools and tool_choice are then refused. */
  readonly externalTools: boolean
  readonly rules: ResponsesRules
  readonly readers: Readers
  /** Records of the streams of this process. */
  readonly records: StreamRecords
  /** Names of the tools that are enabled now. */
  readonly registered: () => Pick<ReadonlySet<string>, 'has'>
  readonly now?: () => number
  readonly log: Log
}
