// What a gate asks, as data. A tool makes it when the gate is opened; every surface shows the same words.
import type { JsonObject } from './json.ts'

export type Question = {
  /** With verb and object: "Change src/pricing.ts?" */
  readonly text: string
  /** The part of the text that is code; where it occurs twice, the last one. */
  readonly code?: string
  /** The same in a few words, for a list. */
  readonly brief: string
  /** Where it goes, and that nothing has happened yet. */
  readonly sentence: string
  /** The part of the sentence that must not be overlooked. */
  readonly host?: string
  /** The end of the sentence alone: that it waits. */
  readonly pending: string
}

/** What a call would do. A call without a preview is shown by its arguments. */
export type Preview =
  /** A change of a file as a unified diff; empty where nothing would change. */
  | { readonly type: 'diff'; readonly path: string; readonly diff: string }
  | {
      readonly type: 'request'
      readonly method: string
      readonly url: string
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
    }
  | { readonly type: 'command'; readonly command: string; readonly cwd?: string; readonly timeoutSecs?: number }
  /** A document of memory: what a new one would hold, or how one would change. */
  | { readonly type: 'document'; readonly path: string; readonly content: string }
  | { readonly type: 'document'; readonly path: string; readonly diff: string }
  | { readonly type: 'arguments'; readonly fields: JsonObject }

/** What a tool tells of a call that waits for somebody. */
export type Asked = { readonly question: Question; readonly preview?: Preview }

/** What a call is aimed at. Grants are given for its host, its folder or file, or the first word of its command. */
export type Reach =
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'path'; readonly path: string; readonly in?: 'workspace' | 'memory' }
  | { readonly type: 'command'; readonly command: string }

/** What "Allow for…" can stand for; `target` is what the grant would be for, without one the whole tool. */
export type Scope = {
  readonly scope: 'file' | 'target' | 'tool'
  readonly target?: string
  /** After the name of the tool: "in docs/". */
  readonly words: string
}
