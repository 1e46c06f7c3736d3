// Parts of the service that components can use by their capabilities: workspace files and other tools. Requests of a component
// are untrusted: they are judged as if the model had read text from outside.
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import { objectIn } from '#core/json.ts'
import type { Judged, Verdict } from '#core/policy.ts'
import type { Tools } from '#core/tool.ts'
import type { InvokeTool, ReadWorkspace } from '#sandbox/supervisor/host.ts'
import { readText } from '#tools/workspace/read.ts'

export type InvokeParts = {
  readonly tools: (user: UserId) => Tools
  readonly judge: (judged: Judged) => Verdict | Promise<Verdict>
}

/** Runs a tool for another tool. A call that needs approval is refused, because a tool cannot ask for it. */
export function createInvoke({ tools, judge }: InvokeParts): InvokeTool {
  return async (name, params, { tool: by, user, callId, skills = [], serviceTools, signal }) => {
    const tool = tools(user).byName.get(name)
    if (!tool) throw new AppError('not_found', `there is no tool named ${name}`)
    if (serviceTools && !serviceTools.includes(name)) {
      throw new AppError('tool_refused', `${name} cannot be run by a tool: ${name} is not among the tools of this turn`)
    }
    if (!objectIn(params)) throw new AppError('invalid_input', `the parameters of ${name} must be a JSON object`)
    const call = { type: 'call', callId, name, args: params } as const
    const taint = `the tool ${by}`
    const verdict = await judge({ user, threadId: '', call, tool, taint, items: [], skills, specs: [] })
    if (verdict.do !== 'allow') {
      const asks = verdict.do === 'ask' ? '; somebody would have to allow it, and a tool cannot ask' : ''
      throw new AppError('tool_refused', `${name} cannot be run by a tool: ${verdict.reason}${asks}`)
    }
    const context = { user, threadId: '', turnId: '', callId, signal, tainted: true, by }
    return tool.run(params, { ...context, ...(serviceTools && { serviceTools }) })
  }
}

export type WorkspaceParts = {
  readonly folderOf: (user: UserId) => string
  /** The real path of the service's home. */
  readonly home: string
}

/** Reads a text file of a user's workspace; undefined when it cannot be read. */
export function createReadWorkspace({ folderOf, home }: WorkspaceParts): ReadWorkspace {
  return async (path, { user, folders }) => {
    try {
      return await readText({ root: folderOf(user), home, names: path.split('/'), folders })
    } catch (error) {
      // A component must not learn the difference between a missing file and a forbidden one.
      if (error instanceof AppError) return undefined
      throw error
    }
  }
}
