// What the gateway says and takes of the settings.

export type Settings = {
  readonly model: {
    readonly provider: string
    readonly name: string
    readonly base_url?: string
    readonly fallback: readonly string[]
    readonly chosen_by: 'environment' | 'settings' | 'key' | 'default'
  }
  /** The one in use, those that stand in, the usual one of each provider that lacks nothing, and those chosen before. */
  readonly models: readonly {
    readonly provider: string
    readonly name: string
    readonly description: string
    readonly base_url?: string
    readonly role: 'in_use' | 'stands_in' | 'ready'
    /** It was chosen before, and can be forgotten. */
    readonly kept?: boolean
    /** USD for a million tokens; null where nobody knows. */
    readonly input_usd: number | null
    readonly output_usd: number | null
  }[]
  readonly providers: readonly {
    readonly name: string
    readonly description: string
    readonly missing: readonly string[]
  }[]
  readonly limits: {
    readonly spend_per_turn_usd: number | null
    readonly spend_per_day_usd: number | null
    readonly steps_per_turn: number
    /** Set by the environment. */
    readonly fixed: readonly string[]
  }
  readonly policy: readonly PolicyRow[]
  readonly marks: readonly Mark[]
}

/** Something that text from outside is marked for. */
export type Mark = { readonly id: string; readonly says: string; readonly on: boolean }

/** `known`: runs where the address was named before, else asks. */
export type Rule = 'allow' | 'ask' | 'deny' | 'known'
export type Rules = { readonly clean: Rule; readonly tainted: Rule }

export type PolicyRow = Rules & {
  readonly id: string
  /** The calls it is about, names of tools between backticks. */
  readonly calls: string
  readonly changed: boolean
}

/** Null takes a setting back; what is left out stays. */
export type SettingsChange = {
  readonly provider?: string
  readonly model?: string | null
  readonly base_url?: string | null
  readonly fallback?: string | null
  /** Models that were chosen before and are to be forgotten, as `provider/name@address`. */
  readonly models?: Readonly<Record<string, null>>
  readonly spend_per_turn_usd?: number | null
  readonly spend_per_day_usd?: number | null
  readonly steps_per_turn?: number | null
  /** Rows to be set; null takes one back to its default. */
  readonly policy?: Readonly<Record<string, Rules | null>>
  /** Marks to be switched. */
  readonly marks?: Readonly<Record<string, boolean>>
}

export type ModelTrial = {
  readonly model: string
  readonly words: string
  readonly ms: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cost_usd: number | null
}
