// The tools that come with the service, for `atrium tool`: listed, shown and tried like installed ones.
import { loadConfig, secretsIn } from '#config.ts'
import { AppError } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import { objectIn } from '#core/json.ts'
import type { Store } from '#core/store.ts'
import { effectsOf, type Tool } from '#core/tool.ts'
import { openBuiltInTools } from '#hall/built-in.ts'
import { createDocuments } from '#memory/documents.ts'
import { createMemoryTools } from '#memory/tools.ts'
import { createLeakScan } from '#safety/leaks.ts'
import type { TestReport } from '#sandbox/supervisor/sandbox.ts'

const tryMs = 60_000

export function builtIn(store: Store): readonly Tool[] {
  const documents = createDocuments({ store: store.documents })
  const config = loadConfig()
  const own = openBuiltInTools(config, () => createLeakScan(secretsIn(config)))
  return [...own.tools(), ...createMemoryTools(documents).tools()]
}

/** Tries a call as the operator. What changes anything is asked for in a conversation, which a command is not. */
export async function tryBuiltIn(tool: Tool, params: string): Promise<TestReport> {
  const { name } = tool.spec
  if (!objectIn(params)) throw new AppError('invalid_input', `--params of ${name} must be a JSON object`)
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
