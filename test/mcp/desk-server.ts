// An MCP server over HTTP whose tool `whoami` needs a token of the issuer of the tests.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Issuer } from '../sandbox/auth/issuer.ts'

async function bodyOf(request: IncomingMessage): Promise<{ id?: number; method?: string }> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text === '' ? {} : (JSON.parse(text) as { id?: number; method?: string })
}

/** Returns its address. */
export async function openDesk(t: { after(end: () => unknown): void }, issuer: Pick<Issuer, 'url'>): Promise<string> {
  const server = createServer((request, response) => {
    void (async () => {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const json = (value: object, status = 200, headers: Record<string, string> = {}): void =>
        void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
      if (request.url?.startsWith('/.well-known/oauth-protected-resource')) {
        return json({ resource: `${url}/mcp`, authorization_servers: [issuer.url] })
      }
      const { id, method } = await bodyOf(request)
      // The issuer knows its tokens.
      const { authorization = '' } = request.headers
      const { status } = await fetch(`${issuer.url}/mcp`, { headers: { authorization } })
      if (status !== 200) return json({}, 401, { 'www-authenticate': 'Bearer scope="openid things"' })
      const serverInfo = { name: 'desk', version: '1' }
      if (method === 'initialize') {
        const result = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo }
        return json({ jsonrpc: '2.0', id, result })
      }
      if (method === 'tools/list') {
        return json({ jsonrpc: '2.0', id, result: { tools: [{ name: 'whoami', inputSchema: { type: 'object' } }] } })
      }
      if (method === 'tools/call') {
        return json({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'ada' }] } })
      }
      if (id === undefined) return void response.writeHead(202).end()
      json({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } })
    })()
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}
