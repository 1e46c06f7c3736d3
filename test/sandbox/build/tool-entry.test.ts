// The script around a tool is plain JavaScript: it says the same in any engine, and a build takes seconds.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { entry } from '#sandbox/build/tool-entry.ts'

const folder = mkdtempSync(join(tmpdir(), 'atrium-entry-'))
after(() => rmSync(folder, { recursive: true, force: true }))

let made = 0

type Entry = { readonly tool: { execute(request: object): unknown; schema(): string; description(): string } }

/** Loads the entry around the source of a tool. */
async function load(source: string): Promise<Entry> {
  const here = join(folder, String(made++))
  mkdirSync(here)
  const files = { 'package.json': '{"type":"module"}', 'prelude.js': '', 'tool.js': source, 'entry.js': entry }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(here, name), text)
  return (await import(pathToFileURL(join(here, 'entry.js')).href)) as Entry
}

const shape = 'export const tool = { execute, schema, description }'
const rest = `execute: () => ({}), description: () => 'd'`

test('a tool of the wrong shape is refused with the field and what to write', async () => {
  const faults = [
    ['export const toll = {}', `tool.ts does not export tool: ${shape}`],
    ['export const tool = null', `tool.ts exports null as tool: ${shape}`],
    ['export const tool = {}', `tool.ts: tool lacks execute, schema, description: ${shape}`],
    [
      `export const tool = { execute: () => ({}), schema: { type: 'object' }, description: 'd' }`,
      'tool.ts: tool.schema is an object, not a function: write schema: () => …; tool.description is a string, not a function: write description: () => …',
    ],
    [
      `export const tool = { get schema() { throw new Error('not now') }, ${rest} }`,
      'tool.ts: tool.schema cannot be read, not now: write schema: () => …',
    ],
  ] as const
  for (const [source, message] of faults) await assert.rejects(load(source), { message })
})

test('a function that would have to be waited for is refused', async () => {
  const words = (name: string): string =>
    `tool.ts: tool.${name} is async or a generator, and a tool cannot wait: leave out async, await and yield, host calls answer at once`
  const plain = `schema: () => ({}), description: () => 'd'`
  const faults = [
    [`async execute() { return {} }, ${plain}`, words('execute')],
    [`execute: async () => ({}), ${plain}`, words('execute')],
    [`* execute() {}, ${plain}`, words('execute')],
    [`async * execute() {}, ${plain}`, words('execute')],
    [`async schema() { return {} }, ${rest}`, words('schema')],
  ] as const
  for (const [fields, message] of faults) await assert.rejects(load(`export const tool = { ${fields} }`), { message })
  // Only a call shows that this one returns a promise.
  const { tool } = await load(`export const tool = { execute: () => Promise.resolve({}), ${plain} }`)
  assert.match(
    JSON.stringify(tool.execute({})),
    /"output":null,"error":"execute returned a promise, and a tool cannot wait/,
  )
})

test('a schema or description that gives no text says so in the log', async (t) => {
  const logged = t.mock.method(console, 'error', () => {})
  const faults = [
    ['schema() {}', 'it returned undefined'],
    [`schema() { throw 'plain' }`, 'plain'],
    ['schema() { throw 1n }', '1'],
    ['schema: () => Promise.resolve({})', 'it returned a promise'],
  ] as const
  for (const [field, why] of faults) {
    const { tool } = await load(`export const tool = { ${field}, ${rest} }`)
    assert.throws(() => tool.schema())
    const words = `schema failed: ${why}; it must return a JSON Schema, as an object or as text`
    assert.deepEqual(logged.mock.calls.at(-1)?.arguments, [words])
  }
})
