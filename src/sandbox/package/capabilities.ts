// The capability file: what a tool may reach and which secrets it needs. The tool's author writes it, so it is hostile until
// checked. A right that it does not name is denied.
import * as z from 'zod/mini'
import { isObject, type JsonObject } from '#core/json.ts'
import { asksForSecret } from '#safety/secret-values.ts'
import type { Endpoint } from '#safety/urls.ts'
import { type Auth, authOf, authSchema, type RequiredSecret, requiredSecret, secretName } from './auth.ts'
import { entries, fields, flag, list, readChecked, text } from './checked.ts'
import { type Credential, httpOf, httpSchema, type RateLimit } from './http.ts'
import type { WitVersion } from './component.ts'
import { ToolFault } from '#sandbox/sandbox-fault.ts'

/** An action, which the model sees as a separate tool. */
export type Action = {
  readonly id: string
  readonly description?: string | undefined
  readonly params?: JsonObject | undefined
  /** True when the host only lets it send GET and HEAD. */
  readonly readOnly?: boolean | undefined
}

export type Capabilities = {
  readonly version: string
  readonly witVersion: string
  readonly allowlist: readonly Endpoint[]
  readonly rateLimit: RateLimit
  readonly timeoutSecs?: number | undefined
  readonly credentials: readonly Credential[]
  readonly secretNames: readonly string[]
  readonly auth?: Auth | undefined
  readonly requiredSecrets: readonly RequiredSecret[]
  readonly actions: readonly Action[]
  /** Folders of the workspace that the tool may read. */
  readonly workspace: readonly string[]
  /** Other tools that it may invoke: tool name by alias. */
  readonly aliases: ReadonlyMap<string, string>
}

export type ReadCapabilities = { readonly capabilities: Capabilities; readonly warnings: readonly string[] }

export const maxCapabilityFileBytes = 64 * 1_024
/** `schemaWarnings` looks no deeper than this. */
const maxScanDepth = 12
const supportedVersion = /^0\.(3|4)\.\d{1,5}$/

const schema = fields({
  version: z.optional(text()),
  wit_version: z.optional(text({ pattern: supportedVersion, example: '0.3.0 (this host serves 0.3.x and 0.4.x)' })),
  name: z.optional(z.unknown()),
  description: z.optional(z.unknown()),
  http: z.optional(httpSchema),
  secrets: z.optional(fields({ allowed_names: z._default(list(secretName), []) })),
  auth: z.optional(authSchema),
  setup: z.optional(fields({ required_secrets: z._default(list(requiredSecret), []) })),
  actions: z._default(
    list(
      fields({
        id: text({ pattern: /^[A-Za-z0-9][A-Za-z0-9_]{0,39}$/, example: 'get_repo' }),
        description: z.optional(text()),
        params: z.optional(z.custom<JsonObject>(isObject, { error: 'must be a JSON schema' })),
        read_only: z.optional(flag()),
      }),
    ),
    [],
  ),
  workspace: z.optional(
    fields({
      allowed_prefixes: z._default(
        list(text({ pattern: /^(?!\/)(?!.*(?:^|\/)\.\.?(?:\/|$))[^\\\p{C}]{1,200}\/$/u, example: 'notes/' })),
        [],
      ),
    }),
  ),
  tool_invoke: z.optional(
    fields({ aliases: z._default(entries(text({ pattern: /^[A-Za-z0-9_-]{1,64}$/, example: 'time' })), {}) }),
  ),
}).check(({ value: { actions }, issues }) => {
  const ids = actions.map(({ id }) => id)
  for (const [at, id] of ids.entries()) {
    if (ids.indexOf(id) === at) continue
    issues.push({ code: 'custom', path: ['actions', at, 'id'], message: 'is used twice', input: id })
  }
})

/** Reads the file. Throws capabilities_invalid with every fault and its path. Warnings do not stop an installation. */
export function readCapabilities(source: string): ReadCapabilities {
  const value = parse(source)
  const checked = isObject(value) ? readChecked(schema, value) : { faults: ['the file must be a JSON object'] }
  if ('faults' in checked) {
    throw new ToolFault('capabilities_invalid', `the capability file is not valid: ${checked.faults.join('; ')}`)
  }
  const { data, warnings } = checked
  const { warnings: httpWarnings, ...http } = httpOf(data.http)
  return {
    capabilities: {
      version: data.version ?? '',
      witVersion: data.wit_version ?? '',
      ...http,
      secretNames: data.secrets?.allowed_names ?? [],
      auth: data.auth && authOf(data.auth),
      requiredSecrets: data.setup?.required_secrets ?? [],
      actions: data.actions.map(({ read_only: readOnly, ...action }) => ({ ...action, readOnly })),
      workspace: data.workspace?.allowed_prefixes ?? [],
      aliases: new Map(Object.entries(data.tool_invoke?.aliases ?? {})),
    },
    warnings: [
      ...(data.version === undefined ? ['version is missing'] : []),
      ...(data.wit_version === undefined ? ['wit_version is missing; 0.3.0 is what this host serves'] : []),
      ...warnings,
      ...httpWarnings,
    ],
  }
}

/** Warnings for parameters of a schema that would collect a credential from the model. */
export function schemaWarnings(schema: unknown): string[] {
  const names = new Set<string>()
  const visit = (value: unknown, depth: number): void => {
    if (depth > maxScanDepth || typeof value !== 'object' || value === null) return
    const properties: unknown = Array.isArray(value) ? undefined : Reflect.get(value, 'properties')
    if (isObject(properties)) for (const name of Object.keys(properties)) if (asksForSecret(name)) names.add(name)
    for (const each of Object.values(value)) visit(each, depth + 1)
  }
  visit(schema, 0)
  return [...names].slice(0, 20).map((name) => {
    return `the parameter ${JSON.stringify(name)} looks like a credential; secrets never go through params`
  })
}

/** Throws when the file declares another interface version than the component has. */
export function checkWitVersion({ witVersion }: Capabilities, component: WitVersion): void {
  if (witVersion === '' || witVersion.startsWith(`${component}.`)) return
  throw new ToolFault(
    'capabilities_invalid',
    `wit_version is ${witVersion}, but the component was built for near:agent ${component}.x: write ${component}.0`,
  )
}

function parse(source: string): unknown {
  if (Buffer.byteLength(source) > maxCapabilityFileBytes) {
    throw new ToolFault('capabilities_invalid', `the capability file is over ${maxCapabilityFileBytes} bytes`)
  }
  try {
    return JSON.parse(source) as unknown
  } catch (error) {
    const why = error instanceof Error ? error.message : ''
    throw new ToolFault('capabilities_invalid', `the capability file is not valid JSON: ${why}`, { cause: error })
  }
}
