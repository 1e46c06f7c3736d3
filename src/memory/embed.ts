// Texts as vectors, by a server that speaks OpenAI's embeddings.
import type { Agent } from 'undici'
import * as z from 'zod/mini'
import { AppError } from '#core/errors.ts'
import { valueIn } from '#core/json.ts'
import { withDeadline } from '#lib/deadline.ts'
import { createLeakScan } from '#safety/leaks.ts'
import { printable } from '#safety/printable.ts'

const connectMs = 5_000
const deadlineMs = 30_000
const maxResponseBytes = 16 * 1024 * 1024
/** Of what a server says of its fault, so much is told. */
const maxToldChars = 200
/** Of it, so much is looked at. */
const maxReadChars = 10_000
const maxNumbers = 16_384

/** A vector for each text, in their order. Throws an AppError; `model_refused` where the texts are at fault. */
export type Embed = (texts: readonly string[], signal: AbortSignal) => Promise<readonly Float32Array[]>

export type EmbedParts = {
  readonly model: string
  /** Up to and without `/embeddings`. */
  readonly baseUrl: string
  /** Empty where there is none. Asked each time: it may be set while the service runs. */
  readonly key: () => Promise<string>
  readonly keyName: string
}

const Answer = z.object({
  data: z.array(
    z.object({ index: z.optional(z.number()), embedding: z.array(z.number()).check(z.maxLength(maxNumbers)) }),
  ),
})

export function createEmbed({ model, baseUrl, key, keyName }: EmbedParts): { embed: Embed; close(): Promise<void> } {
  const url = new URL(`${baseUrl}/embeddings`)
  let agent: Promise<Agent> | undefined

  async function post(texts: readonly string[], apiKey: string, signal: AbortSignal) {
    agent ??= openAgent()
    const { request } = await import('undici')
    const { statusCode, body } = await request(url, {
      method: 'POST',
      dispatcher: await agent,
      signal,
      headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
      // Half a character, left where a text was cut, would have the whole request refused.
      body: JSON.stringify({ model, input: texts.map((each) => each.toWellFormed()), encoding_format: 'float' }),
    })
    return { status: statusCode, text: await body.text() }
  }

  return {
    async embed(texts, signal) {
      const apiKey = await key()
      const { status, text } = await withDeadline(deadlineMs, signal, (both) => post(texts, apiKey, both)).catch(
        (cause: unknown) => {
          const { code = '' } = cause as { code?: string }
          const why = /ABORT|TIMEOUT/i.test(`${code} ${(cause as Error).name}`) ? 'did not answer in time' : code
          throw new AppError('model_unreachable', `${url.host} cannot be asked for embeddings (${why || 'broken'})`, {
            cause,
          })
        },
      )
      if (status !== 200) throw faultOf({ status, text, apiKey, model, keyName, host: url.host })
      return vectorsIn(text, texts.length, `${url.host} (model "${model}")`)
    },
    async close() {
      await (await agent)?.destroy()
    },
  }
}

async function openAgent(): Promise<Agent> {
  const { Agent } = await import('undici')
  return new Agent({ connect: { timeout: connectMs }, allowH2: false, maxResponseSize: maxResponseBytes })
}

function vectorsIn(text: string, count: number, server: string): Float32Array[] {
  const { data: answer } = z.safeParse(Answer, valueIn(text))
  const list = answer?.data.toSorted((one, two) => (one.index ?? 0) - (two.index ?? 0)) ?? []
  const [first] = list
  const whole = first !== undefined && first.embedding.length > 0
  if (!whole || list.length !== count || list.some(({ embedding }) => embedding.length !== first.embedding.length)) {
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
  const masked = createLeakScan([apiKey]).mask(text.slice(0, maxReadChars))
  const told = printable(masked.slice(0, maxToldChars).replaceAll(/\s+/g, ' ').trim())
  const said = told === '' ? '' : ` It said: ${told}`
  if (status === 401 || status === 403) {
    return new AppError('model_unauthorized', `${host} wants another API key (${status}): set ${keyName}.${said}`)
  }
  if (status === 404) {
    return new AppError(
      'model_unknown',
      `${host} knows no embedding model "${model}", or the base URL is wrong (404).${said}`,
    )
  }
  // What these mean is wrong with the texts: too long, or nothing that can be read.
  const refused = status === 400 || status === 413 || status === 422
  const code = refused ? 'model_refused' : status === 429 ? 'model_rate_limited' : 'model_failed'
  return new AppError(code, `${host} made no embeddings with model "${model}" (${status}).${said}`)
}
