// What servers say about how to sign in, by tables.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  readChallenge,
  readRegistration,
  readResourceMetadata,
  ownServer,
  readServerMetadata,
  registrationBody,
  resourceMetadataUrls,
  scopesFor,
  type ServerMetadata,
  serverMetadataUrls,
} from '#oauth/metadata.ts'
import { fake } from '../fake.ts'

const challenges: readonly [header: string | undefined, challenge: object][] = [
  [undefined, {}],
  ['', {}],
  ['Basic realm="x"', {}],
  ['Bearer', {}],
  ['Bearer resource_metadata="https://a.example/m"', { metadataUrl: 'https://a.example/m' }],
  ['bearer RESOURCE_METADATA=https://a.example/m', { metadataUrl: 'https://a.example/m' }],
  [
    'Bearer realm="a, b=\\"c\\"", error="invalid_token", scope="read write", resource_metadata="https://a.example/m"',
    { metadataUrl: 'https://a.example/m', scopes: ['read', 'write'] },
  ],
  ['Basic realm="bearer", Bearer scope="read"', { scopes: ['read'] }],
  ['Bearer scope="read", Basic realm="x"', { scopes: ['read'] }],
  ['Bearer scope="one", scope="two"', { scopes: ['one'] }],
  ['Bearer scope="a\u0001 ok"', { scopes: ['ok'] }],
  [`Bearer scope="${'x'.repeat(20_000)}"`, {}],
]
test('the challenge of a 401 is read by its parameters', () => {
  for (const [header, challenge] of challenges) assert.deepEqual(readChallenge(header), challenge, header ?? 'none')
})

test('metadata is looked for at the path, then at the host', () => {
  const base = 'https://a.example/.well-known'
  assert.deepEqual(resourceMetadataUrls('https://a.example/mcp/x?y=1'), [
    `${base}/oauth-protected-resource/mcp/x?y=1`,
    `${base}/oauth-protected-resource`,
  ])
  assert.deepEqual(resourceMetadataUrls('https://a.example/'), [`${base}/oauth-protected-resource`])
  assert.deepEqual(serverMetadataUrls('https://a.example/t1'), [
    `${base}/oauth-authorization-server/t1`,
    `${base}/openid-configuration/t1`,
    'https://a.example/t1/.well-known/openid-configuration',
  ])
  assert.equal(
    serverMetadataUrls('https://a.example/t//1//')[2],
    'https://a.example/t//1/.well-known/openid-configuration',
  )
  assert.deepEqual(serverMetadataUrls('https://a.example/'), [
    `${base}/oauth-authorization-server`,
    `${base}/openid-configuration`,
  ])
})

const asked = 'https://a.example/mcp/x'
const issuer = 'https://id.example'
const resources: readonly [what: string, resource: unknown, servers: unknown, found: string | RegExp][] = [
  ['the address', asked, [issuer], asked],
  ['a path above it', 'https://a.example/mcp', [issuer], 'https://a.example/mcp'],
  ['the host', 'https://a.example', [issuer], 'https://a.example'],
  ['the beginning of a path', 'https://a.example/mc', [issuer], /another resource/],
  ['a path below it', `${asked}/y`, [issuer], /another resource/],
  ['another host', 'https://b.example/mcp/x', [issuer], /another resource/],
  ['another port', 'https://a.example:8443/mcp/x', [issuer], /another resource/],
  ['another scheme', 'http://a.example/mcp/x', [issuer], /another resource/],
  ['nothing', undefined, [issuer], /another resource/],
  ['no server', asked, [], /no authorization server/],
  ['a server without https', asked, ['http://id.example:81'], /PRIVATE_HOSTS can allow id\.example:81/],
  ['a server with a long address', asked, [`${issuer}/${'/'.repeat(2_048)}a`], /no authorization server/],
  ['a server with a password', asked, ['https://u:p@id.example'], /no authorization server/],
]
for (const [what, resource, servers, found] of resources) {
  test(`metadata of a resource with ${what}`, () => {
    const read = readResourceMetadata(JSON.stringify({ resource, authorization_servers: servers }), asked, [])
    if (typeof found === 'string') assert.deepEqual(read, { resource: found, issuers: [[issuer]], scopes: [] })
    else assert.match(JSON.stringify(read), found)
  })
}

const server = {
  issuer,
  authorization_endpoint: `${issuer}/auth`,
  token_endpoint: `${issuer}/token`,
  code_challenge_methods_supported: ['plain', 'S256'],
}
test('metadata of a server is read, with what it offers', () => {
  const plain = {
    issuer,
    authorizationUrl: `${issuer}/auth`,
    tokenUrl: `${issuer}/token`,
    sendsIssuer: false,
    scopes: [],
    clientAuth: ['client_secret_basic'],
  }
  const read = (more: object) => readServerMetadata(JSON.stringify({ ...server, ...more }), [issuer], [])
  assert.deepEqual(read({}), plain)
  const more = {
    registration_endpoint: `${issuer}/reg`,
    authorization_response_iss_parameter_supported: true,
    scopes_supported: ['a', 1, 'b c'],
    token_endpoint_auth_methods_supported: ['none'],
  }
  const registrationUrl = `${issuer}/reg`
  assert.deepEqual(read(more), { ...plain, registrationUrl, sendsIssuer: true, scopes: ['a'], clientAuth: ['none'] })
})

