// Requests tokens from a token endpoint, with the credentials of the OAuth client.
import { withDeadline } from '#lib/deadline.ts'
import type { Dial } from '#net/dial.ts'
import { readUrl } from '#safety/urls.ts'
import { type Client, type Form, type OAuthServer, readTokens, type TokenFault, type Tokens } from './messages.ts'

export type TokenParts = {
  readonly oauth: Pick<OAuthServer, 'tokenUrl'>
  readonly client: Client
  readonly dial: Dial
  readonly now: () => number
  /** The current refresh token, kept when the server sends no new one. */
  readonly before?: string | undefined
}

/** Deadline of one request. */
export const tokenRequestMs = 20_000
const maxAnswerBytes = 256 * 1_024
const never = new AbortController().signal

/** Requests tokens. A fault with code `unreachable` says nothing about the code or refresh token in the form. */
export async function requestTokens(form: Form, parts: TokenParts): Promise<Tokens | TokenFault> {
  const { client } = parts
  const first = await post(form, parts, client.secret === undefined ? 'none' : 'basic')
  // Some servers take a client's secret only in the form. A refused client has not used up the code.
  const refused = 'code' in first && (first.code === 'invalid_client' || first.code === 'http_401')
  return refused && client.secret !== undefined ? post(form, parts, 'form') : first
}

async function post(
  form: Form,
  { oauth, client, dial, now, before }: TokenParts,
  clientAuth: 'none' | 'basic' | 'form',
): Promise<Tokens | TokenFault> {
  const target = readUrl(oauth.tokenUrl)
  if (typeof target === 'string') return { code: 'unreachable', message: target }
  const { id, secret = '' } = client
  const fields = {
    ...form,
    ...(clientAuth !== 'basic' && { client_id: id }),
    ...(clientAuth === 'form' && { client_secret: secret }),
  }
  const headers = new Map([
    ['content-type', 'application/x-www-form-urlencoded'],
    ['accept', 'application/json'],
    ['user-agent', 'atrium'],
    ...(clientAuth === 'basic' ? [['authorization', `Basic ${basicValue(id, secret)}`] as const] : []),
  ])
  const body = Buffer.from(new URLSearchParams(fields).toString())
  const dialled = await withDeadline(tokenRequestMs, never, (signal) =>
    dial({ method: 'POST', target, headers, body }, { maxBytes: maxAnswerBytes, signal }),
  )
  if (dialled.type === 'fault') return { code: 'unreachable', message: dialled.fault.message }
  return readTokens({ status: dialled.status, body: dialled.body.toString('utf8') }, { now: now(), before })
}

/** The value of Basic authentication. RFC 6749: id and secret are form-encoded before they are joined. */
function basicValue(id: string, secret: string): string {
  const encoded = (text: string): string => new URLSearchParams({ a: text }).toString().slice(2)
  return Buffer.from(`${encoded(id)}:${encoded(secret)}`).toString('base64')
}
