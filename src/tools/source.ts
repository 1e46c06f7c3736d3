// The built-in tools.
import type { Tool, ToolSource } from '#core/tool.ts'
import type { Fetch } from '#net/fetch.ts'
import { createWebFetch } from '#tools/web/fetch.ts'
import { createHttpRequest } from '#tools/web/request.ts'
import { createWork } from './work.ts'
import { createCalculateTool } from './calculate.ts'
import { createTimeTool } from './time.ts'

export type BuiltInParts = {
  readonly now: () => number
  readonly fetch: Fetch
}

export function createBuiltInTools({ now, fetch }: BuiltInParts): ToolSource {
  const work = createWork()
  const tools: readonly Tool[] = [
    createTimeTool({ now }),
    createCalculateTool(),
    createWebFetch({ fetch, work }),
    createHttpRequest({ fetch }),
  ]
  return { tools: () => tools, reload: () => Promise.resolve(), close: () => Promise.resolve() }
}
