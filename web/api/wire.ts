// What the gateway says and takes, as its own documentation has it.

export type Session = { readonly user: string; readonly operator: boolean; readonly expires_at: string }

export type Door = 'terminal' | 'run' | 'web' | 'webhook' | 'responses'
export type Status = 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled'

export type Usage = {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly total_tokens: number
  readonly cost_usd: number | null
  readonly model?: string
}

export type Fault = { readonly code: string; readonly message: string }

export type ServiceStatus = {
  readonly status: 'ok' | 'draining'
  readonly version: string
  readonly uptime_secs: number
  readonly active_jobs: number
  readonly llm_backend: string
  readonly llm_model: string
  readonly database_backend: string
  readonly sandbox_enabled: boolean
  readonly doors: readonly { readonly name: string; readonly address?: string }[]
  readonly connections: number
  readonly cost_today_usd: number
}

export type Thread = {
  readonly id: string
  readonly title: string
  readonly door: Door
  readonly created_at: string
  readonly updated_at: string
  readonly last_seq: number
  readonly state: 'idle' | 'running' | 'waiting' | 'failed'
}

export type Part =
  | { readonly type: 'text'; readonly text: string; readonly origin?: string }
  | { readonly type: 'image'; readonly url: string }
  | { readonly type: 'file'; readonly name: string; readonly text: string }

type Stored = { readonly seq: number; readonly id: string; readonly turn_id: string; readonly at: string }

export type GateFields = {
  readonly kind: 'approval' | 'output' | 'credential'
  readonly name: string
  readonly args: unknown
  readonly prompt: string
  readonly reason?: string
  readonly taint?: string
  readonly preview?: string
  /** The names of the secrets that would go with it. */
  readonly secrets?: readonly string[]
  /** What a sign-in must bring. */
  readonly credential?: { readonly tool: string; readonly secret: string; readonly title?: string }
}

export type MessageItem = Stored & {
  readonly type: 'message'
  readonly role: 'user' | 'assistant'
  readonly content: readonly Part[]
  readonly cut?: true
}
export type CallItem = Stored & {
  readonly type: 'call'
  readonly call_id: string
  readonly name: string
  readonly args: unknown
}
export type ResultItem = Stored & {
  readonly type: 'result'
  readonly call_id: string
  readonly output: string
  readonly error?: true
  readonly origin?: string
}
export type GateItem = Stored & GateFields & { readonly type: 'gate'; readonly call_id: string }
export type AnswerItem = Stored & {
  readonly type: 'answer'
  readonly call_id: string
  readonly decision: 'allow' | 'deny' | 'output'
  readonly output?: string
  readonly by: string
  readonly scope?: 'tool' | 'target'
  readonly until?: string
}
export type Item =
  | MessageItem
  | CallItem
  | ResultItem
  | GateItem
  | AnswerItem
  | (Stored & { readonly type: 'reasoning'; readonly text: string })
  | (Stored & { readonly type: 'attempt'; readonly call_id: string })
  | (Stored & { readonly type: 'summary'; readonly text: string; readonly up_to: number })

/** Something that waits for its reader: `id` is the call's. */
export type Waiting = GateFields & {
  readonly id: string
  readonly thread_id: string
  readonly turn_id: string
  readonly door: Door
  /** Whose it is, where it is not the reader's own. */
  readonly sender?: string
  readonly created_at: string
  readonly expires_at: string
}

/** A gate that was answered. */
export type Answered = Waiting &
  Pick<AnswerItem, 'decision' | 'by' | 'scope' | 'until'> & { readonly answered_at: string; readonly word?: string }

export type Job = {
  readonly id: string
  readonly thread_id: string
  readonly title: string
  readonly sender?: string
  readonly door: Door
  readonly status: Status
  readonly created_at: string
  readonly completed_at: string | null
  readonly response?: string
  readonly error?: Fault
  readonly usage: Usage
}

