// One call of a built-in tool, to see what it does.
import { AppError } from '#core/errors.ts'
import type { ToolTrial } from '#core/admin.ts'
import { operator } from '#core/ids.ts'
import { objectIn } from '#core/json.ts'
import { effectsOf, type Tool } from '#core/tool.ts'

const tryMs = 60_000

/** Tries a call as the operator. What changes anything is asked for in a conversation, which this is not. */
export async function tryBuiltIn(tool: Tool, params: string): Promise<ToolTrial> {
  const { name } = tool.spec
  if (!objectIn(params))
    throw new AppError('invalid_input', `params of ${name} must be a JSON object`, { param: 'params' })
  if (effectsOf(tool, params) !== 'read') {
    const message = `${name} is built in and this call would change something: ask for it in a conversation (atrium run)`
    throw new AppError('tool_refused', message)
  }
  const nothing = { logs: [], requests: [], blocked: [] }
  const ids = { user: operator, threadId: '', turnId: '', callId: '' }
  try {
    const output = await tool.run(params, { ...ids, signal: AbortSignal.timeout(tryMs) })
    return { output, error: null, ...nothing }
  } catch (error) {
    // A fault of the call is what a model would read; anything else is a bug.
    if (!(error instanceof AppError)) throw error
    return { output: null, error: error.message, ...nothing }
  }
}
