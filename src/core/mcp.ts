// MCP servers as the operator configured them, their tools as they are pinned, and their store.
import type { ToolTrial } from './admin.ts'
import { AppError } from './errors.ts'
import type { UserId } from './ids.ts'
import type { JsonObject } from './json.ts'
import type { StartedSignIn } from './tool-access.ts'

export const maxServerNameChars = 32
/** Servers that one home can have. */
export const maxServers = 100

/** The effect of a tool's calls, as the operator set it. A tool that is `off` is not offered. */
export type McpEffect = 'read' | 'write' | 'off'

/**
 * How a server is reached. A value of `env` and `headers` names where the real one is: a sealed secret, or a variable of
 * the service's environment (`$NAME`).
 */
export type McpTarget =
  | {
      readonly kind: 'stdio'
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
    }
  | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }

/** A server's claims about a tool's behaviour. They are shown to people and never trusted. */
export type McpHints = {
  readonly title?: string
  readonly readOnly?: boolean
  readonly destructive?: boolean
  readonly idempotent?: boolean
  readonly openWorld?: boolean
}

/** A tool as the server describes it. */
export type OfferedTool = {
  readonly name: string
  readonly description: string
  readonly schema: JsonObject
  readonly hints?: McpHints
}

/** A tool of a server's list. `refused` says why it cannot be offered. */
export type ListedTool = OfferedTool | { readonly name: string; readonly refused: string }

export type McpTool = {
  /** The server's own name for it. */
  readonly name: string
  /** The model's name for it. */
  readonly as: string
  readonly effect: McpEffect
  /** As it was at first sight, or when the operator last reviewed it. Absent if it was refused at first sight. */
  readonly pinned?: OfferedTool
  /** The server's current description, if it differs from the pinned one; `gone` if the tool is no longer listed. */
  readonly changed?: OfferedTool | 'gone'
  /** Why the tool cannot be offered as the server sends it now. */
  readonly refused?: string
}

export type McpServer = {
  readonly name: string
  readonly target: McpTarget
  /** All users have its tools, not only the operator. */
  readonly everyone: boolean
  /** The server's words about its use: shown to people, never part of a prompt. */
  readonly instructions: string
  readonly tools: readonly McpTool[]
}

/** Throws not_found. */
export function serverNamed<Server extends Pick<McpServer, 'name'>>(servers: readonly Server[], name: string): Server {
  const server = servers.find((each) => each.name === name)
  if (!server) throw noServer(name)
  return server
}

export function noServer(name: string): AppError {
  return new AppError('not_found', `no MCP server is named ${name}: see \`atrium mcp list\``)
}

/** A tool is offered to the model only if it is `on`. */
export type McpToolStatus = 'on' | 'off' | 'changed' | 'refused'

export function statusOf({ effect, changed, refused }: McpTool): McpToolStatus {
  if (refused !== undefined) return 'refused'
  if (changed !== undefined) return 'changed'
  return effect === 'off' ? 'off' : 'on'
}

export type McpChanges = Partial<Pick<McpServer, 'everyone' | 'instructions' | 'tools'>>

export interface McpStore {
  /** All servers with their tools, by name. */
  list(): Promise<readonly McpServer[]>
  /** Adds a server. Throws invalid_input if the name is taken or there are too many servers. */
  add(server: McpServer): Promise<void>
  /**
   * Changes a server: `decide` gets it as it is stored, and returns what to change. If another process changes it meanwhile,
   * `decide` is asked again. Nothing is written, and no process notified, if it returns nothing. Throws not_found.
   */
  change(
    name: string,
    decide: (server: McpServer) => McpChanges | undefined | Promise<McpChanges | undefined>,
  ): Promise<McpServer>
  remove(name: string): Promise<boolean>
}

/** A server as people see it. */
export type McpServerView = {
  readonly name: string
  readonly kind: McpTarget['kind']
  /** The command line or the URL. */
  readonly address: string
  readonly everyone: boolean
  readonly status: 'idle' | 'starting' | 'ready' | 'failed' | 'sign_in'
  readonly error?: string
  readonly instructions: string
  readonly tools: readonly McpToolView[]
}

export type McpToolView = {
  readonly name: string
  readonly as: string
  readonly description: string
  readonly effect: McpEffect
  readonly status: McpToolStatus
  readonly schema: JsonObject
  readonly hints?: McpHints
  /** The change since it was pinned, and its name. */
  readonly difference?: string
  readonly change?: string
  readonly refused?: string
}

/** The result of importing the servers of another client's configuration. */
export type McpImport = {
  readonly added: readonly {
    readonly name: string
    /** Its name in the file, if that did not fit. */
    readonly was?: string
    readonly tools: number
    /** How many of them the model is offered. */
    readonly on: number
    /** Why it could not be started. */
    readonly fault?: string
    /** Names of secrets that were sealed. */
    readonly sealed: readonly string[]
    /** Secrets that are missing, each with what its value is. */
    readonly missing: readonly { readonly secret: string; readonly for: string }[]
    readonly notes: readonly string[]
  }[]
  readonly left: readonly { readonly name: string; readonly why: string }[]
}

/** Administration of MCP servers, for the operator. Verbs on one server throw not_found. */
export interface McpAdmin {
  list(): Promise<readonly McpServerView[]>
  /**
   * Adds the servers of another client's configuration. One that cannot be started is added without tools. After an abort
   * it returns what was added until then.
   */
  importServers(text: string, signal: AbortSignal): Promise<McpImport>
  /** Starts the server once, and stores it with what it offers. Throws invalid_input, tool_refused, credential_missing. */
  add(server: Pick<McpServer, 'name' | 'target' | 'everyone'>, signal: AbortSignal): Promise<McpServerView>
  setEffect(name: string, tool: string, effect: McpEffect): Promise<McpServerView>
  setEveryone(name: string, everyone: boolean): Promise<McpServerView>
  /** Accepts what changed, in one tool or in all; with `seen`, only these changes. */
  review(
    name: string,
    what?: { readonly tool?: string | undefined; readonly seen?: readonly string[] | undefined },
  ): Promise<McpServerView>
  /** Starts the server if needed, and reads its list. */
  check(name: string, signal: AbortSignal): Promise<McpServerView>
  /** Makes one call. `params` is the JSON text of an object. */
  test(name: string, call: { readonly tool: string; readonly params: string }, signal: AbortSignal): Promise<ToolTrial>
  remove(name: string): Promise<boolean>
}

/** Sign-ins to servers over HTTP, for the operator. */
export interface McpSignIns {
  /**
   * Begins the sign-in to a server over HTTP, as the server itself says how. `browser` is a secret that only the starting
   * browser has, `client` one that was registered by hand. Throws tool_refused.
   */
  signIn(
    name: string,
    from: {
      readonly redirectUri: string
      readonly owner: UserId
      readonly browser?: string
      readonly client?: { readonly id: string }
    },
  ): Promise<StartedSignIn>
  /** Ends a sign-in, and returns its server and the secret that waiting gates name. Throws forbidden, tool_refused. */
  finishSignIn(
    returned: string,
    by: { readonly owner?: UserId; readonly browser?: string; readonly state?: string },
  ): Promise<{ readonly name: string; readonly secret: string }>
}

/** Everything that the operator does with MCP servers. */
export type McpServers = McpAdmin & McpSignIns
