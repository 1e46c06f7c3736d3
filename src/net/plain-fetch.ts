// A fetch for servers that the operator named: private addresses are allowed, redirects are not followed, and the
// answer is bounded in size, time and the JSON in it.
import { withDeadline } from '#lib/deadline.ts'
import { excessOf, type JsonBounds } from '#lib/json-bounds.ts'
import type { Dial } from './dial.ts'
import { parseTarget } from './fetch.ts'

const timeoutMs = 5_000
const maxAnswerBytes = 1024 * 1024
/** Whoever asks parses the answer at once. Thousands of keys fit. */
const jsonBounds: JsonBounds = { values: 50_000, names: 50_000, levels: 100 }

export type PlainRequest = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Throws if there is no answer. */
export type PlainFetch = (url: string, request?: PlainRequest) => Promise<Response>

export function createPlainFetch(dial: Dial): PlainFetch {
  return async (url, { method = 'GET', headers = {}, body } = {}) => {
    const target = parseTarget(url)
    if (typeof target === 'string') throw new Error(target)
    const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
    const request = {
      method,
      target,
      headers: new Map(lower),
      listed: true,
      ...(body !== undefined && { body: Buffer.from(body) }),
    }
    const never = new AbortController().signal
    const dialled = await withDeadline(timeoutMs, never, (signal) =>
      dial(request, { maxBytes: maxAnswerBytes, signal }),
    )
    if (dialled.type === 'fault') throw new Error(dialled.fault.message)
    const excess = excessOf(dialled.body, jsonBounds)
    if (excess) throw new Error(`the answer has more than ${excess}`)
    return new Response(new Uint8Array(dialled.body), { status: dialled.status, headers: [...dialled.headers] })
  }
}
