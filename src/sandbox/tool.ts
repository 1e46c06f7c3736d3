// An installed component as tools of the agent: one, or one for each action of its capability file.
import type { Json, JsonObject } from '#core/json.ts'
import type { Tool, ToolContext } from '#core/tool.ts'
import { printable } from '#safety/printable.ts'
import type { Capabilities } from '#sandbox/package/capabilities.ts'
import { ToolFault } from './faults.ts'

/** A component that can be called. */
export type InstalledTool = {
  readonly name: string
  readonly sha256: string
  readonly folder: string
  readonly capabilities: Capabilities
  readonly schema: JsonObject
  readonly description: string
}

export type Call = {
  readonly params: string
  readonly context?: string
  readonly callId: string
  readonly signal?: AbortSignal
}

/** Runs one call to its output. Throws a fault; one of code tool_error carries the tool's own text. */
export type Execute = (tool: InstalledTool, call: Call) => Promise<string>

const maxTitleChars = 100
const safeMethods = ['GET', 'HEAD']

/** What the agent sees of an installed component. */
export function agentTools(tool: InstalledTool, execute: Execute): Tool[] {
  const { name, capabilities, schema, description } = tool
  const effects = effectsOf(capabilities)
  const make = (spec: Tool['spec'], context?: string): Tool => ({
    spec,
    effects,
    repeatable: effects === 'read',
    untrusted: true,
    run: (args: Json, { callId, signal }: ToolContext) =>
      execute(tool, { params: JSON.stringify(args), callId, signal, ...(context !== undefined && { context }) }),
  })
  if (capabilities.actions.length === 0) return [make({ name, description, parameters: schema })]
  return capabilities.actions.map((action) =>
    make(
      {
        name: `${name}_${action.id}`,
        description: action.description ?? description,
        parameters: action.params ?? schema,
      },
      JSON.stringify({ capability_id: `${name}.${action.id}` }),
    ),
  )
}

/** A tool that can only GET changes nothing; whatever else it may send is a write. */
export function effectsOf({ allowlist, aliases }: Pick<Capabilities, 'allowlist' | 'aliases'>): 'read' | 'write' {
  const reads = allowlist.every(({ methods }) => methods.every((method) => safeMethods.includes(method)))
  return reads && aliases.size === 0 ? 'read' : 'write'
}

/** Why a name cannot be a tool's; undefined when it can. */
export function toolNameFault(name: string, actions: Capabilities['actions'] = []): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name)) {
    return 'a tool is named by a letter, then letters, digits, _ or -, at most 64 in all'
  }
  const names = [name, ...agentNames(name, actions)]
  const reserved = names.find((each) => /^(?:memory|mission|skill)_/.test(nameKey(each)))
  if (reserved) return `${reserved}: names that start with memory_, mission_ or skill_ are reserved`
  const long = names.find((each) => each.length > 64)
  return long && `the name of its action, ${long}, would be longer than 64 characters`
}

/** The names under which a component appears to the model. */
export function agentNames(name: string, actions: Capabilities['actions']): string[] {
  return actions.length === 0 ? [name] : actions.map(({ id }) => `${name}_${id}`)
}

/** The same for names that a model or a person takes for one another. */
export function nameKey(name: string): string {
  return name.toLowerCase().replaceAll('-', '_')
}

/** The message of a call that lacks a secret: it names the secret and the command that sets it. */
export function missingCredential({ name, capabilities }: InstalledTool, secret: string): ToolFault {
  const byAuth = capabilities.auth?.secretName === secret
  const command = byAuth ? `atrium tool auth ${name}` : `atrium tool setup ${name}`
  const title = byAuth ? capabilities.auth?.displayName : undefined
  // The author's words in a message of the service: short, and on its one line.
  const what = title === undefined ? '' : ` (${printable(title.slice(0, maxTitleChars))})`
  return new ToolFault(
    'credential_missing',
    `${name} needs the secret ${secret}${what}, which is not set: run \`${command}\` and try again`,
    { secret },
  )
}
