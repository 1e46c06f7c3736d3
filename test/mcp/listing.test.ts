// A server's list of tools, which is a stranger's.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTool } from '#mcp/listing.ts'
import { printable } from '#safety/printable.ts'

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
  const tool = { name: 'a', description: '', schema: inputSchema }
  assert.deepEqual(readTool({ name: 'a', inputSchema, execution: { taskSupport: 'optional' } }), tool)
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
    [{ name: '\u202e'.repeat(201), inputSchema }, /name is over/],
    [{ name: 'a\u001b[2J', inputSchema }, /control/],
    ...['\ud800', 'a\u202eb', 'a\u200bb', '\u3164', 'a\u2028b', 'a\u{e0041}'].map((name): [object, RegExp] => [
      { name, inputSchema },
      /hidden/,
    ]),
    [{ name: 'a', inputSchema, execution: { taskSupport: 'required' } }, /only be called as a task/],
  ]
  for (const [tool, why] of rows) {
    const read = readTool(tool)
    assert.ok(read && 'refused' in read, String(why))
    assert.match(read.refused, why)
    assert.equal(printable(read.name), read.name)
  }
})

test('what has no name is no tool', () => {
  for (const listed of [undefined, null, 'a', [], {}, { name: '' }, { name: 5 }])
    assert.equal(readTool(listed), undefined)
})

test('a tool at the edge of each bound is offered', () => {
  const schemaOf = (description: string) => ({ type: 'object', description })
  const around = JSON.stringify(schemaOf('')).length
  const levels = (count: number) =>
    JSON.parse(`{"type":"object","a":${'['.repeat(count)}${']'.repeat(count)}}`) as object
  const edges: [tool: object, over: object][] = [
    [{ name: 'x'.repeat(200) }, { name: 'x'.repeat(201) }],
    [{ description: 'x'.repeat(256 * 1024) }, { description: `${'x'.repeat(256 * 1024 - 1)}é` }],
    [
      { inputSchema: schemaOf('x'.repeat(256 * 1024 - around)) },
      { inputSchema: schemaOf('x'.repeat(256 * 1024 - around + 1)) },
    ],
    [{ inputSchema: levels(63) }, { inputSchema: levels(64) }],
  ]
  for (const [tool, over] of edges) {
    const [read, refused] = [tool, over].map((each) => readTool({ name: 'a', inputSchema, ...each }))
    assert.ok(read && !('refused' in read), JSON.stringify(read).slice(0, 100))
    assert.ok(refused && 'refused' in refused, JSON.stringify(tool).slice(0, 100))
  }
})

test('a refused tool is listed under a name that can be shown', () => {
  const nameOf = (name: string) => readTool({ name, inputSchema })?.name
  assert.equal(nameOf('a\u001b[2J\n'), 'a?[2J?')
  assert.equal(nameOf('x'.repeat(300)), 'x'.repeat(200))
})

test('hints are those of the protocol, where they are of the right kind', () => {
  const hintsOf = (listed: object) => {
    const read = readTool({ name: 'a', inputSchema, ...listed })
    return read && 'schema' in read ? read.hints : undefined
  }
  const annotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false }
  const hints = { readOnly: false, destructive: true, idempotent: true, openWorld: false }
  assert.deepEqual(hintsOf({ annotations }), hints)
  assert.deepEqual(hintsOf({ annotations: { ...annotations, title: 'B', more: 1 } }), { ...hints, title: 'B' })
  assert.deepEqual(hintsOf({ title: 'x'.repeat(201) }), { title: 'x'.repeat(200) })
  for (const said of [undefined, null, 'x', [], { readOnlyHint: 'yes', title: 5 }])
    assert.equal(hintsOf({ annotations: said }), undefined)
})