const wrongServers: readonly [what: string, body: unknown, why: RegExp][] = [
  ['another issuer', { ...server, issuer: 'https://evil.example' }, /another issuer/],
  ['the same issuer with a slash', { ...server, issuer: `${issuer}/` }, /another issuer/],
  ['no issuer', { ...server, issuer: undefined }, /another issuer/],
  ['no token endpoint', { ...server, token_endpoint: undefined }, /no endpoints/],
  ['a token endpoint without https', { ...server, token_endpoint: 'http://id.example/token' }, /no endpoints/],
  ['a script for an endpoint', { ...server, authorization_endpoint: 'javascript:alert(1)' }, /no endpoints/],
  ['no PKCE', { ...server, code_challenge_methods_supported: ['plain'] }, /PKCE/],
  ['a silence about PKCE', { ...server, code_challenge_methods_supported: undefined }, /PKCE/],
  ['a list', [server], /not a JSON object/],
]
for (const [what, body, why] of wrongServers) {
  test(`metadata of a server is refused: ${what}`, () => {
    assert.match(readServerMetadata(JSON.stringify(body), [issuer], []) as string, why)
  })
}

test('plain http is taken from a host and port that the operator named', () => {
  const home = 'http://id.home:8080'
  const body = JSON.stringify({
    ...server,
    issuer: home,
    authorization_endpoint: `${home}/a`,
    token_endpoint: `${home}/t`,
  })
  assert.match(readServerMetadata(body, [home], []) as string, /no endpoints/)
  assert.match(readServerMetadata(body, [home], ['id.home:81']) as string, /no endpoints/)
  assert.equal((readServerMetadata(body, [home], ['id.home:8080']) as ServerMetadata).tokenUrl, `${home}/t`)
  assert.equal((readServerMetadata(body, [home], ['id.home']) as ServerMetadata).tokenUrl, `${home}/t`)
})

test('scopes are those of the challenge, else of the resource; a refresh token is asked for where it is offered', () => {
  const offers = (scopes: string[]) => fake<ServerMetadata>({ scopes })
  const resource = { resource: '', issuers: [], scopes: ['all'] }
  assert.deepEqual(scopesFor({ scopes: ['one'] }, resource, offers([])), ['one'])
  assert.deepEqual(scopesFor({}, resource, offers(['offline_access'])), ['all', 'offline_access'])
  assert.deepEqual(scopesFor({ scopes: ['offline_access'] }, resource, offers(['offline_access'])), ['offline_access'])
})

test('a client is registered as a public one where the server takes it', () => {
  const at = (clientAuth: string[]) =>
    registrationBody(['http://127.0.0.1/callback'], fake<ServerMetadata>({ clientAuth }), []).token_endpoint_auth_method
  assert.equal(at(['client_secret_basic', 'none']), 'none')
  assert.equal(at(['client_secret_post', 'client_secret_basic']), 'client_secret_basic')
  assert.equal(at(['private_key_jwt']), 'none')
})

const registrations: readonly [status: number, body: string, client: object | RegExp][] = [
  [201, '{"client_id":"c"}', { id: 'c' }],
  [200, '{"client_id":"c","client_secret":"s"}', { id: 'c', secret: 's' }],
  [201, '{"client_id":""}', /no client id/],
  [201, 'null', /no client id/],
  [400, '{"error":"invalid_redirect_uri"}', /invalid_redirect_uri/],
  [403, 'no', /answered 403/],
]
test('the answer to a registration is a client or a reason', () => {
  for (const [status, body, client] of registrations) {
    const read = readRegistration({ status, body })
    if (client instanceof RegExp) assert.match(read as string, client)
    else assert.deepEqual(read, client)
  }
})

test('the issuer of a server without metadata may end with a slash or not; no other is taken', () => {
  const { resource, issuers } = ownServer('https://a.example/mcp/x?y=1#z')
  assert.equal(resource, 'https://a.example/mcp/x?y=1')
  const [asked = ['']] = issuers
  const read = (named: string) =>
    readServerMetadata(
      JSON.stringify({
        issuer: named,
        authorization_endpoint: 'https://a.example/auth',
        token_endpoint: 'https://a.example/token',
        code_challenge_methods_supported: ['S256'],
      }),
      asked,
      [],
    )
  for (const named of ['https://a.example', 'https://a.example/'])
    assert.equal((read(named) as ServerMetadata).issuer, named)
  for (const named of ['https://a.example//', 'https://b.example', 'https://a.example/mcp'])
    assert.equal(read(named), 'its metadata names another issuer')
})
