// Sessions of the older era over HTTP. A server that was started anew, or has tidied up, knows them no more.

/** The server no longer knows the session. It did not take the request, which can go out again in a new one. */
export class SessionOver extends Error {
  /** The refusal, as the errors of the client package carry it. */
  readonly data: { readonly status: number; readonly text: string }

  constructor(data: SessionOver['data']) {
    super('the session is over')
    this.data = data
  }
}

/** What the protocol says of a session that the server does not know. Servers made after the examples of its SDK say 400. */
export const unknownSession = 404
const badRequest = 400

/** Tells whether a 400 means the session or the request: each server answers a ping in a session that it knows. */
export const pingText = JSON.stringify({ jsonrpc: '2.0', id: 'session', method: 'ping' })

/** True if an answer may say that its session is over. */
export function isRefusedInSession({ method, headers }: RequestInit, { status }: { readonly status: number }): boolean {
  const isRefusal = status === unknownSession || status === badRequest
  return isRefusal && method === 'POST' && new Headers(headers).has('mcp-session-id')
}
