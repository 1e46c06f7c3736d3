// Spans to a collector, as OTLP over HTTP in JSON. A queue that is full drops and counts; nobody ever waits for it.
import { setTimeout as pause } from 'node:timers/promises'
import type { Span, SpanValue } from '#core/span.ts'
import { withDeadline } from '#lib/deadline.ts'
import { type Log, sparing } from '#lib/log.ts'
import type { Dial } from './dial.ts'
import { readAddress } from './fetch.ts'

/** What waits, and what is sent at once: in spans and in characters of their JSON. Collectors refuse bodies of many megabytes. */
const maxWaiting = { spans: 4_096, chars: 32 * 1024 * 1024 }
const maxAtOnce = { spans: 512, chars: 2 * 1024 * 1024 }
const gatherMs = 1_000
const answerMs = 10_000
const maxAnswerBytes = 64 * 1024
/** What a collector that is away for a moment gets. */
const retryMs = [1_000, 5_000]

export type OtlpParts = {
  /** Up to and without `/v1/traces`. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly service: { readonly name: string; readonly version: string; readonly instance: string }
  readonly dial: Dial
  readonly log: Log
  /** Waits before it tries again. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

export interface Exporter {
  send(spans: readonly Span[]): void
  /** Spans that were not delivered. */
  dropped(): number
  /** Sends what waits, for so long. */
  close(graceMs: number): Promise<void>
}

export function createOtlp(parts: OtlpParts): Exporter {
  const { endpoint, dial, log, wait = sleep } = parts
  const complain = sparing(log)
  const target = readAddress(`${endpoint}/v1/traces`)
  const headers = new Map(Object.entries({ ...parts.headers, 'content-type': 'application/json' }))
  const stopped = new AbortController()
  const head = headOf(parts.service)
  let waiting: string[] = []
  let waitingChars = 0
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | undefined

  function lose(spans: number, reason: string): void {
    dropped += spans
    complain({ spans, dropped, reason }, 'spans were not delivered')
  }

  /** Undefined when they were taken; else why not, and whether it may go better later. */
  async function post(body: Buffer): Promise<{ reason: string; again: boolean } | undefined> {
    if (typeof target === 'string') return { reason: target, again: false }
    const request = { method: 'POST', target, headers, body, listed: true }
    const dialled = await withDeadline(answerMs, stopped.signal, (signal) =>
      dial(request, { maxBytes: maxAnswerBytes, signal }),
    )
    if (dialled.type === 'fault') return { reason: dialled.fault.message, again: true }
    const { status } = dialled
    if (status >= 200 && status < 300) return undefined
    return { reason: `${target.host} answered ${status}`, again: status === 429 || status >= 502 }
  }

  async function deliver(spans: readonly string[]): Promise<void> {
    const body = Buffer.from(`${head}${spans.join()}]}]}]}`)
    for (const pause of [...retryMs, undefined]) {
      const fault = await post(body)
      if (!fault) return
      if (!fault.again || pause === undefined || stopped.signal.aborted) return lose(spans.length, fault.reason)
      await wait(pause, stopped.signal)
    }
  }

  /** The first that wait, at least one of them. */
  function take(): string[] {
    let [spans, chars] = [0, 0]
    do chars += waiting[spans++]?.length ?? 0
    while (spans < maxAtOnce.spans && chars + (waiting[spans]?.length ?? maxAtOnce.chars) <= maxAtOnce.chars)
    waitingChars -= chars
    return waiting.splice(0, spans)
  }

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) await deliver(take())
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
      const chars = texts.reduce((sum, text) => sum + text.length, waitingChars)
      if (waiting.length + texts.length > maxWaiting.spans || chars > maxWaiting.chars)
        return lose(texts.length, 'too many wait to be sent')
      waiting.push(...texts)
      waitingChars = chars
      if (waiting.length >= maxAtOnce.spans || chars >= maxAtOnce.chars) void flush()
      else timer ??= setTimeout(() => void flush(), gatherMs).unref()
    },
    dropped: () => dropped,
    async close(graceMs) {
      const cut = setTimeout(() => stopped.abort(), graceMs)
      await flush()
      clearTimeout(cut)
      dropped += waiting.length
      waiting = []
      waitingChars = 0
    },
  }
}

/** The body of an export up to its spans: `ExportTraceServiceRequest` in OTLP's JSON. */
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

/** 64-bit integers are texts in OTLP's JSON. */
function valueOf(value: SpanValue): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value !== 'number') return { arrayValue: { values: value.map((each) => ({ stringValue: each })) } }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

function nanosOf(ms: number): string {
  return `${Math.round(ms)}000000`
}

/** A pause that the end of the service cuts short. */
async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => {})
}
