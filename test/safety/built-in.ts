// The tools that come with the service, for what is asked of them and not done: their rows, reach and words.
import { objectIn } from '#core/json.ts'
import { type Effects, reachOf, rowOf, type Tool } from '#core/tool.ts'
import { createDocuments } from '#memory/documents.ts'
import { createMemoryTools } from '#memory/memory-tools.ts'
import type { DecisionInput } from '#safety/decide.ts'
import { createLeakScan } from '#safety/leaks.ts'
import { createBuiltInTools } from '#tools/built-in-tools.ts'
import { tool } from '../agent/tools.ts'

const nowhere = (): never => {
  throw new Error('nothing is done here')
}

/** Memory holds one document. */
const kept = { path: 'kept.md', content: 'old\n', untrusted: false }
const store = {
  get: (_user: unknown, path: string) => Promise.resolve(path === kept.path ? kept : undefined),
} as unknown as Parameters<typeof createDocuments>[0]['store']

export const builtInTools: ReadonlyMap<string, Tool> = new Map(
  [
    ...createBuiltInTools({
      now: () => 0,
      fetch: nowhere,
      refusal: () => undefined,
      folderOf: () => '/nowhere/at/all',
      home: '/nowhere/home',
      shell: true,
      scan: () => createLeakScan(),
    }),
    ...createMemoryTools(createDocuments({ store })),
  ].map((each) => [each.spec.name, each]),
)

/** A call as the policy sees it: of a built-in tool as it says itself, of any other by its effects. */
export function callOf(
  name: string,
  args: object,
  effects: Effects = 'read',
): Pick<DecisionInput, 'name' | 'row' | 'reach'> {
  const of = builtInTools.get(name) ?? tool(name, { effects })
  const text = JSON.stringify(args)
  if (!objectIn(text)) throw new Error('a call has an object of arguments')
  return { name, row: rowOf(of, text), reach: reachOf(of, text) }
}
