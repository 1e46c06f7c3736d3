// Answers the host calls of one tool call, within the rights of the capability file.
import type { UserId } from '#core/ids.ts'
import { byteLength } from '#core/json.ts'
import type { LoadedSkill } from '#core/skill.ts'
import type { Capabilities } from '#sandbox/package/capabilities.ts'
import type { Egress } from '#sandbox/egress/egress.ts'
import { maxHostCalls, maxOutputBytes } from '#sandbox/child/limits.ts'
import type { HostCall } from './messages.ts'
import type { Host } from './process.ts'

/** Reads a file of a user's workspace whose real path is below one of the folders; undefined when there is none. */
export type ReadWorkspace = (
  path: string,
  within: { readonly user: UserId; readonly folders: readonly string[] },
) => Promise<string | undefined>

/** The tool, user and call on whose behalf another tool is invoked. */
export type Invoker = {
  readonly tool: string
  readonly user: UserId
  readonly callId: string
  /** The skills that the turn has loaded: they narrow the tools that may be invoked. */
  readonly skills?: readonly LoadedSkill[]
  /** The only tools that may be invoked; all if absent. */
  readonly serviceTools?: readonly string[]
  readonly signal: AbortSignal
}

/** Invokes another tool under the policy of the service. */
export type InvokeTool = (name: string, params: string, by: Invoker) => Promise<string>

export type HostParts = {
  readonly capabilities: Pick<Capabilities, 'workspace' | 'aliases'>
  readonly egress: Egress
  readonly by: Omit<Invoker, 'signal'>
  /** Absent when there is no workspace. */
  readonly readWorkspace?: ReadWorkspace | undefined
  /** Absent when the tool may not invoke another. */
  readonly invokeTool?: InvokeTool | undefined
}

export function createHost({ capabilities, egress, by, readWorkspace, invokeTool }: HostParts): Host {
  const deny = (message: string): { head: object } => ({ head: { ok: false, code: 'blocked', message, sent: false } })
  let calls = 0

  async function workspace(path: string): Promise<{ head: object }> {
    if (!readWorkspace || !grantsPath(capabilities.workspace, path))
      return deny('the capability file does not grant it')
    const text = await readWorkspace(path, { user: by.user, folders: capabilities.workspace })
    if (text !== undefined && byteLength(text) > maxOutputBytes) return deny(`${path} is over ${maxOutputBytes} bytes`)
    return { head: text === undefined ? { ok: true } : { ok: true, text } }
  }

  async function invoke(alias: string, params: string, signal: AbortSignal): Promise<{ head: object }> {
    const name = capabilities.aliases.get(alias)
    if (name === undefined) return deny(`the capability file does not grant the tool ${JSON.stringify(alias)}`)
    if (!invokeTool) return deny(`${name} cannot be run here: a tool that another tool runs cannot run a third`)
    try {
      const text = await invokeTool(name, params, { ...by, signal })
      if (byteLength(text) > maxOutputBytes) return deny(`the tool answered more than ${maxOutputBytes} bytes`)
      return { head: { ok: true, text } }
    } catch (error) {
      return deny(error instanceof Error ? error.message : 'the tool failed')
    }
  }

  return async (call: HostCall, signal) => {
    // The tool's process counts too, but is not trusted. Requests are counted by the egress.
    if (call.type !== 'request' && ++calls > maxHostCalls) return deny(`more than ${maxHostCalls} in one call`)
    switch (call.type) {
      case 'workspace':
        return workspace(call.path)
      case 'invoke':
        return invoke(call.alias, call.params, signal)
      case 'request': {
        const answer = await egress.request(call, signal)
        if (answer.type === 'fault') return { head: { ok: false, ...answer.fault } }
        return { head: { ok: true, status: answer.status, headers: answer.headers }, body: answer.body }
      }
      default:
        return call satisfies never
    }
  }
}

/** True for a relative path without `.` or `..` below a granted folder. */
export function grantsPath(folders: readonly string[], path: string): boolean {
  if (path.startsWith('/') || /[\\\0]/.test(path)) return false
  if (path.split('/').some((part) => part === '' || part === '.' || part === '..')) return false
  return folders.some((folder) => path.startsWith(folder))
}
