// OAuth callback of a sign-in on this machine: a server on the loopback address, for one response.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from '#lib/http.ts'

export type Callback = {
  /** The redirect URI for the authorization request. */
  readonly redirectUri: string
  /** Resolves with the full callback URL once one arrives with this state. Other requests are refused. */
  returned(state: string): Promise<string>
  close(): void
}

const path = '/callback'
const page = (text: string): string =>
  `<!doctype html><meta charset="utf-8"><title>Atrium</title><p>${text}</p><p>You can close this window.</p>`

export async function openCallback(): Promise<Callback> {
  const { promise, resolve } = Promise.withResolvers<string>()
  let expected: string | undefined
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo
    const url = URL.parse(request.url ?? '', `http://127.0.0.1:${port}`)
    const ours = request.headers.host === `127.0.0.1:${port}` && request.method === 'GET' && url?.pathname === path
    const fits = ours && expected !== undefined && url.searchParams.get('state') === expected
    response.setHeader('content-security-policy', "default-src 'none'")
    response.setHeader('referrer-policy', 'no-referrer')
    response.writeHead(fits ? 200 : 400, { 'content-type': 'text/html; charset=utf-8', connection: 'close' })
    response.end(
      page(fits ? 'Thank you. The terminal goes on.' : 'This is not the end of the sign-in that is under way.'),
    )
    if (fits) resolve(url.href)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    redirectUri: `http://127.0.0.1:${port}${path}`,
    returned(state) {
      expected = state
      return promise
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
