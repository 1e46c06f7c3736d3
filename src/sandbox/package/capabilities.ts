// The capability file: what a tool may reach and which secrets it needs. Written by whoever wrote the tool, so hostile
// until it is checked; whatever it does not name is not allowed.
import { isObject, type JsonObject } from '#core/json.ts'
import { asksForSecret } from '#safety/secrets.ts'
import type { Endpoint } from '#safety/urls.ts'
import { type Auth, readAuth, readRequiredSecrets, type RequiredSecret, secretName } from './auth.ts'
import { type Credential, readCredentials, readEndpoints } from './http.ts'
import { entries, type Fields, fields, type Findings, integer, isTooDeep, items, text } from './checked.ts'
import type { WitVersion } from './component.ts'
import { ToolFault } from '#sandbox/faults.ts'

/** An action that appears to the model as a tool of its own. */
export type Action = { readonly id: string; readonly description?: string; readonly params?: JsonObject }

type RateLimit = { readonly perMinute?: number; readonly perHour?: number }

export type Capabilities = {
  readonly version: string
  readonly witVersion: string
  readonly allowlist: readonly Endpoint[]
  readonly rateLimit: RateLimit
  readonly timeoutSecs?: number
  readonly credentials: readonly Credential[]
  readonly secretNames: readonly string[]
  readonly auth?: Auth
  readonly requiredSecrets: readonly RequiredSecret[]
  readonly actions: readonly Action[]
  /** Folders of the workspace that the tool may read. */
  readonly workspace: readonly string[]
  /** Other tools it may run: its own name for one, and the tool's. */
  readonly aliases: ReadonlyMap<string, string>
}

export type ReadCapabilities = { readonly capabilities: Capabilities; readonly warnings: readonly string[] }

const maxFileBytes = 64 * 1_024
const topKeys = ['version', 'wit_version', 'name', 'description', 'http', 'secrets', 'auth', 'setup', 'actions']
const httpKeys = ['allowlist', 'rate_limit', 'timeout_secs', 'credentials']
/** Each use within a window is remembered, so a rate costs the service in proportion. */
const maxRate = 100_000
const maxTimeoutSecs = 300
const actionId = /^[A-Za-z0-9][A-Za-z0-9_]{0,39}$/
const servedVersion = /^0\.(3|4)\.\d{1,5}$/

/** Reads the file. Throws capabilities_invalid with every fault and its path; warnings do not stop an installation. */
export function readCapabilities(source: string): ReadCapabilities {
  const findings: Findings = { faults: [], warnings: [] }
  const capabilities = read(parse(source), findings)
  if (findings.faults.length > 0) {
    throw new ToolFault('capabilities_invalid', `the capability file is not valid: ${findings.faults.join('; ')}`)
  }
  return { capabilities, warnings: findings.warnings }
}

/** What is suspicious about the schema of a tool: a parameter that would collect a credential from the model. */
export function schemaWarnings(schema: unknown): string[] {
  const names = new Set<string>()
  const visit = (value: unknown, depth: number): void => {
    if (depth > 12 || typeof value !== 'object' || value === null) return
    const properties: unknown = Array.isArray(value) ? undefined : Reflect.get(value, 'properties')
    if (isObject(properties)) for (const name of Object.keys(properties)) if (asksForSecret(name)) names.add(name)
    for (const each of Object.values(value)) visit(each, depth + 1)
  }
  visit(schema, 0)
  return [...names].slice(0, 20).map((name) => {
    return `the parameter ${JSON.stringify(name)} looks like a credential; secrets never go through params`
  })
}

/** Throws when the file was written for another interface than the component has. */
export function checkWitVersion({ witVersion }: Capabilities, component: WitVersion): void {
  if (witVersion === '' || witVersion.startsWith(`${component}.`)) return
  throw new ToolFault(
    'capabilities_invalid',
    `wit_version is ${witVersion}, but the component was built for near:agent ${component}.x`,
  )
}

function parse(source: string): unknown {
  if (Buffer.byteLength(source) > maxFileBytes) {
    throw new ToolFault('capabilities_invalid', `the capability file is over ${maxFileBytes} bytes`)
  }
  try {
    return JSON.parse(source) as unknown
  } catch (error) {
    const why = error instanceof Error ? error.message : ''
    throw new ToolFault('capabilities_invalid', `the capability file is not valid JSON: ${why}`, { cause: error })
  }
}

