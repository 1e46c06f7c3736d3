// A span, as tracing systems define it.

export type SpanValue = string | number | boolean | readonly string[]

export type Span = {
  /** 32 hex digits, the same for all spans of a turn. */
  readonly traceId: string
  /** 16 hex digits. */
  readonly spanId: string
  readonly parentId?: string
  readonly name: string
  /** `client` for a request to another service. */
  readonly kind: 'internal' | 'client'
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Readonly<Record<string, SpanValue>>
  /** The error, when it failed. */
  readonly fault?: string
}
