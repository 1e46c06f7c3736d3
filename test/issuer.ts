// A real OpenID issuer for tests, with people, a client, keys that can be changed, and a browser that signs in there.
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { lookup } from 'node:dns/promises'
import type { TestContext } from 'node:test'
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import { Provider } from 'oidc-provider'
import { createServer } from '#lib/http.ts'
import { createDial } from '#net/dial.ts'
import { createPlainFetch } from '#net/plain-fetch.ts'

export const clientId = 'atrium'
export const clientSecret = 'a-secret-of-the-client+/='

/** What the issuer knows of its people, by their subject. */
const people: Readonly<Record<string, object>> = {
  ann: { email: 'Ann@Example.com', email_verified: true, preferred_username: 'annie' },
  bea: { email: 'bea@example.com', email_verified: false, preferred_username: 'bea' },
  cem: { email: 'cem@elsewhere.test', email_verified: true },
}

export type TestIssuer = {
  readonly url: string
  /** Signs claims with the issuer's key of now, or with another. */
  sign(claims: JWTPayload, with_?: Signing): Promise<string>
  /** New keys in place of the ones before. */
  rotate(): Promise<void>
  readonly publicKey: () => JWK
  /** How often a path was asked for. */
  asked(path: string): number
  close(): Promise<void>
}

type Signing = { readonly alg?: string; readonly key?: CryptoKey | Uint8Array; readonly kid?: string }

export const fetchIssuer = createPlainFetch(createDial({ lookup: (host) => lookup(host, { all: true }) }))

export async function openIssuer(t: TestContext, redirectUris: () => readonly string[]): Promise<TestIssuer> {
  // It says at length that it should not be used like this.
  t.mock.method(console, 'warn', () => {})
  t.mock.method(console, 'info', () => {})
  let listener: RequestListener = (_request, response) => response.writeHead(503).end()
  const paths: string[] = []
  const server = createServer((request, response) => {
    paths.push(request.url?.split('?')[0] ?? '')
    listener(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const url = `http://127.0.0.1:${port}`
  let privateKey: CryptoKey
  let publicJwk: JWK
  let serial = 0

  async function rotate(): Promise<void> {
    const pair = await generateKeyPair('ES256', { extractable: true })
    privateKey = pair.privateKey
    const kid = `key-${++serial}`
    publicJwk = { ...(await exportJWK(pair.publicKey)), kid, alg: 'ES256', use: 'sig' }
    listener = providerOf(url, { ...(await exportJWK(privateKey)), kid, alg: 'ES256', use: 'sig' }, redirectUris())
  }

  await rotate()
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  t.after(close)
  return {
    url,
    rotate,
    close,
    publicKey: () => publicJwk,
    asked: (path) => paths.filter((each) => each === path).length,
    sign(claims, { alg = 'ES256', key = privateKey, kid = publicJwk.kid ?? '' } = {}) {
      return new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(key)
    },
  }
}

function providerOf(url: string, key: JWK, redirectUris: readonly string[]): RequestListener {
  const provider = new Provider(url, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [...redirectUris],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ['of the tests'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['preferred_username'] },
    pkce: { required: () => true },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, ...people[id] }),
    }),
    features: { devInteractions: { enabled: true } },
  })
  const answer = provider.callback()
  return (request, response) => void answer(request, response)
}

/** A browser: cookies by host, redirects followed by hand. */
export function createBrowser() {
  const jar = new Map<string, Map<string, string>>()

  type Fields = Readonly<Record<string, string>>

  async function go(address: string, form?: Fields, headers: Fields = {}): Promise<Response> {
    const { host } = new URL(address)
    const cookies = jar.get(host) ?? new Map<string, string>()
    jar.set(host, cookies)
    const response = await fetch(address, {
      redirect: 'manual',
      headers: {
        ...headers,
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        connection: 'close',
      },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const at = pair.indexOf('=')
      cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    return response
  }

  /** Goes where it is led, signs in as somebody when asked, and stops before the address that `until` names. */
  async function signIn(from: string, login: string, until: (address: string) => boolean): Promise<string> {
    let address = from
    let form: Record<string, string> | undefined
    for (let hops = 0; hops < 20; hops++) {
      const response = await go(address, form)
      form = undefined
      const location = response.headers.get('location')
      if (location !== null) {
        address = new URL(location, address).href
        if (until(address)) return address
        continue
      }
      const page = await response.text()
      const action = /<form[^>]*action="([^"]+)"/.exec(page)?.[1]
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1]
      if (!action || !prompt) throw new Error(`${response.status} at ${address}: ${page.slice(0, 300)}`)
      address = new URL(action, address).href
      form = prompt === 'login' ? { prompt, login, password: 'x' } : { prompt }
    }
    throw new Error('too many hops')
  }

  return { go, signIn, cookies: (host: string) => jar.get(host) ?? new Map<string, string>() }
}
