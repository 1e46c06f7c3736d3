// The models that a provider lists itself, for an operator who is about to choose one.
import { AppError } from '#core/errors.ts'
import { isObject } from '#core/json.ts'
import { type Provider, providers } from '#core/providers.ts'
import type { ProxySettings } from '#core/proxy.ts'
import { ByteBlocks } from '#lib/byte-blocks.ts'
import { withoutEndSlashes } from '#lib/end-slashes.ts'
import { excessOf, type JsonBounds } from '#lib/json-bounds.ts'
import { parseInPieces } from '#lib/json-pieces.ts'
import { inPace } from '#lib/pace.ts'
import { ProxyFault } from '#net/network-fault.ts'
import { fetchThrough, proxyForUrl } from '#net/proxy.ts'
import { parseBaseUrl } from './base-url.ts'

const timeoutMs = 15_000
const maxBytes = 4 * 1024 * 1024
/** A list of a thousand models, with all that is said of each. */
const listBounds: JsonBounds = { values: 200_000, names: 50_000, levels: 100 }
const maxModels = 1_000
const maxNameChars = 256

export type ProviderAccess = {
  readonly provider: Provider
  readonly baseUrl?: string
  readonly apiKey?: string
  readonly proxy?: ProxySettings
}

/** The names of a provider's models, in its order. Throws model_unreachable, model_unauthorized, model_failed. */
export async function listProviderModels(access: ProviderAccess): Promise<readonly string[]> {
  const { client, model, baseUrl = '' } = providers[access.provider]
  if (client === 'offline' || client === 'scripted') return model ? [model] : []
  const base = withoutEndSlashes(access.baseUrl ?? baseUrl)
  const url = parseBaseUrl(base)
  const { host } = url
  const { query, headers } = requestOf(client, access.apiKey)
  const send = await fetchThrough(proxyForUrl(url, access.proxy))
  const response = await send(`${base}/models${query}`, {
    headers: { accept: 'application/json', 'user-agent': 'atrium', ...headers },
    // The key would go along.
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((cause: unknown) => {
    const fault = cause instanceof Error ? cause.cause : undefined
    const why = fault instanceof ProxyFault ? `: ${fault.message}` : ''
    throw new AppError('model_unreachable', `${host} was not reached${why}`, { cause, param: 'base_url' })
  })
  if (response.ok) return namesIn(await readJson(response, host))
  await response.body?.cancel()
  const { status } = response
  if (status === 401 || status === 403) {
    throw new AppError('model_unauthorized', `${host} refused the key (${status})`, { param: 'key' })
  }
  throw new AppError('model_failed', `${host} answered ${status} to the request for its models: type the name`)
}

function requestOf(client: 'chat' | 'anthropic' | 'google', key: string | undefined) {
  const none = { query: '', headers: {} as Record<string, string> }
  if (client === 'anthropic') {
    return {
      query: `?limit=${maxModels}`,
      headers: { 'anthropic-version': '2023-06-01', ...(key && { 'x-api-key': key }) },
    }
  }
  if (client === 'google')
    return { query: `?pageSize=${maxModels}`, headers: { ...(key && { 'x-goog-api-key': key }) } }
  return key ? { ...none, headers: { authorization: `Bearer ${key}` } } : none
}

async function readJson(response: Response, host: string): Promise<unknown> {
  const body = new ByteBlocks()
  try {
    for await (const chunk of response.body ?? []) {
      body.add(chunk)
      if (body.size > maxBytes) throw new Error('the list is too long')
    }
    const json = body.take()
    const excess = excessOf(json, listBounds)
    if (excess) throw new Error(`the list has more than ${excess}`)
    return await inPace(parseInPieces(json))
  } catch (cause) {
    throw new AppError('model_failed', `${host} sent no list of models: type the name`, { cause })
  }
}

/** `{data: [{id}]}` as OpenAI and Anthropic list them, `{models: [{name}]}` as Google does. */
function namesIn(list: unknown): string[] {
  const rows = isObject(list) ? (list['data'] ?? list['models']) : undefined
  if (!Array.isArray(rows)) return []
  const names = rows.slice(0, maxModels).flatMap((row: unknown) => {
    if (!isObject(row)) return []
    const methods = row['supportedGenerationMethods']
    if (Array.isArray(methods) && !methods.includes('generateContent')) return []
    const name = row['id'] ?? row['name']
    return typeof name === 'string' && isName(name) ? [name.replace(/^models\//, '')] : []
  })
  return [...new Set(names)]
}

function isName(name: string): boolean {
  return name.length > 0 && name.length <= maxNameChars && /^[^\p{Cc}]+$/u.test(name)
}
