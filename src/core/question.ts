// The question of a gate, as data. The tool words it when the gate opens; every door shows the same words.
import type { JsonObject } from './json.ts'

export type Question = {
  /** The question with verb and object: "Change src/pricing.ts?" */
  readonly text: string
  /** The part of `text` that is code; if it occurs twice, the last occurrence. */
  readonly code?: string
  /** The question in a few words, for a list. */
  readonly brief: string
  /** A sentence that says what the call does and that nothing has happened yet. */
  readonly sentence: string
  /** Only what the call does, where that is not in `text`: it stays true after the answer. */
  readonly does?: string
  /** The part of `sentence` that is highlighted: the host that a request goes to. */
  readonly host?: string
  /** Only the statement that nothing has happened yet. */
  readonly pending: string
}

/** A preview of what a call would do. A call without a preview is shown by its arguments. */
export type Preview =
  /** A change of a file as a unified diff; empty if nothing would change. */
  | { readonly type: 'diff'; readonly path: string; readonly diff: string }
  | {
      readonly type: 'request'
      readonly method: string
      readonly url: string
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
    }
  | { readonly type: 'command'; readonly command: string; readonly cwd?: string; readonly timeoutSecs?: number }
  /** A memory document: the content of a new one, or the diff of an existing one. */
  | { readonly type: 'document'; readonly path: string; readonly content: string }
  | { readonly type: 'document'; readonly path: string; readonly diff: string }
  /** A mission as it would be, or as it is. `schedule` is told in words; without `tools` it may use all. */
  | {
      readonly type: 'mission'
      readonly schedule: string
      readonly prompt: string
      readonly title?: string
      readonly status?: string
      readonly tools?: readonly string[]
      readonly capUsd?: number
    }
  | { readonly type: 'arguments'; readonly fields: JsonObject }

/** A tool's question about a call that needs approval. */
export type CallQuestion = { readonly question: Question; readonly preview?: Preview }

/** The target of a call. A grant can cover its host, its folder or file, or its command. */
export type Reach =
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'path'; readonly path: string; readonly in?: 'workspace' | 'memory' }
  /** With `in`, a command of the shell in the workspace. */
  | { readonly type: 'command'; readonly command: string; readonly in?: 'workspace' }

/** A choice under "Allow for…". The grant covers `target`, or the whole tool without one. */
export type Scope = {
  readonly scope: 'file' | 'target' | 'tool'
  readonly target?: string
  /** The words after the name of the tool: "in docs/". */
  readonly words: string
  /** The grant never applies after the model has read outside text. */
  readonly clean?: true
}
