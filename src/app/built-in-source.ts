// The built-in tools, including those of memory, as one source. They are part of the code: there is nothing to reload, and
// none can be removed.
import { existsSync, realpathSync } from 'node:fs'
import type { Config } from '#config.ts'
import type { ToolTrial } from '#core/admin.ts'
import { AppError } from '#core/errors.ts'
import { operator, type UserId } from '#core/ids.ts'
import { objectIn } from '#core/json.ts'
import type { ToolSource } from '#core/tool-source.ts'
import { effectsOf, rowsOf, type Tool, type ToolSpec } from '#core/tool.ts'
import type { Documents } from '#memory/documents.ts'
import { createMemoryTools } from '#memory/memory-tools.ts'
import { createFetch, createRefusal } from '#net/fetch.ts'
import type { LeakScan } from '#safety/leaks.ts'
import { createBuiltInTools } from '#tools/built-in-tools.ts'
import { lazyDial } from './lazy-dial.ts'
import { workspaceOf } from './workspace-folder.ts'

const testMs = 60_000

export type BuiltInSourceParts = {
  readonly config: Config
  readonly scan: (user: UserId) => LeakScan
  readonly documents: Documents
}

export type BuiltInSource = ToolSource & {
  /** What the model is told of all its tools: texts of this program alone. */
  readonly specs: readonly ToolSpec[]
}

/** The built-in tools under the given configuration. */
export function openBuiltInTools({ config, scan, documents }: BuiltInSourceParts): BuiltInSource {
  const { shell, proxy, privateHosts } = config
  const tools = createBuiltInTools({
    now: Date.now,
    shell,
    scan,
    fetch: createFetch({ dial: lazyDial(proxy), privateHosts }),
    refusal: createRefusal({ privateHosts }),
    folderOf: (user) => workspaceOf(config, user),
    home: existsSync(config.home) ? realpathSync(config.home) : config.home,
  })
  return createBuiltInSource([...tools, ...createMemoryTools(documents)])
}

export function createBuiltInSource(all: readonly Tool[]): BuiltInSource {
  const common = all.some(({ operatorOnly }) => operatorOnly) ? all.filter(({ operatorOnly }) => !operatorOnly) : all
  const find = (name: string): Tool | undefined => all.find(({ spec }) => spec.name === name)
  return {
    specs: all.map(({ spec }) => spec),
    tools: (user) => (user === operator ? all : common),
    view: () =>
      Promise.resolve(
        all.map((tool) => {
          const { name, description, parameters } = tool.spec
          return {
            name,
            description,
            source: 'built-in',
            schema: parameters,
            effects: effectsOf(tool, '{}'),
            rows: rowsOf(tool),
            ...(tool.about && { about: tool.about }),
          }
        }),
      ),
    async test(name, { params }) {
      const tool = find(name)
      return tool && testBuiltIn(tool, params)
    },
    // oxlint-disable-next-line require-await -- a refusal is a rejection
    async remove(name) {
      if (!find(name)) return false
      throw new AppError('tool_refused', `${name} is built in: it can be switched off on the Tools page, not removed`)
    },
    reload: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}

/** Tests a call as the operator. Refuses calls that change something: those need approval in a conversation. */
async function testBuiltIn(tool: Tool, params: string): Promise<ToolTrial> {
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
    const output = await tool.run(params, { ...ids, signal: AbortSignal.timeout(testMs) })
    return { output, error: null, ...nothing }
  } catch (error) {
    // The model would read an AppError as the result; any other error is a bug.
    if (!(error instanceof AppError)) throw error
    return { output: null, error: error.message, ...nothing }
  }
}
