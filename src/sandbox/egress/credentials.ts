// Adding credentials to a request on its way out. Pure: the secret comes in, the request that carries it goes out.
import type { Outgoing } from '#net/dial.ts'
import { spellingsOf } from '#safety/secret-values.ts'
import { matchesHost, type Target } from '#safety/urls.ts'
import type { Credential, Location } from '#sandbox/package/http.ts'

/** The credentials that belong to a request to this target. One that stands in the path only counts where it is named. */
export function credentialsFor(target: Target, credentials: readonly Credential[]): Credential[] {
  return credentials.filter(
    ({ hosts, location }) =>
      hosts.some((host) => matchesHost(host, target.host) && (host.port === undefined || host.port === target.port)) &&
      (location.type !== 'url_path' || holdsPlaceholder(target.path, location.placeholder)),
  )
}

/** The request with the secret in its place. Whatever the guest had put there is replaced. */
export function inject(request: Outgoing, location: Location, secret: string): Outgoing {
  switch (location.type) {
    case 'bearer':
      return withHeader(request, 'authorization', `Bearer ${secret}`)
    case 'basic':
      return withHeader(request, 'authorization', `Basic ${basicPair(location.username, secret)}`)
    case 'header':
      return withHeader(request, location.name.toLowerCase(), `${location.prefix}${secret}`)
    case 'query_param':
      return {
        ...request,
        target: { ...request.target, query: withParam(request.target.query, location.name, secret) },
      }
    case 'url_path': {
      const path = request.target.path.replaceAll(placeholderPattern(location.placeholder), () =>
        encodeURIComponent(secret),
      )
      return { ...request, target: { ...request.target, path } }
    }
    default:
      return location satisfies never
  }
}

/** Every spelling under which an answer could carry the credential back. */
export function echoesOf(location: Location, secret: string): string[] {
  const pair = location.type === 'basic' ? [basicPair(location.username, secret)] : []
  // Blanks at its ends are lost on the way in a header.
  return [...new Set([...pair, ...spellingsOf(secret), ...spellingsOf(secret.trim())])]
}

function withHeader(request: Outgoing, name: string, value: string): Outgoing {
  return { ...request, headers: new Map([...request.headers, [name, value]]) }
}

function basicPair(username: string, secret: string): string {
  return Buffer.from(`${username}:${secret}`, 'utf8').toString('base64')
}

function withParam(query: string, name: string, secret: string): string {
  const kept = query
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && decoded(pair.split('=')[0] ?? '') !== name)
  return `?${[...kept, `${name}=${encodeURIComponent(secret)}`].join('&')}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

function holdsPlaceholder(path: string, placeholder: string): boolean {
  return placeholderPattern(placeholder).test(path)
}

/** The name was checked when the file was read: letters, digits and underscores. */
function placeholderPattern(placeholder: string): RegExp {
  return new RegExp(`(?:\\{|%7B)${placeholder}(?:\\}|%7D)`, 'gi')
}
