// A server's list of tools, which is a stranger's.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTool } from '#mcp/listing.ts'

const inputSchema = { type: 'object', properties: { a: { type: 'string' } } }

test('a tool is kept as it was sent', () => {
  assert.deepEqual(readTool({ name: 'a', description: ' x\n', inputSchema, outputSchema: {}, _meta: {} }), {
    name: 'a',
    description: ' x\n',
    schema: inputSchema,
  })
  assert.deepEqual(readTool({ name: 'a', title: 'A', inputSchema, annotations: { readOnlyHint: true, title: 'B' } }), {
    name: 'a',
    description: '',
    schema: inputSchema,
    hints: { title: 'A', readOnly: true },
  })
})

test('a tool that cannot be offered is listed as refused', () => {
  let deep: object = { type: 'object' }
  for (let level = 0; level < 100; level++) deep = { type: 'object', properties: { a: deep } }
  const rows: [tool: object, why: RegExp][] = [
    [{ name: 'a' }, /schema/],
    [{ name: 'a', inputSchema: { type: 'string' } }, /schema/],
    [{ name: 'a', inputSchema: [] }, /schema/],
    [{ name: 'a', inputSchema: { type: 'object', description: 'x'.repeat(256 * 1024) } }, /over 256 KB/],
    [{ name: 'a', inputSchema: deep }, /64 levels/],
    [{ name: 'a', inputSchema, description: 5 }, /description/],
    [{ name: 'a', inputSchema, description: 'x'.repeat(256 * 1024 + 1) }, /description is over/],
    [{ name: 'x'.repeat(201), inputSchema }, /name/],
    [{ name: 'a\u001b[2J', inputSchema }, /control/],
  ]
  for (const [tool, why] of rows) {
    const read = readTool(tool)
    assert.ok(read && 'refused' in read, String(why))
    assert.match(read.refused, why)
  }
})

test('what has no name is no tool', () => {
  for (const listed of [undefined, null, 'a', [], {}, { name: '' }, { name: 5 }])
    assert.equal(readTool(listed), undefined)
})
