// The http part of a capability file: where a tool may go, and which credentials the host adds on the way.
import {
  coversPattern,
  type Endpoint,
  type HostPattern,
  isAddressHost,
  readHostPattern,
  readUrl,
} from '#safety/urls.ts'
import { addressKind } from '#net/addresses.ts'
import { secretName } from './auth.ts'
import { at, entries, fields, type Findings, items, text } from './checked.ts'

/** Where a credential goes in a request. */
export type Location =
  | { readonly type: 'bearer' }
  | { readonly type: 'basic'; readonly username: string }
  | { readonly type: 'header'; readonly name: string; readonly prefix: string }
  | { readonly type: 'query_param'; readonly name: string }
  | { readonly type: 'url_path'; readonly placeholder: string }

export type Credential = {
  readonly name: string
  readonly secretName: string
  readonly location: Location
  readonly hosts: readonly HostPattern[]
}

/**
 * Headers that frame a message, name its recipient, or make a server take it for another method or path than the one
 * that was judged: nobody but the host sets them.
 */
export const hostHeaders: readonly string[] = (
  'host content-length transfer-encoding connection keep-alive upgrade te trailer expect accept-encoding via forwarded ' +
  'proxy-authorization proxy-connection proxy-authenticate ' +
  'x-http-method-override x-http-method x-method-override x-original-url x-rewrite-url'
).split(' ')

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const token = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/
const locationKeys = {
  bearer: [],
  basic: ['username'],
  header: ['name', 'prefix'],
  query_param: ['name'],
  url_path: ['placeholder'],
} as const

export function readEndpoints(value: unknown, findings: Findings): Endpoint[] {
  return items(value, 'http.allowlist', findings).flatMap(([each, path]) => {
    const entry = fields(each, path, ['host', 'path_prefix', 'methods'], findings)
    const host = readHost(entry.host, `${path}.host`, findings)
    const pathPrefix = readPrefix(entry.path_prefix, `${path}.path_prefix`, findings)
    const verbs = readMethods(entry.methods, `${path}.methods`, findings)
    return host && pathPrefix !== undefined ? [{ host, pathPrefix, methods: verbs }] : []
  })
}

export function readCredentials(value: unknown, allowlist: readonly Endpoint[], findings: Findings): Credential[] {
  return entries(value, 'http.credentials', findings).flatMap(([name, each, path]) => {
    const entry = fields(each, path, ['secret_name', 'location', 'host_patterns'], findings)
    const secret = text(entry.secret_name, `${path}.secret_name`, findings, secretName)
    const location = readLocation(entry.location, `${path}.location`, findings)
    const patterns = items(entry.host_patterns, `${path}.host_patterns`, findings)
    if (patterns.length === 0) findings.faults.push(`${path}.host_patterns must name at least one host`)
    const hosts = patterns.flatMap(([pattern, where]) => {
      const host = readHost(pattern, where, findings)
      if (!host) return []
      if (!allowlist.some((endpoint) => coversPattern(endpoint.host, host))) {
        findings.faults.push(`${where} is not within http.allowlist: a credential only goes where the tool may go`)
      }
      return [host]
    })
    return secret !== undefined && location ? [{ name, secretName: secret, location, hosts }] : []
  })
}

function readHost(value: unknown, path: string, findings: Findings): HostPattern | undefined {
  const written = text(value, path, findings, { like: 'api.example.com' })
  if (written === undefined) return undefined
  const pattern = readHostPattern(written)
  if (typeof pattern === 'string') {
    findings.faults.push(`${path}: ${pattern}`)
    return undefined
  }
  const kind = isAddressHost(pattern.host) ? addressKind(pattern.host.replaceAll(/[[\]]/g, '')) : 'public'
  if (kind === 'metadata' || kind === 'link-local' || kind === 'reserved') {
    findings.faults.push(`${path} is a ${kind} address, which no tool may reach`)
    return undefined
  }
  return pattern
}

function readPrefix(value: unknown, path: string, findings: Findings): string | undefined {
  if (value === undefined) {
    findings.warnings.push(`${path} is missing: every path of the host is allowed`)
    return '/'
  }
  const prefix = text(value, path, findings, { pattern: /^\/(?![^]*[?#*\\])[\x21-\x7e]{0,300}$/, like: '/v1/' })
  if (prefix === undefined) return undefined
  const target = readUrl(`https://host.example${prefix}`)
  if (typeof target === 'string') findings.faults.push(`${path}: ${target}`)
  return prefix
}

function readMethods(value: unknown, path: string, findings: Findings): string[] {
  const list = items(value, path, findings)
  if (list.length === 0) findings.faults.push(`${path} must name at least one method, such as ["GET"]`)
  return list.flatMap(([each, where]) => {
    const method = typeof each === 'string' ? each.toUpperCase() : ''
    if (methods.includes(method)) return [method]
    findings.faults.push(`${where} must be one of ${methods.join(', ')}`)
    return []
  })
}

function readLocation(value: unknown, path: string, findings: Findings): Location | undefined {
  const kinds = Object.keys(locationKeys) as (keyof typeof locationKeys)[]
  const type = kinds.find((kind) => kind === Reflect.get(Object(value) as object, 'type'))
  if (type === undefined) {
    findings.faults.push(`${at(path, 'type')} must be one of ${kinds.join(', ')}`)
    return undefined
  }
  const entry = fields(value, path, ['type', ...locationKeys[type]], findings)
  const part = (key: string, pattern: RegExp, like: string): string | undefined =>
    text(entry[key], at(path, key), findings, { pattern, like })
  switch (type) {
    case 'bearer':
      return { type }
    case 'basic': {
      const username = part('username', /^[^:\r\n\0]*$/, 'api')
      return username === undefined ? undefined : { type, username }
    }
    case 'header': {
      const name = part('name', token, 'X-Api-Key')
      const prefix = entry.prefix === undefined ? '' : part('prefix', /^[\x20-\x7e]*$/, '"Token "')
      if (name !== undefined && hostHeaders.includes(name.toLowerCase())) {
        findings.faults.push(`${path}.name: only the host sets the header ${name}`)
      }
      return name === undefined || prefix === undefined ? undefined : { type, name, prefix }
    }
    case 'query_param': {
      const name = part('name', /^[A-Za-z0-9_.~-]{1,100}$/, 'api_key')
      return name === undefined ? undefined : { type, name }
    }
    case 'url_path': {
      const placeholder = part('placeholder', /^\{?[A-Za-z0-9_]{1,100}\}?$/, '{TOKEN}')
      return placeholder === undefined ? undefined : { type, placeholder: placeholder.replaceAll(/[{}]/g, '') }
    }
    default:
      return type satisfies never
  }
}
