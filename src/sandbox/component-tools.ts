// An installed component as tools of the agent: one, or one for each action of its capability file.
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { JsonObject } from '#core/json.ts'
import { nameKey, toolNameFault } from '#core/tool-names.ts'
import type { Tool, ToolContext } from '#core/tool.ts'
import { printable } from '#safety/printable.ts'
import type { Capabilities } from '#sandbox/package/capabilities.ts'
import { ToolFault } from './sandbox-fault.ts'

/** A component with what it says of itself. */
export type DescribedTool = {
  readonly name: string
  readonly sha256: string
  readonly capabilities: Capabilities
  readonly schema: JsonObject
  readonly description: string
}

/** One whose code lies in a folder of the cache: it can be called. */
export type InstalledTool = DescribedTool & { readonly folder: string }

export type Call = {
  readonly params: string
  readonly context?: string
  readonly callId: string
  /** Whose secrets and files it may use. */
  readonly user: UserId
  readonly signal?: AbortSignal
  /** It counts as reading: whatever the file allows beyond, it may only look. */
  readonly readOnly?: boolean
  /** The tool that runs this one, where the model does not. */
  readonly by?: string | undefined
  readonly used?: ToolContext['used']
}

/** Runs one call to its output. Throws a fault; one of code tool_error carries the tool's own text. */
export type Execute = (call: Call) => Promise<string>

const maxTitleChars = 100
const safeMethods = ['GET', 'HEAD']

/** What the agent sees of an installed component. */
export function agentTools({ name, capabilities, schema, description }: DescribedTool, execute: Execute): Tool[] {
  const secrets = [...new Set(capabilities.credentials.map(({ secretName }) => secretName))]
  const make = (spec: Tool['spec'], effects: 'read' | 'write', context?: string): Tool => ({
    spec,
    of: name,
    ...(secrets.length > 0 && { secrets }),
    effects,
    repeatable: effects === 'read',
    untrusted: true,
    run: (args, { user, callId, signal, used, by }: ToolContext) =>
      execute({
        params: args,
        user,
        callId,
        signal,
        by,
        readOnly: effects === 'read',
        ...(used && { used }),
        ...(context !== undefined && { context }),
      }),
  })
  const effects = effectsOf(capabilities)
  if (capabilities.actions.length === 0) return [make({ name, description, parameters: schema }, effects)]
  return capabilities.actions.map((action) =>
    make(
      {
        name: `${name}_${action.id}`,
        description: action.description ?? description,
        parameters: action.params ?? schema,
      },
      action.readOnly ? 'read' : effects,
      JSON.stringify({ capability_id: `${name}.${action.id}` }),
    ),
  )
}

/** A tool that can only GET changes nothing; whatever else it may send is a write. */
export function effectsOf({ allowlist, aliases }: Pick<Capabilities, 'allowlist' | 'aliases'>): 'read' | 'write' {
  const reads = allowlist.every(({ methods }) => methods.every((method) => safeMethods.includes(method)))
  return reads && aliases.size === 0 ? 'read' : 'write'
}

/** The rows of the policy that a component's calls are under, the usual one first. */
export function componentRows(capabilities: Capabilities): readonly ['read' | 'write', ...('read' | 'write')[]] {
  const effects = effectsOf(capabilities)
  const reads = capabilities.actions.filter(({ readOnly }) => readOnly).length
  if (effects === 'read' || (reads > 0 && reads === capabilities.actions.length)) return ['read']
  return reads > 0 ? ['write', 'read'] : ['write']
}

/** What is left of a file's rights for a call that only looks. */
export function onlyLooking(capabilities: Capabilities): Capabilities {
  const allowlist = capabilities.allowlist.map((each) => ({
    ...each,
    methods: each.methods.filter((method) => safeMethods.includes(method)),
  }))
  return { ...capabilities, allowlist, aliases: new Map() }
}

/** Why a component cannot have a name, its own or one of its actions'; undefined when it can. */
export function componentNameFault(name: string, actions: Capabilities['actions']): string | undefined {
  const names = agentNames(name, actions)
  const fault = [name, ...names].map(toolNameFault).find((each) => each !== undefined)
  if (fault !== undefined) return fault
  const twice = names.find((each, at) => names.findIndex((other) => nameKey(other) === nameKey(each)) !== at)
  return twice && `${twice} would be the name of two of its actions`
}

/** The names under which a component appears to the model. */
export function agentNames(name: string, actions: Capabilities['actions']): string[] {
  return actions.length === 0 ? [name] : actions.map(({ id }) => `${name}_${id}`)
}

/** The message of a call that lacks a secret: it names the secret and the command that sets it. */
export function missingCredential(tool: DescribedTool, secret: string): ToolFault {
  const { title, what, command } = wayTo(tool, secret)
  const message = `${tool.name} needs the secret ${secret}${what}, which is not set: run \`${command}\` and try again`
  return new ToolFault('credential_missing', message, { secret, tool: tool.name, title, command })
}

/** The same for one that the server behind the tool answered with 401. */
export function refusedCredential(tool: DescribedTool, secret: string): ToolFault {
  const { title, what, command } = wayTo(tool, secret)
  const message = `the service behind ${tool.name} refused the secret ${secret}${what} (401): run \`${command}\` to sign in again`
  return new ToolFault('credential_refused', message, { secret, tool: tool.name, title, command })
}

type Way = { readonly title: string | undefined; readonly what: string; readonly command: string }

function wayTo({ name, capabilities: { auth } }: DescribedTool, secret: string): Way {
  const byAuth = auth?.secretName === secret
  // The author's words in a message of the service: short, and on its one line.
  const title = byAuth && auth.displayName ? printable(auth.displayName.slice(0, maxTitleChars)) : undefined
  return {
    title,
    what: title === undefined ? '' : ` (${title})`,
    command: `atrium tool ${byAuth ? 'auth' : 'setup'} ${name}`,
  }
}

/** A fault of the sandbox in the words of the house; one of a credential keeps its code, since the loop acts on it. */
export function asAppError(error: unknown): unknown {
  if (!(error instanceof ToolFault)) return error
  const { code, message, secret, tool, title, command } = error
  if (code !== 'credential_missing' && code !== 'credential_refused') {
    return new AppError('tool_refused', message, { cause: error })
  }
  if (secret === undefined || tool === undefined) return new AppError('credential_missing', message, { cause: error })
  const credential = {
    tool,
    secret,
    ...(title !== undefined && { title }),
    ...(code === 'credential_refused' && { refused: true as const }),
    ...(command !== undefined && { command }),
  }
  return new AppError('credential_missing', message, { cause: error, credential })
}
