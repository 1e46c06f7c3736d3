// What the gateway says of tools: what each may do, what it needs, and how a trial went.

export type Offer = { readonly tool: string; readonly hosts: readonly string[] }

/** A secret that a tool needs; `set` tells where it comes from, null while nobody has set it. */
export type NeededSecret = {
  readonly name: string
  readonly prompt: string | null
  readonly optional: boolean
  readonly set: 'environment' | 'own' | 'operator' | null
  /** When, where it is the reader's own. */
  readonly set_at: string | null
  readonly shared_from: string | null
  readonly offers: readonly Offer[]
}
export type ToolSignIn = Omit<NeededSecret, 'prompt' | 'optional'> & {
  readonly how: 'environment' | 'oauth' | 'token'
  readonly env_var: string | null
  readonly display_name: string | null
  readonly instructions: string | null
  readonly setup_url: string | null
  readonly token_hint: string | null
}
export type ToolNeeds = {
  readonly tool: string
  readonly auth: ToolSignIn | null
  readonly setup: readonly NeededSecret[]
}

type Verdict = 'allow' | 'ask' | 'deny'

export type Tool = {
  readonly name: string
  readonly description: string
  readonly source: 'built-in' | 'component'
  readonly enabled: boolean
  /** The JSON schema of its parameters. */
  readonly schema: Schema
  /** Of its usual calls. */
  readonly effects: 'read' | 'keep' | 'write' | 'danger'
  /** What the policy in force says of its usual calls, before and after text from outside was read. */
  readonly verdict: { readonly clean: Verdict; readonly tainted: Verdict }
  readonly policy: readonly {
    readonly row: string
    readonly calls: string
    readonly clean: Verdict | 'known'
    readonly tainted: Verdict | 'known'
  }[]
  /** Of a built-in tool: a few words for a list, what it may do and what it cannot. */
  readonly brief?: string
  readonly may?: readonly string[]
  readonly cannot?: readonly string[]
  readonly version?: string
  readonly sha256?: string
  /** What a component may do, a line each. */
  readonly access?: readonly string[]
  readonly installed_at?: string
}

export type Schema = {
  readonly type?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly const?: unknown
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
}

export type ToolTrial = {
  readonly output: string | null
  readonly error: string | null
  readonly logs: readonly { readonly level: string; readonly message: string }[]
  readonly requests: readonly { readonly method: string; readonly url: string; readonly status: number | null }[]
  readonly blocked: readonly { readonly method: string; readonly url: string; readonly reason: string }[]
}
