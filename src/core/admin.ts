// Administration of a running service: settings and tools. The app implements these interfaces, doors call them.
import type { JsonObject, Json } from './json.ts'
import type { PolicyInForce } from './policy.ts'
import type { Effects, ToolAbout } from './tool.ts'

/** A model that can be chosen. Prices are USD per million tokens, null when unknown. */
export type ModelView = {
  readonly provider: string
  readonly name: string
  readonly words: string
  readonly baseUrl?: string
  readonly role: 'in_use' | 'fallback' | 'offered' | 'ready'
  /** It was chosen before and stays in the list until it is removed. */
  readonly kept?: true
  readonly inputUsd: number | null
  readonly outputUsd: number | null
}

/** A model that can be chosen for a thread. */
export type OfferedModel = Pick<ModelView, 'name' | 'inputUsd' | 'outputUsd'> & {
  /** The name by which it is chosen: `provider/name`. */
  readonly id: string
  /** The usual one answers where nothing is chosen; a fallback, when that fails. */
  readonly role: 'usual' | 'fallback' | 'offered'
}

/** The models that can be chosen for a thread. */
export interface OfferedModels {
  /** The names by which models are chosen, without the usual one. */
  names(): readonly string[]
  /** The usual model first. */
  list(): Promise<readonly OfferedModel[]>
}

export type SettingsView = {
  readonly model: {
    readonly provider: string
    readonly name: string
    readonly baseUrl?: string
    readonly fallback: readonly string[]
    /** Models that can be chosen for a thread, beside the fallbacks; `offeredFixed` if the environment lists them. */
    readonly offered: readonly string[]
    readonly offeredFixed: boolean
    /** The source of the choice. The environment overrides a stored choice. */
    readonly chosenBy: 'environment' | 'settings' | 'key' | 'default'
  }
  /** The model in use, its fallbacks, the default model of each configured provider, and models chosen before. */
  readonly models: readonly ModelView[]
  /** All providers, and the settings that each one lacks. */
  readonly providers: readonly {
    readonly name: string
    readonly words: string
    readonly missing: readonly string[]
    /** The name of its key. */
    readonly key?: string
  }[]
  /** Limits in USD, null for none; `fixed` names those that the environment sets. */
  readonly limits: {
    readonly perTurnUsd: number | null
    readonly perDayUsd: number | null
    readonly steps: number
    /** 0 keeps conversations for good. */
    readonly retentionDays: number
    readonly fixed: readonly string[]
  }
  readonly policy: readonly {
    readonly id: string
    readonly calls: string
    readonly clean: string
    readonly tainted: string
    readonly changed: boolean
  }[]
  /** The rules that mark outside text. */
  readonly marks: readonly { readonly id: string; readonly says: string; readonly on: boolean }[]
}

/** The result of one short test call of the model. */
export type ModelTrial = {
  readonly model: string
  readonly words: string
  readonly ms: number
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number; readonly costUsd: number | null }
}

/**
 * `key` is the key of the provider that the change names; it is sealed with the change. `keyMoves`: a known key may go to
 * an address that was never in use, since the caller is on the machine and could read it.
 */
export type ChangeOptions = { readonly force?: boolean; readonly key?: string; readonly keyMoves?: boolean }

export interface SettingsAdmin {
  read(): Promise<SettingsView>
  /**
   * Stores settings; null resets one. `policy` is changed row by row, `marks` mark by mark; `models` lists those to forget.
   * Applies from the next turn. Another model is asked for one word first, unless `force` is set. Throws invalid_input, or
   * that model's error, and then changes nothing.
   */
  change(settings: Readonly<Record<string, Json>>, options?: ChangeOptions): Promise<void>
  /** Asks a model for one word that is not stored. Throws the model's error, and invalid_input. */
  tryChoice(settings: Readonly<Record<string, Json>>, key?: string): Promise<ModelTrial>
  /** The models that a provider lists itself. Throws the model's error, and invalid_input. */
  providerModels(settings: Readonly<Record<string, Json>>, key?: string): Promise<readonly string[]>
  /** Asks the model in use for one word, without its fallbacks. Throws the model's error. */
  tryModel(): Promise<ModelTrial>
}

/** One permission of a component, or a limit on it. */
export type AccessRow =
  /** Requests that it may send; `near` when the host is this machine or in the local network. */
  | {
      readonly kind: 'http'
      readonly methods: readonly string[]
      readonly host: string
      readonly path: string
      readonly near?: 'machine' | 'network'
    }
  /** A secret that the service adds to its requests, and the part of the request that carries it. */
  | {
      readonly kind: 'secret'
      readonly secret: string
      readonly hosts: readonly string[]
      readonly place:
        | { readonly type: 'bearer' }
        | { readonly type: 'basic' | 'header' | 'query' | 'path'; readonly name: string }
    }
  /** It may check whether a secret is set. */
  | { readonly kind: 'secret_known'; readonly secret: string }
  | { readonly kind: 'setup'; readonly secret: string; readonly optional: boolean }
  /** The secret of its sign-in. `page` is where a person gets it. */
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
  /** An action that only reads, and so needs no approval. */
  | { readonly kind: 'action'; readonly action: string }
  /** Seconds per call; requests per minute, per hour and per call. */
  | {
      readonly kind: 'limits'
      readonly seconds: number
      readonly minute?: number
      readonly hour?: number
      readonly requests?: number
    }
  /** Its capability file is invalid: the agent does not get the tool. */
  | { readonly kind: 'unreadable'; readonly reason: string }

export type ToolView = PolicyInForce & {
  readonly name: string
  readonly description: string
  readonly source: 'built-in' | 'component' | 'mcp'
  /** The MCP server that has the tool. */
  readonly server?: string
  /** Only the operator's agent has it. */
  readonly operatorOnly?: true
  readonly enabled: boolean
  readonly schema: JsonObject
  /** Of its usual calls. */
  readonly effects: Effects
  /** Only of a built-in tool. */
  readonly about?: ToolAbout
  /** Only of a component: its version, its hash and its access. */
  readonly version?: string
  readonly sha256?: string
  readonly access?: readonly AccessRow[]
  /** Only of a component: its stored capability file. */
  readonly capabilities?: JsonObject
  readonly installedAt?: number
  /** Only of a component that declares actions: each is a tool of the agent, under this name. */
  readonly actions?: readonly ToolAction[]
}

/** An action of a component. `context` chooses it in a test call. */
export type ToolAction = {
  readonly name: string
  readonly description?: string
  readonly schema: JsonObject
  readonly context: JsonObject
}

/** Everything that happened in a test call of a tool. */
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
  /** Enables or disables a tool for the agent; false when there is no such tool. */
  enable(name: string, enabled: boolean): Promise<boolean>
  /** Removes a tool and its secrets; false when there is none. Throws tool_refused for one that cannot be removed. */
  remove(name: string): Promise<boolean>
  /** Makes one call; undefined when there is no such tool. Throws tool_refused for a call that would change anything. */
  test(name: string, call: { params: string; context?: string }): Promise<ToolTrial | undefined>
}
