// A real OAuth server for tests (oidc-provider) on a free port, and the service behind it, which only takes that server's
// tokens.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { browse } from './browser.ts'

const clientId = 'a-tool'
export const clientSecret = 'a-client-secret-of-the-tests'

export type Issuer = {
  readonly url: string
  /** The capability file of a tool that signs in here. */
  capabilities(more?: object): Capabilities
  /** Follows a sign-in link as a browser would, and gives the address that it ends at. Nothing is sent there. */
  signIn(link: string): Promise<string>
  /** How often tokens were asked for by a refresh token. */
  refreshes(): number
  /** The bodies of what the token endpoint was sent. */
  readonly asked: URLSearchParams[]
  /** Ends every sign-in at the server. */
  revokeAll(): Promise<void>
  /** Takes an access token no more. */
  revoke(accessToken: string): Promise<void>
  /** Loses a client that it has registered. */
  forgetClient(id: string): Promise<void>
  /** Sets how the token endpoint answers a refresh; undefined lets the server do it. */
  breakRefresh(status: number | undefined): void
  close(): Promise<void>
}

export type Capabilities = {
  readonly version: string
  readonly wit_version: string
  readonly http: { readonly allowlist: readonly object[]; readonly credentials: object }
  readonly auth: { readonly oauth: Readonly<Record<string, unknown>> }
}

export type IssuerOptions = {
  readonly secret?: boolean
  readonly authMethod?: 'client_secret_basic' | 'client_secret_post'
  readonly accessSecs?: number
  /** Gives another refresh token with every refresh. */
  readonly rotate?: boolean
  /** Answers whom it registers clients for. Without it there is no registration. */
  readonly registers?: boolean
  /** Status of the resource's metadata where the resource does not name it: 404 is a server of the older era. */
  readonly unnamedMetadata?: number
}

export async function openIssuer({
  secret = true,
  authMethod = 'client_secret_basic',
  accessSecs = 3_600,
  rotate = false,
  registers = false,
  unnamedMetadata,
}: IssuerOptions = {}): Promise<Issuer> {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const configuration = {
    clients: [
      {
        client_id: clientId,
        ...(secret && { client_secret: clientSecret }),
        redirect_uris: [`${url}/never`],
        application_type: 'native',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: secret ? authMethod : 'none',
      },
    ],
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: registers },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_: unknown, resource: string) => ({
          scope: 'things',
          audience: resource,
          accessTokenFormat: 'opaque',
          accessTokenTTL: accessSecs,
        }),
        useGrantedResource: () => true,
      },
    },
    pkce: { required: () => true },
    rotateRefreshToken: rotate,
    issueRefreshToken: () => Promise.resolve(true),
    ttl: { AccessToken: accessSecs, RefreshToken: 86_400, Session: 600, Grant: 86_400, Interaction: 600 },
    scopes: ['offline_access', 'things'],
  }
  const provider = new Provider(url, configuration)
  // A native client may come back to any port of the loopback address; the test asks for exactly that.
  provider.Client.prototype.redirectUriAllowed = (uri) =>
    /^http:\/\/127\.0\.0\.1:\d+\/(callback|api\/(?:tools|mcp)\/oauth\/callback)$/.test(uri)
  const handle = provider.callback()
  const asked: URLSearchParams[] = []
  let broken: number | undefined
  server.on('request', (request, response) => {
    const path = request.url ?? ''
    if (path.startsWith('/things')) {
      void holds(provider, request).then((good) => {
        response.writeHead(good ? 200 : 401, { 'content-type': 'application/json' })
        response.end(JSON.stringify(good ? { things: 3 } : { error: 'who are you?' }))
      })
      return
    }
    if (path === '/mcp') {
      void holds(provider, request).then((good) => {
        const metadata = `${url}/.well-known/oauth-protected-resource/mcp`
        const named = unnamedMetadata === undefined ? `resource_metadata="${metadata}", ` : ''
        const challenge = `Bearer ${named}scope="openid things"`
        response.writeHead(good ? 200 : 401, good ? {} : { 'www-authenticate': challenge })
        response.end('{}')
      })
      return
    }
    if (unnamedMetadata !== undefined && path.startsWith('/.well-known/oauth-protected-resource')) {
      response.writeHead(unnamedMetadata).end()
      return
    }
    if (path === '/.well-known/oauth-protected-resource/mcp') {
      const metadata = { resource: `${url}/mcp`, authorization_servers: [url] }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata))
      return
    }
    if (path.startsWith('/token') && request.method === 'POST') {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const form = new URLSearchParams(Buffer.concat(chunks).toString())
        asked.push(form)
        if (broken !== undefined && form.get('grant_type') === 'refresh_token') {
          response.writeHead(broken).end('{}')
          return
        }
        Object.assign(request, { body: Object.fromEntries(form) })
        void handle(request, response)
      })
      return
    }
    void handle(request, response)
  })
  return {
    url,
    asked,
    capabilities: (more = {}) => ({
      version: '1.0.0',
      wit_version: '0.3.0',
      http: {
        allowlist: [{ host: new URL(url).host, path_prefix: '/things', methods: ['GET'] }],
        credentials: {
          main: { secret_name: 'things_token', location: { type: 'bearer' }, host_patterns: [new URL(url).host] },
        },
      },
      auth: {
        secret_name: 'things_token',
        display_name: 'Things',
        oauth: {
          authorization_url: `${url}/auth`,
          token_url: `${url}/token`,
          client_id: clientId,
          ...(secret && { client_secret_env: 'THINGS_CLIENT_SECRET' }),
          scopes: ['openid', 'offline_access', 'things'],
          extra_params: { prompt: 'consent' },
        },
        ...more,
      },
    }),
    signIn: (link) => browse(link, url),
    refreshes: () => asked.filter((form) => form.get('grant_type') === 'refresh_token').length,
    async revokeAll() {
      for (const form of asked) {
        const token = form.get('refresh_token')
        const found = token === null ? undefined : await provider.RefreshToken.find(token)
        await found?.destroy()
      }
    },
    async revoke(accessToken) {
      await (await provider.AccessToken.find(accessToken))?.destroy()
    },
    forgetClient: (id) => provider.Client.adapter.destroy(id),
    breakRefresh(status) {
      broken = status
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function holds(provider: Provider, { headers }: IncomingMessage): Promise<boolean> {
  const token = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1]
  return token !== undefined && (await provider.AccessToken.find(token)) !== undefined
}
