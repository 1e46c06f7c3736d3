// An MCP server over HTTP that asks for a sign-in.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext } from 'node:test'

/** What a server tells without a token: its list. */
export function answerUnlocked({ id, method = '' }: { id?: number; method?: string }): object | undefined {
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'porch', version: '1' },
    },
    'notifications/initialized': {},
    'tools/list': { tools: [{ name: 'whoami', inputSchema: { type: 'object' } }] },
  }
  if (method === 'tools/call') return undefined
  const result = results[method]
  return { jsonrpc: '2.0', id, ...(result ? { result } : { error: { code: -32601, message: 'Method not found' } }) }
}

/** An MCP server that takes nobody without a token, but for what is unlocked, and its authorization server. */
export async function openLocked(t: TestContext, unlocked: typeof answerUnlocked = () => undefined): Promise<string> {
  let at = ''
  const server = createServer((request, response) => {
    const json = (value: object, status = 200): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    const { pathname } = new URL(request.url ?? '/', at)
    if (pathname.startsWith('/.well-known/oauth-protected-resource')) {
      json({ resource: `${at}/mcp`, authorization_servers: [at] })
    } else if (pathname.startsWith('/.well-known/')) {
      json({
        issuer: at,
        authorization_endpoint: `${at}/authorize`,
        token_endpoint: `${at}/token`,
        registration_endpoint: `${at}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
      })
    } else if (pathname === '/register') json({ client_id: 'a-client' }, 201)
    else if (pathname === '/authorize') response.end('Sign in')
    else if (request.method !== 'POST') response.writeHead(405).end()
    else {
      void text(request).then((body) => {
        const answer = unlocked(JSON.parse(body) as Parameters<typeof unlocked>[0])
        if (answer) json(answer)
        else json({}, 401)
      })
    }
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return at
}
