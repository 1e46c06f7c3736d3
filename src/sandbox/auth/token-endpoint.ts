// Asking a token endpoint: one request, by the rules for a tool's requests, with the client's own credentials.
import { withDeadline } from '#lib/deadline.ts'
import type { Dial, WireAnswer } from '#net/dial.ts'
import { readUrl, type Target } from '#safety/urls.ts'
import type { OAuth } from '#sandbox/package/auth.ts'
import { type Client, type Form, readTokens, type TokenFault, type Tokens } from './oauth.ts'

export type TokenParts = {
  readonly oauth: OAuth
  readonly client: Client
  readonly dial: Dial
  readonly now: () => number
  /** The refresh token so far: kept when the server sends no other. */
  readonly before?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** What one request may take. */
export const tokenRequestMs = 20_000
const maxAnswerBytes = 256 * 1_024
const never = new AbortController().signal

/** Asks for tokens. A fault whose code is `unreachable` says nothing about what was asked. */
export async function askForTokens(form: Form, parts: TokenParts): Promise<Tokens | TokenFault> {
  const { client } = parts
  const first = await post(form, parts, client.secret === undefined ? 'none' : 'basic')
  // Some servers only take a client's secret in the form; a code is not used up by a client they do not know.
  const refused = 'code' in first && (first.code === 'invalid_client' || first.code === 'http_401')
  return refused && client.secret !== undefined ? post(form, parts, 'form') : first
}

async function post(
  form: Form,
  { oauth, client, dial, now, before, signal = never }: TokenParts,
  by: 'none' | 'basic' | 'form',
): Promise<Tokens | TokenFault> {
  const target = readUrl(oauth.tokenUrl)
  if (typeof target === 'string') return { code: 'unreachable', message: target }
  const { id, secret = '' } = client
  const fields = { ...form, ...(by !== 'basic' && { client_id: id }), ...(by === 'form' && { client_secret: secret }) }
  const headers = new Map([
    ['content-type', 'application/x-www-form-urlencoded'],
    ['accept', 'application/json'],
    ['user-agent', 'atrium'],
    ...(by === 'basic' ? [['authorization', `Basic ${pair(id, secret)}`] as const] : []),
  ])
  const body = Buffer.from(new URLSearchParams(fields).toString())
  const dialled = await withDeadline(tokenRequestMs, signal, (either) =>
    dial(
      { method: 'POST', target: target satisfies Target, headers, body },
      { maxBytes: maxAnswerBytes, signal: either },
    ),
  )
  if (dialled.type === 'fault') return { code: 'unreachable', message: dialled.fault.message }
  return readTokens({ status: dialled.status, body: textOf(dialled) }, { now: now(), before })
}

/** RFC 6749: both halves are written as in a form before they are joined. */
function pair(id: string, secret: string): string {
  const spelled = (text: string): string => new URLSearchParams({ a: text }).toString().slice(2)
  return Buffer.from(`${spelled(id)}:${spelled(secret)}`).toString('base64')
}

function textOf({ body }: WireAnswer): string {
  return body.toString('utf8')
}
