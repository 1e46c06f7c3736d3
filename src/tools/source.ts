// The built-in tools.
import type { Tool, ToolSource } from '#core/tool.ts'
import { createCalculateTool } from './calculate.ts'
import { createTimeTool } from './time.ts'

export function createBuiltInTools({ now }: { now: () => number }): ToolSource {
  const tools: readonly Tool[] = [createTimeTool({ now }), createCalculateTool()]
  return { tools: () => tools, reload: () => Promise.resolve(), close: () => Promise.resolve() }
}
