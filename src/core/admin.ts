// What an operator may look at and set while the service runs: settings and tools. The app does it, doors ask for it.
import type { JsonObject, Json } from './json.ts'
import type { PolicyInForce } from './policy.ts'
import type { Effects, ToolAbout } from './tool.ts'

/** A model that can be chosen; what it costs is USD for a million tokens, null where nobody knows. */
export type ModelView = {
  readonly provider: string
  readonly name: string
  readonly words: string
  readonly baseUrl?: string
  readonly role: 'in_use' | 'stands_in' | 'ready'
  /** It was chosen before, and is at hand until it is forgotten. */
  readonly kept?: true
  readonly inputUsd: number | null
  readonly outputUsd: number | null
}

export type SettingsView = {
  readonly model: {
    readonly provider: string
    readonly name: string
    readonly baseUrl?: string
    readonly fallback: readonly string[]
    /** What made the choice: where it is the environment, a stored one waits. */
    readonly chosenBy: 'environment' | 'settings' | 'key' | 'default'
  }
  /** The one in use, those that stand in, the usual one of each provider that lacks nothing, and those chosen before. */
  readonly models: readonly ModelView[]
  /** Every provider there is, and what it lacks. */
  readonly providers: readonly { readonly name: string; readonly words: string; readonly missing: readonly string[] }[]
  /** Caps in USD, null where there is none; `fixed` names those that the environment sets. */
  readonly limits: {
    readonly perTurnUsd: number | null
    readonly perDayUsd: number | null
    readonly steps: number
    readonly fixed: readonly string[]
  }
  readonly policy: readonly {
    readonly id: string
    readonly calls: string
    readonly clean: string
    readonly tainted: string
    readonly changed: boolean
  }[]
  /** What text from outside is marked for. */
  readonly marks: readonly { readonly id: string; readonly says: string; readonly on: boolean }[]
}

/** What came of one short question to the model. */
export type ModelTrial = {
  readonly model: string
  readonly words: string
  readonly ms: number
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number; readonly costUsd: number | null }
}

export interface SettingsAdmin {
  read(): Promise<SettingsView>
  /**
   * Stores settings, null takes one back; of the policy row by row, of `marks` mark by mark, of `models` those to forget.
   * The next turn follows. Throws invalid_input, and then nothing has changed.
   */
  change(settings: Readonly<Record<string, Json>>): Promise<void>
  /** Asks the model in use for one word. Throws as the model does. */
  tryModel(): Promise<ModelTrial>
}

/** One right of a component, or a limit that it runs under. */
export type AccessRow =
  /** Requests that it may send; `near` where the host is not on the internet. */
  | {
      readonly kind: 'http'
      readonly methods: readonly string[]
      readonly host: string
      readonly path: string
      readonly near?: 'machine' | 'network'
    }
  /** A secret that the host adds to its requests, and where in them. */
  | {
      readonly kind: 'secret'
      readonly secret: string
      readonly hosts: readonly string[]
      readonly place:
        | { readonly type: 'bearer' }
        | { readonly type: 'basic' | 'header' | 'query' | 'path'; readonly name: string }
    }
  /** It may ask whether a secret is set. */
  | { readonly kind: 'secret_known'; readonly secret: string }
  | { readonly kind: 'setup'; readonly secret: string; readonly optional: boolean }
  /** The secret of its sign-in, and the page where a person gets it. */
  | { readonly kind: 'auth'; readonly secret: string }
  | { readonly kind: 'page'; readonly url: string }
  | {
      readonly kind: 'env'
      readonly variable: string
      readonly use: 'secret' | 'client_id' | 'client_secret'
      readonly secret?: string
    }
  | { readonly kind: 'sign_in'; readonly url: string; readonly tokens: string; readonly client?: string }
  | { readonly kind: 'scope'; readonly scope: string }
  | { readonly kind: 'workspace'; readonly folder: string }
  | { readonly kind: 'tool'; readonly tool: string }
  /** An action that only looks, and so is not asked about. */
  | { readonly kind: 'action'; readonly action: string }
  /** Seconds of a call, and requests a minute, an hour, or in one call. */
  | {
      readonly kind: 'limits'
      readonly seconds: number
      readonly minute?: number
      readonly hour?: number
      readonly requests?: number
    }
  /** Its capability file cannot be read: the agent does not have it. */
  | { readonly kind: 'unreadable'; readonly reason: string }

export type ToolView = PolicyInForce & {
  readonly name: string
  readonly description: string
  readonly source: 'built-in' | 'component'
  readonly enabled: boolean
  readonly schema: JsonObject
  /** Of its usual calls. */
  readonly effects: Effects
  /** Of a built-in tool. */
  readonly about?: ToolAbout
  /** Of a component: its version, its hash, and what it may do. */
  readonly version?: string
  readonly sha256?: string
  readonly access?: readonly AccessRow[]
  /** Of a component: its capability file as it is stored. */
  readonly capabilities?: JsonObject
  readonly installedAt?: number
}

/** All that happened in one call that was made to try a tool. */
export type ToolTrial = {
  readonly output: string | null
  readonly error: string | null
  readonly logs: readonly { readonly level: string; readonly message: string }[]
  readonly requests: readonly {
    readonly method: string
    readonly url: string
    readonly status: number | null
    readonly error?: string
  }[]
  readonly blocked: readonly { readonly method: string; readonly url: string; readonly reason: string }[]
}

export interface ToolAdmin {
  list(): Promise<readonly ToolView[]>
  /** Offers a tool to the agent, or no longer; false when there is none of this name. */
  enable(name: string, enabled: boolean): Promise<boolean>
  /** Removes a tool and the secrets it was given; false when there is none. Throws tool_refused for one that cannot be removed. */
  remove(name: string): Promise<boolean>
  /** Makes one call; undefined when there is no such tool. Throws tool_refused for what would change something. */
  test(name: string, call: { params: string; context?: string }): Promise<ToolTrial | undefined>
}
