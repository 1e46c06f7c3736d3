// Sends spans to a collector, as OTLP over HTTP in JSON. A full queue drops spans and counts them; callers never wait.
import { setTimeout as pause } from 'node:timers/promises'
import type { Span, SpanValue } from '#core/span.ts'
import { withDeadline } from '#lib/deadline.ts'
import { type Log, warnSparingly } from '#lib/log.ts'
import type { Dial } from './dial.ts'
import { parseTarget } from './fetch.ts'

/** Limits of the queue and of one request, in spans and JSON characters. Collectors refuse bodies of many megabytes. */
const maxQueued = { spans: 4_096, chars: 32 * 1024 * 1024 }
const maxBatch = { spans: 512, chars: 2 * 1024 * 1024 }
const batchDelayMs = 1_000
const timeoutMs = 10_000
const maxAnswerBytes = 64 * 1024
/** Pauses before each retry, for a collector that is briefly away. */
const retryDelaysMs = [1_000, 5_000]

export type OtlpParts = {
  /** The URL before `/v1/traces`. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly service: { readonly name: string; readonly version: string; readonly instance: string }
  readonly dial: Dial
  readonly log: Log
  /** The wait before a retry. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

export interface Exporter {
  send(spans: readonly Span[]): void
  /** Spans that were not delivered. */
  dropped(): number
  /** Sends the queued spans, for at most `graceMs`. */
  close(graceMs: number): Promise<void>
}

export function createOtlp(parts: OtlpParts): Exporter {
  const { endpoint, dial, log, wait = sleep } = parts
  const warn = warnSparingly(log)
  const target = parseTarget(`${endpoint}/v1/traces`)
  const headers = new Map(Object.entries({ ...parts.headers, 'content-type': 'application/json' }))
  const stopped = new AbortController()
  const head = headOf(parts.service)
  const queued: string[] = []
  let queuedChars = 0
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | undefined

  function drop(spans: number, reason: string): void {
    dropped += spans
    warn({ spans, dropped, reason }, 'spans were not delivered')
  }

  /** Undefined if the collector accepted the spans; otherwise the reason, and whether to retry. */
  async function post(body: Buffer): Promise<{ reason: string; retryable: boolean } | undefined> {
    if (typeof target === 'string') return { reason: target, retryable: false }
    const request = { method: 'POST', target, headers, body, listed: true }
    const dialled = await withDeadline(timeoutMs, stopped.signal, (signal) =>
      dial(request, { maxBytes: maxAnswerBytes, signal }),
    )
    if (dialled.type === 'fault') return { reason: dialled.fault.message, retryable: true }
    const { status } = dialled
    if (status >= 200 && status < 300) return undefined
    return { reason: `${target.host} answered ${status}`, retryable: status === 429 || status >= 502 }
  }

  async function deliver(spans: readonly string[]): Promise<void> {
    const body = Buffer.from(`${head}${spans.join()}]}]}]}`)
    for (const pause of [...retryDelaysMs, undefined]) {
      const fault = await post(body)
      if (!fault) return
      if (!fault.retryable || pause === undefined || stopped.signal.aborted) return drop(spans.length, fault.reason)
      await wait(pause, stopped.signal)
    }
  }

  /** Takes the first spans of the queue, at least one. */
  function takeBatch(): string[] {
    let [spans, chars] = [0, 0]
    do chars += queued[spans++]?.length ?? 0
    while (spans < maxBatch.spans && chars + (queued[spans]?.length ?? maxBatch.chars) <= maxBatch.chars)
    queuedChars -= chars
    return queued.splice(0, spans)
  }

  async function sendAll(): Promise<void> {
    while (queued.length > 0) await deliver(takeBatch())
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    sending ??= sendAll().finally(() => {
      sending = undefined
    })
    return sending
  }

  return {
    send(spans) {
      const texts = spans.map((span) => JSON.stringify(spanOf(span)))
      const chars = texts.reduce((sum, text) => sum + text.length, queuedChars)
      if (queued.length + texts.length > maxQueued.spans || chars > maxQueued.chars)
        return drop(texts.length, 'the queue is full')
      queued.push(...texts)
      queuedChars = chars
      if (queued.length >= maxBatch.spans || chars >= maxBatch.chars) void flush()
      else timer ??= setTimeout(() => void flush(), batchDelayMs).unref()
    },
    dropped: () => dropped,
    async close(graceMs) {
      const cut = setTimeout(() => stopped.abort(), graceMs)
      await flush()
      clearTimeout(cut)
    },
  }
}

/** The start of an export body, up to its spans: `ExportTraceServiceRequest` in OTLP's JSON. */
function headOf({ name, version, instance }: OtlpParts['service']): string {
  const resource = { 'service.name': name, 'service.version': version, 'service.instance.id': instance }
  const [attributes, scope] = [attributesOf(resource), { name: 'atrium', version }].map((each) => JSON.stringify(each))
  return `{"resourceSpans":[{"resource":{"attributes":${attributes}},"scopeSpans":[{"scope":${scope},"spans":[`
}

const kinds = { internal: 1, client: 3 } as const
const failedStatus = 2

function spanOf({ traceId, spanId, parentId, name, kind, startMs, endMs, attributes, fault }: Span) {
  return {
    traceId,
    spanId,
    ...(parentId !== undefined && { parentSpanId: parentId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanosOf(startMs),
    endTimeUnixNano: nanosOf(endMs),
    attributes: attributesOf(attributes),
    status: fault === undefined ? {} : { code: failedStatus, message: fault },
  }
}

function attributesOf(attributes: Readonly<Record<string, SpanValue>>) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }))
}

/** 64-bit integers are strings in OTLP's JSON. */
function valueOf(value: SpanValue): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value !== 'number') return { arrayValue: { values: value.map((each) => ({ stringValue: each })) } }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

function nanosOf(ms: number): string {
  return `${Math.round(ms)}000000`
}

/** A pause that shutdown cuts short. */
async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => {})
}
