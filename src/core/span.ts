// A stretch of work, as tracing systems take it.

export type SpanValue = string | number | boolean | readonly string[]

export type Span = {
  /** 32 hex digits, the same for all of one turn. */
  readonly traceId: string
  /** 16 hex digits. */
  readonly spanId: string
  readonly parentId?: string
  readonly name: string
  /** Work of ours, or a question to somebody else. */
  readonly kind: 'internal' | 'client'
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Readonly<Record<string, SpanValue>>
  /** What it failed with. */
  readonly fault?: string
}
