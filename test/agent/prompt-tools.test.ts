// Which tools are in the prompt.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Item } from '#core/item.ts'
import type { Tools, ToolSpec } from '#core/tool.ts'
import { createPromptTools } from '#agent/prompt-tools.ts'
import { createMeter } from '#agent/tokens.ts'

function spec(name: string, chars = 10): ToolSpec {
  return { name, description: 'x'.repeat(chars), parameters: { type: 'object' } }
}

const { tokensInSpec } = createMeter()
const [time, finder, own] = [spec('time'), spec('tool_search'), spec('own')]
const many = Array.from({ length: 20 }, (_, at) => spec(`s__t${at}`, 1_000))
const tools: Tools = { byName: new Map(), specs: [time, ...many], searchable: { specs: many, finder } }

function namesOf(specs: readonly ToolSpec[]): string[] {
  return specs.map(({ name }) => name)
}

test('tools stay in the prompt while they take a tenth of the window', () => {
  for (const window of [0, 1_000_000]) {
    const specs = createPromptTools({ tokensInSpec, tools, callerTools: [], window, items: () => [] })
    assert.equal(specs(), tools.specs)
  }
  const without: Tools = { byName: new Map(), specs: [time, ...many] }
  assert.equal(
    createPromptTools({ tokensInSpec, tools: without, callerTools: [], window: 1_000, items: () => [] })(),
    without.specs,
  )
})

test('tools that take exactly a tenth of the window stay, one token more does not', () => {
  const taking = (tokens: number) =>
    createPromptTools({
      tokensInSpec: () => tokens,
      tools,
      callerTools: [],
      window: 200 * many.length,
      items: () => [],
    })
  assert.equal(taking(20)(), tools.specs)
  assert.notEqual(taking(21)(), tools.specs)
})

test('a spec is read once, however many turns count it', () => {
  let reads = 0
  const read: ToolSpec = {
    name: 's__read',
    get description() {
      reads++
      return ''
    },
    parameters: {},
  }
  const counted: Tools = { byName: new Map(), specs: [read], searchable: { specs: [read], finder } }
  for (let turn = 0; turn < 3; turn++) {
    createPromptTools({ tokensInSpec, tools: counted, callerTools: [], window: 10_000, items: () => [] })
  }
  assert.equal(reads, 1)
})

test('no more specs are counted than are needed to know that they do not fit', () => {
  const counted: string[] = []
  const count = (each: ToolSpec): number => {
    counted.push(each.name)
    return tokensInSpec(each)
  }
  createPromptTools({ tokensInSpec: count, tools, callerTools: [], window: 10_000, items: () => [] })
  assert.deepEqual(counted, namesOf(many).slice(0, counted.length))
  assert.ok(counted.length > 1 && counted.length < many.length, `${counted.length} were counted`)
})

test('tools that take more leave it, and those that were found come back', () => {
  const items: Item[] = []
  const specs = createPromptTools({ tokensInSpec, tools, callerTools: [own], window: 10_000, items: () => items })
  assert.deepEqual(namesOf(specs()), ['time', 'tool_search', 'own'])
  assert.equal(specs(), specs())
  items.push({ type: 'result', callId: 'a', output: '', tools: ['s__t3', 's__t1', 'gone'] })
  items.push({ type: 'result', callId: 'b', output: '', tools: ['s__t1', 's__t2'] })
  assert.deepEqual(namesOf(specs()), ['time', 'tool_search', 'own', 's__t3', 's__t1', 's__t2'])
  assert.equal(specs(), specs())
})
