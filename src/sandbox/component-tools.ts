// Turns an installed component into tools of the agent: one tool, or one for each action of its capability file.
import { AppError, type Credential } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import { byteLength, type JsonObject } from '#core/json.ts'
import { nameKey, toolNameFault } from '#core/tool-names.ts'
import type { Tool, ToolContext } from '#core/tool.ts'
import { printable } from '#safety/printable.ts'
import type { Capabilities } from '#sandbox/package/capabilities.ts'
import { ToolFault } from './sandbox-fault.ts'

/** A component with its own schema and description. */
export type DescribedTool = {
  readonly name: string
  readonly sha256: string
  readonly capabilities: Capabilities
  readonly schema: JsonObject
  readonly description: string
}

/** A component whose code is in a folder of the cache, so it can be called. */
export type InstalledTool = DescribedTool & { readonly folder: string }

export type Call = {
  readonly params: string
  readonly context?: string
  readonly callId: string
  /** The user whose secrets and files the call may use. */
  readonly user: UserId
  readonly signal?: AbortSignal
  /** The call counts as reading: it may only read, even if the capability file allows more. */
  readonly readOnly?: boolean
  /** The tool that runs this one; undefined if the model called it. */
  readonly by?: string | undefined
  /** The skills that the turn has loaded. */
  readonly skills?: ToolContext['skills']
  /** The only tools of the service that the turn may use; all if absent. */
  readonly serviceTools?: ToolContext['serviceTools']
  readonly reportUse?: ToolContext['reportUse']
}

/** Runs a call and returns its output. Throws a ToolFault; the code tool_error carries the tool's own message. */
export type Execute = (call: Call) => Promise<string>

const maxTitleChars = 100
/** Schemas of all actions of a component: every prompt has them. */
const maxOfferedBytes = 128 * 1024
const safeMethods = ['GET', 'HEAD']

/** The agent's tools of an installed component. */
export function agentTools({ name, capabilities, schema, description }: DescribedTool, execute: Execute): Tool[] {
  const secrets = [...new Set(capabilities.credentials.map(({ secretName }) => secretName))]
  const make = (spec: Tool['spec'], effects: 'read' | 'write', context?: string): Tool => ({
    spec,
    of: name,
    ...(secrets.length > 0 && { secrets }),
    effects,
    repeatable: effects === 'read',
    untrusted: true,
    run: (args, { user, callId, signal, reportUse, by, skills, serviceTools }: ToolContext) =>
      execute({
        params: args,
        user,
        callId,
        signal,
        by,
        readOnly: effects === 'read',
        ...(skills && { skills }),
        ...(serviceTools && { serviceTools }),
        ...(reportUse && { reportUse }),
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
      JSON.stringify(contextOf(name, action)),
    ),
  )
}

/** Tells a component which of its actions is called. */
export function contextOf(name: string, { id }: Pick<Capabilities['actions'][number], 'id'>): JsonObject {
  return { capability_id: `${name}.${id}` }
}

/** `read` for a component that can only send GET and HEAD and call no other tools, else `write`. */
export function effectsOf({ allowlist, aliases }: Pick<Capabilities, 'allowlist' | 'aliases'>): 'read' | 'write' {
  const reads = allowlist.every(({ methods }) => methods.every((method) => safeMethods.includes(method)))
  return reads && aliases.size === 0 ? 'read' : 'write'
}

/** The policy rows of a component's calls, the usual one first. */
export function componentRows(capabilities: Capabilities): readonly ['read' | 'write', ...('read' | 'write')[]] {
  const effects = effectsOf(capabilities)
  const reads = capabilities.actions.filter(({ readOnly }) => readOnly).length
  if (effects === 'read' || (reads > 0 && reads === capabilities.actions.length)) return ['read']
  return reads > 0 ? ['write', 'read'] : ['write']
}

/** Reduces capabilities to those of a call that only reads. */
export function readOnlyCapabilities(capabilities: Capabilities): Capabilities {
  const allowlist = capabilities.allowlist.map((each) => ({
    ...each,
    methods: each.methods.filter((method) => safeMethods.includes(method)),
  }))
  return { ...capabilities, allowlist, aliases: new Map() }
}

/** Why the name of a component or of one of its actions is not allowed; undefined if all are. */
export function componentNameFault(name: string, actions: Capabilities['actions']): string | undefined {
  const names = agentNames(name, actions)
  const fault = [name, ...names].map(toolNameFault).find((each) => each !== undefined)
  if (fault !== undefined) return fault
  const twice = names.find((each, at) => names.findIndex((other) => nameKey(other) === nameKey(each)) !== at)
  return twice && `${twice} would be the name of two of its actions`
}

/** Why the schemas of a component are too large for a prompt; undefined if they fit. An action without `params` has the component's. */
export function schemaSizeFault(schema: JsonObject, actions: Capabilities['actions']): string | undefined {
  const bytes = byteLength(JSON.stringify(schema))
  const own = actions.reduce((sum, { params }) => sum + (params ? byteLength(JSON.stringify(params)) : bytes), 0)
  if (own <= maxOfferedBytes) return undefined
  return `the schemas of its ${actions.length} actions have ${own} bytes together, at most ${maxOfferedBytes}: give each action params of its own`
}

/** The names under which a component appears to the model. */
export function agentNames(name: string, actions: Capabilities['actions']): string[] {
  return actions.length === 0 ? [name] : actions.map(({ id }) => `${name}_${id}`)
}

/** The fault of a call that lacks a secret. It names the secret and the command that sets it. */
export function missingCredential(tool: DescribedTool, secret: string): ToolFault {
  const { credential, titleWords } = signInOf(tool, secret)
  const message = `${tool.name} needs the secret ${secret}${titleWords}, which is not set: run \`${credential.command}\` and try again`
  return new ToolFault('credential_missing', message, { credential })
}

/** The fault of a call whose secret the server behind the tool refused with 401. */
export function refusedCredential(tool: DescribedTool, secret: string): ToolFault {
  const { credential, titleWords } = signInOf(tool, secret)
  const message = `the service behind ${tool.name} refused the secret ${secret}${titleWords} (401): run \`${credential.command}\` to sign in again`
  return new ToolFault('credential_refused', message, { credential: { ...credential, refused: true } })
}

function signInOf({ name, capabilities: { auth } }: DescribedTool, secret: string) {
  const byAuth = auth?.secretName === secret
  // The component's author chose the title: cut it, and keep it on one line.
  const title = byAuth && auth.displayName ? printable(auth.displayName.slice(0, maxTitleChars)) : undefined
  const command = `atrium tool ${byAuth ? 'auth' : 'setup'} ${name}`
  const credential: Credential = { tool: name, secret, ...(title !== undefined && { title }), command }
  return { credential, titleWords: title === undefined ? '' : ` (${title})` }
}

/** Converts a fault of the sandbox to an AppError. A credential fault keeps its details, since the agent loop acts on them. */
export function asAppError(error: unknown): unknown {
  if (!(error instanceof ToolFault)) return error
  const { message, credential } = error
  return credential
    ? new AppError('credential_missing', message, { cause: error, credential })
    : new AppError('tool_refused', message, { cause: error })
}