export type Receipt = {
  readonly turn_id: string
  readonly thread_id: string
  readonly status: Status
  readonly started_at: string | null
  readonly ended_at: string | null
  readonly error?: Fault
  readonly model_calls: readonly {
    readonly model: string
    readonly host?: string
    readonly secret?: string
    readonly input_tokens: number
    readonly cached_tokens: number
    readonly output_tokens: number
    readonly cost_usd: number | null
    readonly ms: number
  }[]
  readonly tools: readonly {
    readonly call_id: string
    readonly name: string
    readonly ok: boolean
    readonly ms: number
    readonly effects?: 'read' | 'keep' | 'write' | 'danger'
    readonly origin?: string
    readonly hosts: readonly string[]
    readonly sent: readonly { readonly method: string; readonly host: string; readonly times: number }[]
  }[]
  readonly hosts: readonly string[]
  readonly secrets: readonly string[]
  readonly approvals: readonly {
    readonly call_id: string
    readonly decision: 'allow' | 'deny'
    readonly by: string
    readonly at: string
    readonly scope?: 'tool' | 'target'
    readonly until?: string
  }[]
  readonly notes: readonly { readonly rule: string; readonly where: string }[]
  readonly cost_usd: number | null
  readonly hash: string | null
  readonly verified: boolean
}

export type Attachment = { readonly name: string; readonly media_type: string; readonly data: string }

export type Sent = { readonly thread_id: string; readonly turn_id: string; readonly message_id: string }

export type GateAnswer = {
  readonly action: 'approve' | 'always' | 'deny'
  readonly scope?: 'tool' | 'target' | 'file'
  readonly for?: 'hour' | 'day' | 'good'
  readonly untrusted?: boolean
  readonly word?: string
}

/** A document of memory as a list has it. */
export type DocumentInfo = {
  readonly path: string
  readonly bytes: number
  readonly author: 'user' | 'door' | 'agent'
  readonly untrusted: boolean
  readonly created_at: string
  readonly updated_at: string
}
/** The same, with how its text begins. */
export type ListedDocument = DocumentInfo & { readonly beginning: string }
/** The thread is that in which the agent wrote it. */
export type Document = DocumentInfo & {
  readonly content: string
  readonly thread?: { readonly id: string; readonly title: string }
}

/** A document that a search found, with the part that matches. */
export type FoundDocument = {
  readonly path: string
  readonly content: string
  readonly score: number
  readonly updated_at: string
}

/** What was used of a model on one day of UTC; `user` for the operator alone. */
export type DayUsage = {
  readonly date: string
  readonly user?: string
  readonly model: string
  readonly turns: number
  readonly input_tokens: number
  readonly cached_tokens: number
  readonly output_tokens: number
  readonly cost_usd: number | null
}

/** What some days come to. */
export type UsageTotals = {
  /** What as many days before cost; null when nothing was used then. */
  readonly before_usd: number | null
  readonly failed: number
  readonly cancelled: number
  /** A door is null for what was used before it was counted by doors. */
  readonly doors: readonly { readonly door: Door | null; readonly turns: number; readonly cost_usd: number | null }[]
}

/** What is allowed beyond one call. */
export type Grant = {
  readonly id: string
  readonly user: string
  readonly tool: string
  readonly scope: 'tool' | 'target'
  readonly target: string | null
  /** Whether it also stands once the model has read words from outside. */
  readonly untrusted: boolean
  readonly by: string
  readonly created_at: string
  /** Null stands until revoked. */
  readonly expires_at: string | null
  /** Calls that ran by it. */
  readonly uses: number
}

/** A token of a user; itself it is never shown again. */
export type Token = { readonly id: string; readonly created_at: string; readonly expires_at: string | null }

export type User = {
  readonly id: string
  readonly name: string
  readonly created_at: string
  readonly tokens: number
  /** The end of the last of their tokens; null where one never ends, or there is none. */
  readonly expires_at: string | null
  /** Who vouches for them, where somebody does. */
  readonly issuer: string | null
  readonly last_seen_at: string | null
}
