// Adds credentials to an outgoing request. Pure.
import type { Outgoing } from '#net/dial.ts'
import { spellingsOf } from '#safety/secret-values.ts'
import { matchesHost, type Target } from '#safety/urls.ts'
import type { Credential, Location } from '#sandbox/package/http.ts'

/** The credentials for a request to this target. One of the path counts only when the path has its placeholder. */
export function credentialsFor(target: Target, credentials: readonly Credential[]): Credential[] {
  return credentials.filter(
    ({ hosts, location }) =>
      hosts.some((host) => matchesHost(host, target.host) && (host.port === undefined || host.port === target.port)) &&
      (location.type !== 'url_path' || hasPlaceholder(target.path, location.placeholder)),
  )
}

/** The request with the secret at its location. A value that the guest put there is replaced. */
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

/** Every spelling in which an answer could repeat the credential. */
export function echoesOf(location: Location, secret: string): string[] {
  const pair = location.type === 'basic' ? [basicPair(location.username, secret)] : []
  // A header loses the blanks at both ends of its value.
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

function hasPlaceholder(path: string, placeholder: string): boolean {
  return placeholderPattern(placeholder).test(path)
}

/** The placeholder needs no escaping: the capability file only allows letters, digits and underscores. */
function placeholderPattern(placeholder: string): RegExp {
  return new RegExp(`(?:\\{|%7B)${placeholder}(?:\\}|%7D)`, 'gi')
}
