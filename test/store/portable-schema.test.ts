// What is in a backup, by table and column.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrations } from '#store/migrations.ts'
import { leftOut, portableTables } from '#store/portable-schema.ts'

const tables = portableTables(migrations.length)
const names = tables.map(({ name }) => name)

test('what lasts is in a backup; what is made again, or is over in minutes, is not', () => {
  for (const name of ['threads', 'items', 'turns', 'users', 'secrets', 'documents', 'chunks', 'skills', 'usage'])
    assert.ok(names.includes(name), name)
  assert.deepEqual(
    [...leftOut],
    [
      'processes',
      'storage',
      'login_codes',
      'sign_ins',
      'thread_index_owners',
      'thread_index_cursors',
      'indexed_threads',
      'threads_to_index',
      'thread_chunks',
    ],
  )
  assert.deepEqual(
    names.filter((name) => leftOut.has(name) || /_terms|sqlite_/.test(name)),
    [],
  )
})

test('tables that need others come behind them, the rest by name', () => {
  const last = ['document_owners', 'documents', 'chunks', 'chunk_vectors']
  assert.deepEqual(names.slice(-last.length), last)
  assert.deepEqual(names.slice(0, -last.length), names.slice(0, -last.length).toSorted())
})

test('columns have the type that both databases read, and what is derived is left out', () => {
  const columnsOf = (table: string): Record<string, string> =>
    Object.fromEntries(tables.find(({ name }) => name === table)?.columns.map((each) => [each.name, each.type]) ?? [])
  assert.deepEqual(columnsOf('chunk_vectors'), {
    id: 'number',
    owner: 'number',
    model: 'text',
    size: 'number',
    numbers: 'bytes',
  })
  assert.equal(columnsOf('skill_contents')['content'], 'bytes')
  assert.equal(columnsOf('usage')['cost_usd'], 'number')
})

test('chunks without a document, and their vectors, stay out', () => {
  assert.deepEqual(
    tables.filter(({ only }) => only !== undefined).map(({ name }) => name),
    ['chunks', 'chunk_vectors'],
  )
})

test('a database of an earlier version has the tables of that version', () => {
  const first = portableTables(1).map(({ name }) => name)
  assert.ok(first.includes('threads'))
  assert.ok(!first.includes('skills'))
})
