// Names of servers and tools.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameKey } from '#core/tool-names.ts'
import { checkServerName, fitServerName, modelName } from '#mcp/names.ts'

test('the model’s name is the server’s and the tool’s, in letters that every model takes', () => {
  const rows: [server: string, tool: string, taken: string[], name: string][] = [
    ['files', 'read', [], 'files__read'],
    ['my-files', 'Read-All', [], 'my-files__Read-All'],
    ['files', 'a.b/c d', [], 'files__a_b_c_d'],
    ['files', 'é😀', [], 'files____'],
    ['files', 'a b', ['files__a_b'], 'files__a_b_2'],
    // Names that differ only by case or hyphens are easily confused.
    ['files', 'A-b', ['files__a_b', 'files__a_b_2'], 'files__A-b_3'],
    ['files', 'x'.repeat(100), [], `files__${'x'.repeat(57)}`],
    ['files', 'x'.repeat(100), [`files__${'x'.repeat(57)}`], `files__${'x'.repeat(55)}_2`],
  ]
  for (const [server, tool, taken, name] of rows) {
    const made = modelName(server, tool, new Set(taken.map(nameKey)))
    assert.equal(made.replace(/_+$/, ''), name.replace(/_+$/, ''))
    assert.match(made, /^[A-Za-z0-9_-]{1,64}$/)
  }
})

test('a server’s name is short and plain', () => {
  for (const name of ['a', '1', 'my-server-2', 'x'.repeat(32)]) checkServerName(name)
  for (const name of ['', 'A', 'a_b', 'a b', 'é', 'x'.repeat(33), 'a\n'])
    assert.throws(() => checkServerName(name), { code: 'invalid_input', param: 'name' })
  assert.throws(() => checkServerName('A b'), /^AppError: "A b": /)
})

test('a name of another client is made to fit', () => {
  const rows: [name: string, taken: string[], fit: string][] = [
    ['files', [], 'files'],
    ['My Files_2', [], 'my-files-2'],
    ['@scope/pkg', [], 'scope-pkg'],
    ['é', [], 'server'],
    ['Files', ['files', 'files-2'], 'files-3'],
    ['x'.repeat(40), ['x'.repeat(32)], `${'x'.repeat(30)}-2`],
  ]
  for (const [name, taken, fit] of rows) {
    assert.equal(fitServerName(name, taken), fit)
    checkServerName(fit)
  }
})
