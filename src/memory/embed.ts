// Embeddings from a server with OpenAI's embeddings API.
import type { Agent } from 'undici'
import * as z from 'zod/mini'
import { AppError } from '#core/errors.ts'
import { valueIn } from '#core/json.ts'
import type { ProxySettings } from '#core/proxy.ts'
import { withDeadline } from '#lib/deadline.ts'
import { excessOf, type JsonBounds } from '#lib/json-bounds.ts'
import { loadOnce } from '#lib/load-once.ts'
import { ProxyFault } from '#net/network-fault.ts'
import { connectThrough, proxyForUrl } from '#net/proxy.ts'
import { createLeakScan } from '#safety/leaks.ts'
import { printable } from '#safety/printable.ts'

const connectMs = 5_000
const deadlineMs = 30_000
const maxResponseBytes = 16 * 1024 * 1024
/** Characters of a server's error body that are quoted. */
const maxQuotedChars = 200
/** Characters of it that are scanned for secrets before the quote is cut. */
const maxScannedChars = 10_000
const maxDimensions = 16_384

/** One vector per text, in order. Throws an AppError; `model_refused` when the texts are the cause. */
export type Embed = (texts: readonly string[], signal: AbortSignal) => Promise<readonly Float32Array[]>

export type EmbedParts = {
  readonly model: string
  /** Without `/embeddings`. */
  readonly baseUrl: string
  /** Empty when there is none. Read for each request: it may be set while the service runs. */
  readonly key: () => Promise<string>
  readonly keyName: string
  readonly proxy?: ProxySettings
}

const EmbeddingResponse = z.object({
  data: z.array(
    z.object({ index: z.optional(z.number()), embedding: z.array(z.number()).check(z.maxLength(maxDimensions)) }),
  ),
})

export function createEmbed({ model, baseUrl, key, keyName, proxy }: EmbedParts): {
  embed: Embed
  close(): Promise<void>
} {
  const url = new URL(`${baseUrl}/embeddings`)
  const agent = loadOnce(() => openAgent(proxyForUrl(url, proxy)))

  async function post(texts: readonly string[], apiKey: string, signal: AbortSignal) {
    const { request } = await import('undici')
    const { statusCode, body } = await request(url, {
      method: 'POST',
      dispatcher: await agent(),
      signal,
      headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
      // A lone surrogate, left where a text was cut, would make the server refuse the whole request.
      body: JSON.stringify({ model, input: texts.map((each) => each.toWellFormed()), encoding_format: 'float' }),
    })
    return { status: statusCode, bytes: await body.bytes() }
  }

  return {
    async embed(texts, signal) {
      const apiKey = await key()
      const { status, bytes } = await withDeadline(deadlineMs, signal, (both) => post(texts, apiKey, both)).catch(
        (cause: unknown) => {
          throw new AppError('model_unreachable', `${url.host} cannot be asked for embeddings (${reasonOf(cause)})`, {
            cause,
          })
        },
      )
      const text = new TextDecoder().decode(bytes)
      if (status !== 200) throw faultOf({ status, text, apiKey, model, keyName, host: url.host })
      const isExcessive = excessOf(bytes, boundsOf(texts.length)) !== undefined
      return vectorsIn(isExcessive ? '' : text, texts.length, `${url.host} (model "${model}")`)
    },
    async close() {
      await (await agent.begun())?.destroy()
    },
  }
}

async function openAgent(proxy: URL | undefined): Promise<Agent> {
  const { Agent } = await import('undici')
  const connect = await connectThrough(proxy, connectMs)
  return new Agent({ connect, allowH2: false, maxResponseSize: maxResponseBytes })
}

function reasonOf(cause: unknown): string {
  if (cause instanceof ProxyFault) return cause.message
  const { code = '', name } = cause as { code?: string; name?: string }
  return /ABORT|TIMEOUT/i.test(`${code} ${name}`) ? 'did not answer in time' : code || 'broken'
}

/** More than an answer for so many texts needs. Without bounds, 16 MiB of brackets block the event loop for seconds. */
function boundsOf(texts: number): JsonBounds {
  return { values: texts * maxDimensions + 1_000, names: 1_000, levels: 20 }
}

function vectorsIn(text: string, count: number, server: string): Float32Array[] {
  const { data: response } = z.safeParse(EmbeddingResponse, valueIn(text))
  const list = response?.data.toSorted((one, two) => (one.index ?? 0) - (two.index ?? 0)) ?? []
  const [first] = list
  const isValid = first !== undefined && first.embedding.length > 0
  if (!isValid || list.length !== count || list.some(({ embedding }) => embedding.length !== first.embedding.length)) {
    throw new AppError(
      'model_failed',
      `${server} answers, but not with ${count} embeddings of one length: check the base URL`,
    )
  }
  return list.map(({ embedding }) => Float32Array.from(embedding))
}

type Refusal = {
  readonly status: number
  readonly text: string
  readonly apiKey: string
  readonly model: string
  readonly keyName: string
  readonly host: string
}

function faultOf({ status, text, apiKey, model, keyName, host }: Refusal): AppError {
  const masked = createLeakScan([apiKey]).mask(text.slice(0, maxScannedChars))
  const quoted = printable(masked.slice(0, maxQuotedChars).replaceAll(/\s+/g, ' ').trim())
  const detail = quoted === '' ? '' : ` It said: ${quoted}`
  if (status === 401 || status === 403) {
    return new AppError('model_unauthorized', `${host} wants another API key (${status}): set ${keyName}.${detail}`)
  }
  if (status === 404) {
    return new AppError(
      'model_unknown',
      `${host} knows no embedding model "${model}", or the base URL is wrong (404).${detail}`,
    )
  }
  // These statuses mean a problem with the texts: too long or invalid.
  const refused = status === 400 || status === 413 || status === 422
  const code = refused ? 'model_refused' : status === 429 ? 'model_rate_limited' : 'model_failed'
  return new AppError(code, `${host} made no embeddings with model "${model}" (${status}).${detail}`)
}
