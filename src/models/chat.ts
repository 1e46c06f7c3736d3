// The client for servers of OpenAI's chat completions format. Kept lean: it is on the hot path of every turn.
import type { Agent } from 'undici'
import { AppError } from '#core/errors.ts'
import type { Model, ModelEvent, ModelRequest } from '#core/model.ts'
import type { ProxySettings } from '#core/proxy.ts'
import { ByteBlocks } from '#lib/byte-blocks.ts'
import { withoutEndSlashes } from '#lib/end-slashes.ts'
import { parseBaseUrl, viaOf } from './base-url.ts'
import { ChatAnswer } from './chat-answer.ts'
import { createBodyWriter } from './chat-body.ts'
import { connectThrough, proxyForUrl } from '#net/proxy.ts'
import { createFaults, type Fault, unanswered } from './fault.ts'
import { type Head, type Post, Upstream } from './chat-wire.ts'
import { defaultLimits, defaultWindow, maxErrorBytes, maxWholeBytes, type ReadLimits } from './stream-limits.ts'
import { optimiseParserLate } from './parser-budget.ts'
import type { PriceOf } from './price.ts'
import { maxAttempts, retryAfterMs, retryDelay, type Sleep, sleep as realSleep } from './model-retry.ts'

/** OpenAI's reasoning models refuse a temperature. */
const reasoningModels = /^(o\d|gpt-[5-9](?!.*chat))/
/** Image URLs that a provider accepts. Other servers are unknown, so they get every image. Ollama fetches no URLs. */
const pictures = new Map([
  ['openai', /^(https?:|data:image\/(png|jpe?g|gif|webp);base64,.)/i],
  ['ollama', /^data:image\/(png|jpe?g|webp);base64,./i],
])
const connectTimeoutMs = 10_000
/** How long an idle connection is kept, unless the server says otherwise. */
const keepAliveMs = 30_000

export type ChatModelParts = {
  readonly provider: string
  readonly name: string
  /** The URL before `/chat/completions`. A query string is kept. */
  readonly baseUrl: string
  readonly apiKey?: string | undefined
  /** The secret name to suggest in error messages about the key. */
  readonly keyName?: string | undefined
  /** The name of the sealed secret that the key came from, if it did. */
  readonly secret?: string | undefined
  readonly window?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly proxy?: ProxySettings | undefined
  readonly limits?: Partial<ReadLimits> | undefined
  /** Without it, calls are free. */
  readonly priceOf?: PriceOf | undefined
  readonly sleep?: Sleep | undefined
  readonly random?: (() => number) | undefined
  readonly clock?: (() => number) | undefined
}

