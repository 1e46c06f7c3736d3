import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AppError } from '#core/errors.ts'
import { type CatalogRules, nameForCaller, namesForModel, readCatalog } from '#doors/openai/caller-tools.ts'

const registered = new Set(['time', 'web_fetch'])
const refuse: CatalogRules = { maxBytes: 16_384, raisedBy: 'THE_SETTING', foreign: 'refuse', registered }
const drop: CatalogRules = { ...refuse, foreign: 'drop' }

const tool = (name: string, more: object = {}) => ({ type: 'function', name, ...more })
const namesOf = async (tools: readonly unknown[], rules = drop) =>
  (await readCatalog(tools, rules)).tools.map(({ name }) => name)

async function refusal(tools: readonly unknown[], rules = refuse): Promise<{ param?: string; message: string }> {
  try {
    await readCatalog(tools, rules)
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === 'invalid_input')
    return { message: error.message, ...(error.param !== undefined && { param: error.param }) }
  }
  throw new Error('it was not refused')
}

describe('the catalog of a caller', () => {
  for (const [what, tools, param, setting] of [
    ['a tool of another kind', [tool('a'), { type: 'web_search' }], 'tools[1].type', /RESPONSES_FOREIGN_TOOLS=drop/],
    ['a namespace', [{ type: 'namespace', name: 'n', tools: [] }], 'tools[0].type', /RESPONSES_FOREIGN_TOOLS=drop/],
    ['the name of a service tool', [tool('time')], 'tools[0].name', /RESPONSES_FOREIGN_TOOLS=drop/],
    ['one of our prefixes', [tool('memory_x')], 'tools[0].name', /RESPONSES_FOREIGN_TOOLS=drop/],
    ['too many bytes', [tool('a', { description: 'x'.repeat(17_000) })], 'tools', /has 17049 bytes.*THE_SETTING/],
    ['many more bytes', [tool('a', { description: 'x'.repeat(900_000) })], 'tools', /has 900049 bytes.*THE_SETTING/],
  ] as const) {
    it(`refuses ${what}, and names the setting that widens the rule`, async () => {
      const { param: named, message } = await refusal(tools)
      assert.equal(named, param)
      assert.match(message, setting)
    })
  }

  it('with drop, leaves out other kinds, flattens namespaces and renames what has a name of ours', async () => {
    const crm = {
      type: 'namespace',
      name: 'mcp__crm',
      tools: [tool('find'), { type: 'custom', name: 'c' }, tool('add')],
    }
    assert.deepEqual(await namesOf([{ type: 'web_search' }, tool('shell'), crm, tool('web_fetch'), tool('skill_x')]), [
      'shell',
      'mcp__crm__find',
      'mcp__crm__add',
      'caller_web_fetch',
      'caller_skill_x',
    ])
  })

  it('gives every function its own name back, and finds the name in a history', async () => {
    const { tools } = await readCatalog(
      [tool('time'), tool('a'), { type: 'namespace', name: 'n', tools: [tool('time')] }],
      drop,
    )
    assert.deepEqual(nameForCaller(tools, 'caller_time'), { name: 'time' })
    assert.deepEqual(nameForCaller(tools, 'n__time'), { name: 'time', namespace: 'n' })
    assert.deepEqual(nameForCaller(tools, 'a'), { name: 'a' })
    const nameOf = namesForModel(tools)
    assert.deepEqual(
      [nameOf({ name: 'time' }), nameOf({ name: 'time', namespace: 'n' }), nameOf({ name: 'gone', namespace: 'n' })],
      ['caller_time', 'n__time', 'n__gone'],
    )
  })

  it('keeps names within 64 characters of one alphabet, and apart', async () => {
    const long = 'm'.repeat(60)
    const groups = [long, `${long}m`].map((name) => ({ type: 'namespace', name, tools: [tool('find')] }))
    const names = await namesOf([...groups, { type: 'namespace', name: 'a b', tools: [tool('c')] }, tool('a_b__c')])
    assert.equal(new Set(names).size, 4)
    for (const name of names) assert.match(name, /^[A-Za-z0-9_-]{1,64}$/)
  })

  it('refuses a malformed function and a name used twice under either rule', async () => {
    for (const rules of [refuse, drop]) {
      assert.equal((await refusal([tool('no good')], rules)).param, 'tools[0].name')
      assert.equal((await refusal([tool('a'), tool('a')], rules)).param, 'tools[1].name')
      assert.equal((await refusal([7], rules)).param, 'tools[0]')
    }
    const inner = { type: 'namespace', name: 'n', tools: [tool('a', { parameters: [] })] }
    assert.equal((await refusal([inner], drop)).param, 'tools[0].tools[0].parameters')
  })

  it('is bounded by its bytes only: many values and deep schemas pass', async () => {
    const wide = tool('wide', { parameters: { enum: Array.from({ length: 60_000 }, () => 1) } })
    const deep = tool('deep', { parameters: JSON.parse('{"a":'.repeat(900) + '1' + '}'.repeat(900)) as object })
    const { tools } = await readCatalog([wide, deep], { ...refuse, maxBytes: 262_144 })
    assert.equal(tools.length, 2)
  })
})
