// A model over a provider package of the AI SDK: reads its stream directly, with our events, faults, limits and retries.
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import { isObject, type JsonObject } from '#core/json.ts'
import { maxCalls, type Model, type ModelEvent, type ModelRequest } from '#core/model.ts'
import { tokenCount } from '#core/tokens.ts'
import type { ToolSpec } from '#core/tool.ts'
import type { Sampling, Usage } from '#core/turn.ts'
import { withoutEndSlashes } from '#lib/end-slashes.ts'
import { loadOnce } from '#lib/load-once.ts'
import { pace } from '#lib/pace.ts'
import { watchSilence } from '#lib/silence.ts'
import { fetchThrough, proxyForUrl } from '#net/proxy.ts'
import { parseBaseUrl, viaOf } from './base-url.ts'
import type { ChatModelParts } from './chat.ts'
import { createFaults, type Fault, type Faults, unanswered } from './fault.ts'
import { defaultLimits, defaultWindow } from './stream-limits.ts'
import type { PriceOf } from './price.ts'
import { maxAttempts, retryDelay, sleep as realSleep } from './model-retry.ts'
import { adaptSchema } from './schema.ts'
import { createBoundedFetch, FaultError } from './sdk-fetch.ts'
import { createSdkPictures, type MarkedPictures } from './sdk-pictures.ts'
import { promptOf } from './sdk-prompt.ts'
import { type SdkProvider, readSignature } from './signature.ts'

/** How many layers of `cause` are searched for a fault. */
const maxCauseDepth = 5

export type SdkModelParts = Omit<ChatModelParts, 'headers'> & {
  readonly provider: SdkProvider
  readonly apiKey: string
}

/** The differences between the packages. */
export type Package = {
  readonly suffix: string
  open(parts: { baseURL: string; apiKey: string; fetch: typeof fetch }): LanguageModelV4
  /** Adapts an object schema to this provider. */
  schema(schema: JsonObject): JsonObject
  readonly options: Pick<LanguageModelV4CallOptions, 'maxOutputTokens' | 'providerOptions'>
  /** Event types that the package knows. Others are ignored, as the provider's documentation asks. */
  readonly knownEvents?: ReadonlySet<string>
}

/** A model over a package. Throws invalid_config for an address that can never work. */
export function createSdkModel(parts: SdkModelParts, pack: Package): Model {
  const { provider, name, apiKey, sleep = realSleep, random = Math.random, clock = Date.now } = parts
  const limits = { ...defaultLimits, ...parts.limits }
  const url = parseBaseUrl(parts.baseUrl)
  const faults = createFaults({
    provider,
    model: name,
    host: url.host,
    hasKey: true,
    keyName: parts.keyName,
    sealedAs: parts.secret,
    secrets: [apiKey],
    idleMs: limits.idleMs,
    expected: 'a stream of events',
    suffix: pack.suffix,
  })
  const baseURL = withoutEndSlashes(parts.baseUrl)
  const pictures = createSdkPictures()
  const proxy = proxyForUrl(url, parts.proxy)
  const model = pack.open({
    baseURL,
    apiKey,
    fetch: createBoundedFetch({
      faults,
      limits,
      clock,
      fill: pictures.fill,
      open: loadOnce(() => fetchThrough(proxy)),
    }),
  })
  const via = viaOf(url, parts.secret)
  const known = new WeakMap<ToolSpec, LanguageModelV4FunctionTool>()

  function toolOf(spec: ToolSpec): LanguageModelV4FunctionTool {
    let tool = known.get(spec)
    if (!tool) {
      const { description, parameters } = adaptSchema(spec)
      tool = { type: 'function', name: spec.name, description, inputSchema: pack.schema(parameters) }
      known.set(spec, tool)
    }
    return tool
  }

  /** New tools are adapted with pauses between them: a large schema takes long. */
  async function toolsOf(specs: readonly ToolSpec[]): Promise<LanguageModelV4FunctionTool[]> {
    const tools: LanguageModelV4FunctionTool[] = []
    for (const spec of specs) {
      tools.push(toolOf(spec))
      await pace()
    }
    return tools
  }

  async function optionsOf(
    request: ModelRequest,
    { mark }: MarkedPictures,
  ): Promise<Omit<LanguageModelV4CallOptions, 'abortSignal'>> {
    const { temperature, format, json, sampling } = request
    const schema = format && pack.schema(format.schema)
    return {
      ...pack.options,
      ...promptOf({ request, provider, tools: await toolsOf(request.tools), mark }),
      ...(temperature !== undefined && { temperature }),
      ...(format && { responseFormat: { type: 'json', name: format.name, ...(schema && { schema }) } }),
      ...(json && { responseFormat: { type: 'json' } }),
      ...(sampling && samplingOf(sampling, pack.options.maxOutputTokens)),
    }
  }

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<readonly ModelEvent[]> {
    using marked = pictures.open()
    const options = await optionsOf(request, marked)
    for (let attempt = 1; ; attempt += 1) {
      signal.throwIfAborted()
      const call = new AbortController()
      /** Time in which the caller does not read on is no silence of the server. */
      let reading = true
      const idle = watchSilence(limits.idleMs, () => {
        if (reading) call.abort(new FaultError(faults.fromFailure({ type: 'timeout' }, false)))
      })
      const answer = createAnswer({ provider, faults, priceOf: parts.priceOf, knownEvents: pack.knownEvents })
      let begun = false
      let fault: Fault
      try {
        const abortSignal = AbortSignal.any([signal, call.signal])
        const { stream: read } = await model.doStream({ ...options, abortSignal })
        for await (const part of read) {
          const events = answer.take(part)
          if (events.length === 0) continue
          begun = true
          reading = false
          yield events
          reading = true
          idle.heard()
        }
        throw new FaultError(faults.cutOff())
      } catch (error) {
        if (answer.done) return
        signal.throwIfAborted()
        fault = faultOf(error, faults)
      } finally {
        idle.end()
      }
      if (begun) throw fault.error
      if (!fault.retryable || attempt >= maxAttempts) {
        throw unanswered(fault.error, { model: name, via, attempts: attempt })
      }
      await sleep(retryDelay(attempt, random(), fault.retryAfterMs), signal)
    }
  }

  const { window = defaultWindow, priceOf } = parts
  return { provider, name, via, window, ...(priceOf && { priceOf }), stream }
}

