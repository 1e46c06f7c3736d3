// The `http` part of a capability file: the hosts that a tool may reach, and the credentials that the host adds.
import * as z from 'zod/mini'
import { coversPattern, type HostPattern, isAddressHost, readHostPattern, readUrl } from '#safety/urls.ts'
import { addressKind } from '#net/addresses.ts'
import { secretName } from './auth.ts'
import { entries, fields, integer, list, text } from './checked.ts'

/** Where a credential goes in a request. */
export type Location = z.output<typeof location>

type Http = ReturnType<typeof httpOf>
export type Credential = Http['credentials'][number]
export type RateLimit = Http['rateLimit']

/**
 * Headers that only the host sets: they frame a message, name its recipient, or make a server treat it as another method
 * or path than the one that was checked.
 */
export const reservedHeaders: readonly string[] = (
  'host content-length transfer-encoding connection keep-alive upgrade te trailer expect accept-encoding via forwarded ' +
  'proxy-authorization proxy-connection proxy-authenticate ' +
  'x-http-method-override x-http-method x-method-override x-original-url x-rewrite-url'
).split(' ')

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
const token = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/
/** The service stores every use within the window, so a high rate is expensive. */
const maxRate = 100_000
const maxTimeoutSecs = 300

const host = z.pipe(
  text({ example: 'api.example.com' }),
  z.transform((written, { issues }): HostPattern => {
    const pattern = readHostPattern(written)
    const fault = typeof pattern === 'string' ? `: ${pattern}` : addressFault(pattern)
    if (fault !== undefined) issues.push({ code: 'custom', message: fault, input: written })
    return typeof pattern === 'string' ? z.NEVER : pattern
  }),
)

const prefix = text({ pattern: /^\/(?![^]*[?#*\\])[\x21-\x7e]{0,300}$/, example: '/v1/' }).check(
  ({ value, issues }) => {
    const target = readUrl(`https://host.example${value}`)
    if (typeof target === 'string') issues.push({ code: 'custom', message: `: ${target}`, input: value })
  },
)

const method = z.pipe(
  z.transform((each: unknown) => (typeof each === 'string' ? each.toUpperCase() : each)),
  z.enum(methods, { error: `must be one of ${methods.join(', ')}` }),
)

const endpoint = fields({
  host,
  path_prefix: z.optional(prefix),
  methods: z
    ._default(list(method), [])
    .check(z.refine((all) => all.length > 0, { error: 'must name at least one method, such as ["GET"]' })),
})

const headerName = text({ pattern: token, example: 'X-Api-Key' }).check(
  z.refine((name) => !reservedHeaders.includes(name.toLowerCase()), {
    error: ({ input }) => `: only the host sets the header ${String(input)}`,
  }),
)

const locations = {
  bearer: fields({ type: z.literal('bearer') }),
  basic: fields({ type: z.literal('basic'), username: text({ pattern: /^[^:\r\n\0]*$/, example: 'api' }) }),
  header: fields({
    type: z.literal('header'),
    name: headerName,
    prefix: z._default(text({ pattern: /^[\x20-\x7e]*$/, example: '"Token "' }), ''),
  }),
  query_param: fields({
    type: z.literal('query_param'),
    name: text({ pattern: /^[A-Za-z0-9_.~-]{1,100}$/, example: 'api_key' }),
  }),
  url_path: fields({
    type: z.literal('url_path'),
    placeholder: z.pipe(
      text({ pattern: /^\{?[A-Za-z0-9_]{1,100}\}?$/, example: '{TOKEN}' }),
      z.transform((written: string) => written.replaceAll(/[{}]/g, '')),
    ),
  }),
}
const { bearer, basic, header, query_param, url_path } = locations
const location = z.discriminatedUnion('type', [bearer, basic, header, query_param, url_path], {
  error: `must be one of ${Object.keys(locations).join(', ')}`,
})

const credential = fields({
  secret_name: secretName,
  location,
  host_patterns: z
    ._default(list(host), [])
    .check(z.refine((all) => all.length > 0, { error: 'must name at least one host' })),
})

/** The `http` part of a file. */
export const httpSchema = fields({
  allowlist: z._default(list(endpoint), []),
  rate_limit: z.optional(
    fields({
      requests_per_minute: z.optional(integer(1, maxRate)),
      requests_per_hour: z.optional(integer(1, maxRate)),
    }),
  ),
  timeout_secs: z.optional(integer(1, maxTimeoutSecs)),
  credentials: z._default(entries(credential), {}),
}).check(({ value, issues }) => {
  for (const [name, { host_patterns: hosts }] of Object.entries(value.credentials)) {
    for (const [at, pattern] of hosts.entries()) {
      if (value.allowlist.some((each) => coversPattern(each.host, pattern))) continue
      const message = 'is not within http.allowlist: a credential only goes where the tool may go'
      issues.push({ code: 'custom', path: ['credentials', name, 'host_patterns', at], message, input: value })
    }
  }
})

/** The rights of the checked `http` part, with a warning for each entry that allows every path. */
export function httpOf(http: z.output<typeof httpSchema> | undefined) {
  const { allowlist = [], rate_limit: rate, timeout_secs: timeoutSecs, credentials = {} } = http ?? {}
  return {
    allowlist: allowlist.map((each) => ({
      host: each.host,
      pathPrefix: each.path_prefix ?? '/',
      methods: each.methods,
    })),
    rateLimit: { perMinute: rate?.requests_per_minute, perHour: rate?.requests_per_hour },
    timeoutSecs,
    credentials: Object.entries(credentials).map(([name, each]) => ({
      name,
      secretName: each.secret_name,
      location: each.location,
      hosts: each.host_patterns,
    })),
    warnings: allowlist.flatMap(({ path_prefix: written }, at) =>
      written === undefined ? [`http.allowlist[${at}].path_prefix is missing: every path of the host is allowed`] : [],
    ),
  }
}

function addressFault(pattern: HostPattern): string | undefined {
  const kind = isAddressHost(pattern.host) ? addressKind(pattern.host.replaceAll(/[[\]]/g, '')) : 'public'
  const forbidden = kind === 'metadata' || kind === 'link-local' || kind === 'reserved'
  return forbidden ? `is a ${kind} address, which no tool may reach` : undefined
}