function read(value: unknown, findings: Findings): Capabilities {
  if (!isObject(value)) findings.faults.push('the file must hold a JSON object')
  const top = fields(isObject(value) ? value : {}, '', [...topKeys, 'workspace', 'tool_invoke'], findings)
  const http = fields(top.http, 'http', httpKeys, findings)
  const secrets = fields(top.secrets, 'secrets', ['allowed_names'], findings)
  const setup = fields(top.setup, 'setup', ['required_secrets'], findings)
  const allowlist = readEndpoints(http.allowlist, findings)
  const timeoutSecs = integer(http.timeout_secs, 'http.timeout_secs', findings, [1, maxTimeoutSecs])
  const auth = readAuth(top.auth, findings)
  return {
    version: readVersion(top, findings),
    witVersion: readWitVersion(top, findings),
    allowlist,
    rateLimit: readRateLimit(http.rate_limit, findings),
    ...(timeoutSecs !== undefined && { timeoutSecs }),
    credentials: readCredentials(http.credentials, allowlist, findings),
    secretNames: items(secrets.allowed_names, 'secrets.allowed_names', findings).flatMap(
      ([each, path]) => text(each, path, findings, secretName) ?? [],
    ),
    ...(auth && { auth }),
    requiredSecrets: readRequiredSecrets(setup.required_secrets, findings),
    actions: readActions(top.actions, findings),
    workspace: readWorkspace(top.workspace, findings),
    aliases: readAliases(top.tool_invoke, findings),
  }
}

function readVersion(top: Fields, findings: Findings): string {
  if (top.version === undefined) findings.warnings.push('version is missing')
  return text(top.version, 'version', findings, { optional: true }) ?? ''
}

function readWitVersion(top: Fields, findings: Findings): string {
  if (top.wit_version === undefined) findings.warnings.push('wit_version is missing; 0.3.0 is what this host serves')
  const options = { pattern: servedVersion, like: '0.3.0 (this host serves 0.3.x and 0.4.x)', optional: true }
  return text(top.wit_version, 'wit_version', findings, options) ?? ''
}

function readRateLimit(value: unknown, findings: Findings): RateLimit {
  const path = 'http.rate_limit'
  const limit = fields(value, path, ['requests_per_minute', 'requests_per_hour'], findings)
  const perMinute = integer(limit.requests_per_minute, `${path}.requests_per_minute`, findings, [1, maxRate])
  const perHour = integer(limit.requests_per_hour, `${path}.requests_per_hour`, findings, [1, maxRate])
  return { ...(perMinute !== undefined && { perMinute }), ...(perHour !== undefined && { perHour }) }
}

function readActions(value: unknown, findings: Findings): Action[] {
  const seen = new Set<string>()
  return items(value, 'actions', findings).flatMap(([each, path]) => {
    const action = fields(each, path, ['id', 'description', 'params'], findings)
    const id = text(action.id, `${path}.id`, findings, { pattern: actionId, like: 'get_repo' })
    const description = text(action.description, `${path}.description`, findings, { optional: true })
    if (action.params !== undefined && (!isObject(action.params) || isTooDeep(action.params))) {
      findings.faults.push(`${path}.params must be a JSON schema`)
    }
    if (id === undefined) return []
    if (seen.has(id)) findings.faults.push(`${path}.id is used twice`)
    seen.add(id)
    const params = isObject(action.params) ? (action.params as JsonObject) : undefined
    return [{ id, ...(description !== undefined && { description }), ...(params && { params }) }]
  })
}

function readWorkspace(value: unknown, findings: Findings): string[] {
  const { allowed_prefixes: prefixes } = fields(value, 'workspace', ['allowed_prefixes'], findings)
  return items(prefixes, 'workspace.allowed_prefixes', findings).flatMap(([each, path]) => {
    const options = { pattern: /^(?!\/)(?!.*(?:^|\/)\.\.?(?:\/|$))[^\\\p{C}]{1,200}\/$/u, like: 'notes/' }
    return text(each, path, findings, options) ?? []
  })
}

function readAliases(value: unknown, findings: Findings): Map<string, string> {
  const { aliases } = fields(value, 'tool_invoke', ['aliases'], findings)
  return new Map(
    entries(aliases, 'tool_invoke.aliases', findings).flatMap(([alias, tool, path]) => {
      const name = text(tool, path, findings, { pattern: /^[A-Za-z0-9_-]{1,64}$/, like: 'time' })
      return name === undefined ? [] : [[alias, name] as const]
    }),
  )
}