/** A model on a chat-completions server. Throws invalid_config for an address or key that can never work. */
export function createChatModel(parts: ChatModelParts): Model {
  const { provider, name, apiKey = '', sleep = realSleep, random = Math.random, clock = Date.now, priceOf } = parts
  const limits = { ...defaultLimits, ...parts.limits }
  const url = parseBaseUrl(parts.baseUrl)
  const post = {
    origin: url.origin,
    path: `${withoutEndSlashes(url.pathname)}/chat/completions${url.search}`,
    headers: headersOf(parts),
    idleMs: limits.idleMs,
    maxBytes: limits.responseBytes,
  }
  const faults = createFaults({
    provider,
    model: name,
    host: url.host,
    hasKey: apiKey !== '',
    keyName: parts.keyName,
    sealedAs: parts.secret,
    expected: 'a chat completion',
    suffix: '/v1',
    secrets: [apiKey, ...Object.values(parts.headers ?? {})],
    idleMs: limits.idleMs,
  })
  const openai = provider === 'openai'
  const reasons = reasoningModels.test(name)
  const rules = { openai, sampling: !openai || !reasons, effort: !openai || reasons }
  const bodies = createBodyWriter(name, { ...rules, pictures: pictures.get(provider) })
  const via = viaOf(url, parts.secret)
  const proxy = proxyForUrl(url, parts.proxy)
  let agent: Agent | Promise<Agent> | undefined

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<readonly ModelEvent[]> {
    signal.throwIfAborted()
    const preparing = bodies.prepare(request)
    if (preparing) await preparing
    const made = bodies.write(request)
    const body = made instanceof Promise ? await made : made
    signal.throwIfAborted()
    agent ??= openAgent(proxy).catch((error: unknown) => {
      agent = undefined
      throw error
    })
    if (agent instanceof Promise) {
      agent = await agent
      signal.throwIfAborted()
    }
    for (let attempt = 1; ; attempt += 1) {
      const upstream = new Upstream(agent, { ...post, body, signal } satisfies Post)
      const answer = new ChatAnswer({ faults, maxLineBytes: limits.lineBytes, priceOf })
      let begun = false
      let fault: Fault | undefined
      try {
        while (!answer.done && !fault) {
          await upstream.more()
          signal.throwIfAborted()
          const events: ModelEvent[] = []
          fault = isStream(upstream.head)
            ? readStream(upstream, answer, events)
            : await readWhole(upstream, answer, events)
          if (events.length === 0) continue
          begun = true
          yield events
          upstream.touch()
        }
      } finally {
        upstream.close(answer.done)
      }
      if (!fault) return
      signal.throwIfAborted()
      if (begun) throw fault.error
      if (!fault.retryable || attempt >= maxAttempts) {
        throw unanswered(fault.error, { model: name, via, attempts: attempt })
      }
      await sleep(retryDelay(attempt, random(), fault.retryAfterMs), signal)
      signal.throwIfAborted()
    }
  }

  function readStream(upstream: Upstream, answer: ChatAnswer, events: ModelEvent[]): Fault | undefined {
    const bytes = upstream.take()
    if (bytes) return answer.read(bytes, events)
    if (upstream.failure) return faults.fromFailure(upstream.failure, true)
    return answer.end(upstream.head?.contentType ?? '', events)
  }

  /** Reads an answer that is not a stream to its end: JSON, an error, or nothing. */
  async function readWhole(upstream: Upstream, answer: ChatAnswer, events: ModelEvent[]): Promise<Fault | undefined> {
    const good = isGood(upstream.head)
    const body = new ByteBlocks()
    for (let bytes = upstream.take(); bytes; bytes = upstream.take()) {
      body.add(bytes)
      if (good && body.size > maxWholeBytes) return faults.fromFailure({ type: 'too_long' }, true)
      if (!good && body.size > maxErrorBytes) break
      await upstream.more()
    }
    const { head, failure } = upstream
    if (!head || (failure && good)) return faults.fromFailure(failure ?? { type: 'timeout' }, head !== undefined)
    const text = body.take().toString('utf8')
    if (good) return answer.whole(text, events)
    const wait = retryAfterMs(head.retryAfter, clock())
    return faults.fromStatus(head.status, text, { retryAfterMs: wait, location: head.location })
  }

  return { provider, name, via, window: parts.window ?? defaultWindow, ...(priceOf && { priceOf }), stream }
}

async function openAgent(proxy: URL | undefined): Promise<Agent> {
  // One file of undici: its index loads 7 MB that nothing here uses.
  const { default: Agent } = await import('undici/lib/dispatcher/agent.js')
  // No cap on connections: undici would silently queue calls behind it. HTTP/1.1, so that stopping a call closes only
  // its own connection.
  const agent = new Agent({
    connections: null,
    allowH2: false,
    keepAliveTimeout: keepAliveMs,
    connect: await connectThrough(proxy, connectTimeoutMs),
  })
  optimiseParserLate(agent)
  return agent
}

function isGood(head: Head | undefined): boolean {
  return head !== undefined && head.status >= 200 && head.status < 300
}

function isStream(head: Head | undefined): boolean {
  return isGood(head) && !head?.contentType.includes('application/json')
}

function headersOf({ apiKey, headers = {}, provider }: ChatModelParts): string[] {
  const all: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'text/event-stream, application/json',
    'user-agent': 'atrium',
  }
  if (apiKey) all['authorization'] = `Bearer ${apiKey}`
  for (const [name, value] of Object.entries(headers)) all[name.toLowerCase()] = value
  for (const [name, value] of Object.entries(all)) {
    if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) continue
    const what = name === 'authorization' ? 'API key' : `header ${name}`
    throw new AppError(
      'invalid_config',
      `the ${what} of ${provider} has characters that cannot be sent in a header; check it for a copied line break`,
    )
  }
  return Object.entries(all).flat()
}
