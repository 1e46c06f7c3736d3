// Finds out how to sign in to a resource, by its own word and that of its authorization server, and registers a client.
import { AppError } from '#core/errors.ts'
import { withDeadline } from '#lib/deadline.ts'
import type { Dial, WireAnswer } from '#net/dial.ts'
import { parseTarget } from '#net/fetch.ts'
import { guardedDial } from '#net/guarded-dial.ts'
import { originOf } from '#safety/urls.ts'
import type { OAuthServer } from './messages.ts'
import {
  type Challenge,
  ownServer,
  type PrivateHosts,
  readChallenge,
  readRegistration,
  readResourceMetadata,
  readServerMetadata,
  type RegisteredClient,
  registrationBody,
  type ResourceMetadata,
  resourceMetadataUrls,
  scopesFor,
  type ServerMetadata,
  serverMetadataUrls,
} from './metadata.ts'

const requestMs = 10_000
const maxAnswerBytes = 256 * 1024

export type Discovered = {
  readonly oauth: OAuthServer
  readonly server: ServerMetadata
}

export type DiscoverParts = {
  readonly dial: Dial
  readonly privateHosts: PrivateHosts
  readonly signal: AbortSignal
}

/** How to sign in to the resource at a URL. `challenge` is what its 401 said. Throws tool_refused with the reason. */
export async function discover(url: string, challenge: Challenge, parts: DiscoverParts): Promise<Discovered> {
  const resource = await findResource(url, challenge, parts)
  const server = await findServer(resource, parts)
  const oauth: OAuthServer = {
    authorizationUrl: server.authorizationUrl,
    tokenUrl: server.tokenUrl,
    issuer: server.issuer,
    mayOmitIssuer: !server.sendsIssuer,
    scopes: scopesFor(challenge, resource, server),
    usePkce: true,
    extraParams: new Map(),
    resource: resource.resource,
  }
  return { oauth, server }
}

/** The answer of a resource to a request without a token. */
export async function askChallenge(url: string, parts: DiscoverParts): Promise<Challenge> {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }))
  const answer = await send(url, parts, { method: 'POST', body })
  if (typeof answer === 'string') throw new AppError('tool_refused', answer)
  return readChallenge(answer.headers.get('www-authenticate'))
}

/** Registers a client. Throws tool_refused if the server offers no registration, or refuses it. */
export async function register(
  { server, oauth }: Discovered,
  redirectUris: readonly string[],
  parts: DiscoverParts,
): Promise<RegisteredClient> {
  const { issuer, registrationUrl } = server
  if (registrationUrl === undefined) {
    const wayOut = 'register one there, then run `atrium mcp auth NAME --client-id ID`'
    throw new AppError('tool_refused', `${issuer} registers no clients by itself: ${wayOut}`)
  }
  const body = Buffer.from(JSON.stringify(registrationBody(redirectUris, server, oauth.scopes)))
  const answer = await send(registrationUrl, parts, { method: 'POST', body })
  const client = typeof answer === 'string' ? answer : readRegistration(textOf(answer))
  if (typeof client === 'string') throw new AppError('tool_refused', `${issuer} made no client: ${client}`)
  return client
}

/**
 * The metadata that the challenge names comes first. It must be on the host of the resource. A resource of the older era
 * has none: its host is its own authorization server.
 */
async function findResource(url: string, { metadataUrl }: Challenge, parts: DiscoverParts): Promise<ResourceMetadata> {
  if (metadataUrl !== undefined && originAt(metadataUrl) !== originAt(url)) {
    throw new AppError(
      'tool_refused',
      `the server at ${url} names metadata on another host: ${metadataUrl.slice(0, 200)}`,
    )
  }
  const found = await firstOf(
    metadataUrl === undefined ? resourceMetadataUrls(url) : [metadataUrl],
    (body) => readResourceMetadata(body, url, parts.privateHosts),
    parts,
  )
  if (typeof found === 'object') return found
  if (found === absent) return ownServer(url)
  throw new AppError('tool_refused', `the server at ${url} does not say how to sign in: ${faultOf(found)}`)
}

async function findServer({ issuers }: ResourceMetadata, parts: DiscoverParts): Promise<ServerMetadata> {
  const [asked = ['']] = issuers
  const [issuer] = asked
  const read = (body: string) => readServerMetadata(body, asked, parts.privateHosts)
  const found = await firstOf(serverMetadataUrls(issuer), read, parts)
  if (typeof found === 'object') return found
  throw new AppError('tool_refused', `the authorization server ${issuer} cannot be used: ${faultOf(found)}`)
}

const absent = Symbol('no document')

function faultOf(found: string | typeof absent): string {
  return found === absent ? 'it has no metadata' : found
}

/** The first document that can be read. A document that was found and is wrong ends the search. */
async function firstOf<T extends object>(
  urls: readonly string[],
  read: (body: string) => T | string,
  parts: DiscoverParts,
): Promise<T | string | typeof absent> {
  let fault: string | typeof absent = absent
  for (const url of urls) {
    const answer = await send(url, parts, { method: 'GET' })
    if (typeof answer === 'string') fault = answer
    else if (answer.status === 200) return read(textOf(answer).body)
    else if (answer.status !== 404) fault = `${new URL(url).pathname} answered ${answer.status}`
  }
  return fault
}

async function send(
  url: string,
  { dial, privateHosts, signal }: DiscoverParts,
  { method, body }: { method: string; body?: Buffer },
): Promise<WireAnswer | string> {
  const target = parseTarget(url)
  if (typeof target === 'string') return target
  const headers = new Map([
    ['accept', 'application/json, text/event-stream'],
    ['user-agent', 'atrium'],
    ...(body ? [['content-type', 'application/json'] as const] : []),
  ])
  const dialled = await withDeadline(requestMs, signal, (either) =>
    guardedDial(dial, privateHosts)(
      { method, target, headers, ...(body && { body }) },
      { maxBytes: maxAnswerBytes, signal: either },
    ),
  )
  signal.throwIfAborted()
  return dialled.type === 'fault' ? dialled.fault.message : dialled
}

function textOf({ status, body }: WireAnswer): { status: number; body: string } {
  return { status, body: body.toString('utf8') }
}

function originAt(url: string): string | undefined {
  const target = parseTarget(url)
  return typeof target === 'string' ? undefined : originOf(target)
}
