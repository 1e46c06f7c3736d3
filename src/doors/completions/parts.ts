// Dependencies of the chat-completions door.
import type { CatalogRules } from '#doors/openai/caller-tools.ts'
import type { WaitParts } from '#doors/openai/turn-events.ts'
import type { ModelNames } from '#doors/openai/model-list.ts'
import type { ChatLimit } from '#http/caller.ts'
import type { Origins } from '#http/origin.ts'
import type { Log } from '#lib/log.ts'
import type { Gates } from '#turns/gates.ts'
import type { Readers } from '#turns/readers.ts'
import type { Threads } from '#turns/threads.ts'

export type CompletionsParts = WaitParts &
  ModelNames & {
    readonly threads: Threads
    readonly gates: Pick<Gates, 'ofTurn'>
    readonly readers: Readers
    /** False disables functions of the caller: tools and tool_choice are then refused. */
    readonly externalTools: boolean
    /** How to treat tools that are no functions, or that have a name of a built-in tool. */
    readonly foreignTools: CatalogRules['foreign']
    /** Names of the tools that are enabled now. */
    readonly registered: () => Pick<ReadonlySet<string>, 'has'>
    /** Sends reasoning and the progress of tools. */
    readonly progress: boolean
    /** The rate of messages, and the rate of single model calls. */
    readonly limits: { readonly chat: ChatLimit; readonly task: ChatLimit }
    readonly origins: Pick<Origins, 'site'>
    /** How long a stream waits for its first chunk before it opens without one. */
    readonly maxSilenceMs?: number
    readonly now?: () => number
    readonly log: Log
  }
