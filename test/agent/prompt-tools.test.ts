// Which tools are in the prompt.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Item } from '#core/item.ts'
import type { Tools, ToolSpec } from '#core/tool.ts'
import { createPromptTools } from '#agent/prompt-tools.ts'

function spec(name: string, chars = 10): ToolSpec {
  return { name, description: 'x'.repeat(chars), parameters: { type: 'object' } }
}

const [time, finder, own] = [spec('time'), spec('tool_search'), spec('own')]
const many = Array.from({ length: 20 }, (_, at) => spec(`s__t${at}`, 1_000))
const tools: Tools = { byName: new Map(), specs: [time, ...many], searchable: { specs: many, finder } }

function namesOf(specs: readonly ToolSpec[]): string[] {
  return specs.map(({ name }) => name)
}

test('tools stay in the prompt while they take a tenth of the window', () => {
  for (const window of [0, 1_000_000]) {
    const specs = createPromptTools({ tools, callerTools: [], window, items: () => [] })
    assert.equal(specs(), tools.specs)
  }
  const without: Tools = { byName: new Map(), specs: [time, ...many] }
  assert.equal(createPromptTools({ tools: without, callerTools: [], window: 1_000, items: () => [] })(), without.specs)
})

test('tools that take more leave it, and those that were found come back', () => {
  const items: Item[] = []
  const specs = createPromptTools({ tools, callerTools: [own], window: 10_000, items: () => items })
  assert.deepEqual(namesOf(specs()), ['time', 'tool_search', 'own'])
  assert.equal(specs(), specs())
  items.push({ type: 'result', callId: 'a', output: '', tools: ['s__t3', 's__t1', 'gone'] })
  items.push({ type: 'result', callId: 'b', output: '', tools: ['s__t1', 's__t2'] })
  assert.deepEqual(namesOf(specs()), ['time', 'tool_search', 'own', 's__t3', 's__t1', 's__t2'])
  assert.equal(specs(), specs())
})