/** Reads the parts of one answer. */
function createAnswer({
  provider,
  faults,
  priceOf,
  knownEvents,
}: {
  provider: SdkProvider
  faults: Faults
  priceOf: PriceOf | undefined
  knownEvents: Package['knownEvents']
}) {
  let calls = 0
  /** The signature of the block that is being streamed. */
  let seal: string | undefined

  function close(): ModelEvent[] {
    if (seal === undefined) return []
    const event: ModelEvent = { type: 'reasoning', text: '', signature: seal }
    seal = undefined
    return [event]
  }

  function callOf({ toolName, input, providerMetadata }: Extract<LanguageModelV4StreamPart, { type: 'tool-call' }>) {
    if (++calls > maxCalls) throw new FaultError(faults.tooMuch(`${maxCalls} tool calls`))
    if (toolName === '') throw new FaultError(faults.nameless())
    const own = readSignature(provider, providerMetadata)
    const args = input.trim() === '' ? '{}' : input
    return { type: 'call', name: toolName, args, ...(own !== undefined && { signature: own }) } as const
  }

  const answer = {
    done: false,
    /** Throws FaultError where the answer cannot be used. */
    take(part: LanguageModelV4StreamPart): ModelEvent[] {
      const { type } = part
      if (type === 'text-delta' || type === 'reasoning-delta') {
        seal = readSignature(provider, part.providerMetadata) ?? seal
        if (part.delta === '') return []
        return [{ type: type === 'text-delta' ? 'text' : 'reasoning', text: part.delta }]
      }
      if (type === 'reasoning-start' || type === 'text-start') seal = readSignature(provider, part.providerMetadata)
      if (type === 'reasoning-end' || type === 'text-end') return close()
      if (type === 'tool-call') return [callOf(part)]
      if (type === 'error' && isUnknownEvent(part.error, knownEvents)) return []
      if (type === 'error') throw new FaultError(faultOf(part.error, faults))
      if (type !== 'finish') return []
      const { unified, raw } = part.finishReason
      // The packages report an end even where the server sent none.
      if (raw === undefined) throw new FaultError(faults.cutOff())
      if (unified === 'content-filter') throw new FaultError(faults.filtered())
      if (unified === 'error') throw new FaultError(faults.malformed())
      answer.done = true
      const usage = usageOf(part.usage, priceOf)
      return [{ type: 'done', usage, ...(unified === 'length' && { stop: 'length' }) }]
    },
  }
  return answer
}

type SdkUsage = Extract<LanguageModelV4StreamPart, { type: 'finish' }>['usage']

function usageOf({ inputTokens, outputTokens }: SdkUsage, priceOf: PriceOf | undefined): Usage {
  const counts = {
    inputTokens: tokenCount(inputTokens.total),
    cachedTokens: tokenCount(inputTokens.cacheRead),
    outputTokens: tokenCount(outputTokens.total),
    reasoningTokens: tokenCount(outputTokens.reasoning),
  }
  const isReported = inputTokens.total !== undefined
  const costUsd =
    priceOf && isReported ? priceOf({ ...counts, cacheWriteTokens: tokenCount(inputTokens.cacheWrite) }) : null
  return { ...counts, costUsd }
}

/** True for an event type newer than the package, which reports it as an error. */
function isUnknownEvent(error: unknown, knownEvents: Package['knownEvents']): boolean {
  const value: unknown = error instanceof Error && 'value' in error ? error.value : undefined
  const kind = isObject(value) ? value['type'] : undefined
  return knownEvents !== undefined && typeof kind === 'string' && !knownEvents.has(kind)
}

/** The fault for an error that a package threw or reported in a stream. */
function faultOf(error: unknown, faults: Faults): Fault {
  for (let each = error, depth = 0; each instanceof Error && depth < maxCauseDepth; each = each.cause, depth++) {
    if (each instanceof FaultError) return each.fault
  }
  if (error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number') {
    if (error.statusCode >= 400) return faults.fromStatus(error.statusCode, error.message, {})
    // The packages report a connection that broke midway with the status it began with.
    return faults.fromFailure({ type: 'broken', cause: error }, true)
  }
  if (error instanceof TypeError) return faults.fromFailure({ type: 'broken', cause: error }, true)
  return faults.fromError(error)
}

type SamplingOptions = Pick<
  LanguageModelV4CallOptions,
  'topP' | 'stopSequences' | 'seed' | 'maxOutputTokens' | 'reasoning'
>

/** The packages leave out what their provider does not take. `max` is the limit of an answer that holds anyway. */
function samplingOf(
  { topP, stop, seed, maxTokens, effort }: Sampling,
  max = Number.POSITIVE_INFINITY,
): SamplingOptions {
  return {
    ...(topP !== undefined && { topP }),
    ...(stop && { stopSequences: [...stop] }),
    ...(seed !== undefined && { seed }),
    ...(maxTokens !== undefined && { maxOutputTokens: Math.min(maxTokens, max) }),
    ...(effort !== undefined && { reasoning: effort as NonNullable<SamplingOptions['reasoning']> }),
  }
}
