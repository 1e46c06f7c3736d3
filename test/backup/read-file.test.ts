// A backup that is not exactly what was written is refused, with the reason.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { type Line, lineText, readLine } from '#backup/format.ts'
import { checkPath } from '#backup/home-files.ts'
import { verifyBackup } from '#backup/read-file.ts'
import { checkBackup } from '#backup/restore.ts'
import { homeAt } from '#home.ts'
import { groupBySize } from '#store/snapshot-postgres.ts'
import { folder } from '../store/harness.ts'
import { until } from '../until.ts'
import { openBelow } from './open-below.ts'

const header = {
  version: '0.1.0',
  schema: 2,
  database: 'sqlite',
  created_at: '2026-01-01T00:00:00.000Z',
  with_key: true,
  tables: { users: 2 },
} as const

const lines: readonly Line[] = [
  { type: 'header', header },
  { type: 'table', table: 'users', columns: ['id', 'name', 'created_at'] },
  { type: 'row', row: ['a', null, 1.5] },
  { type: 'row', row: ['"\n é 🦊', Buffer.from([0, 255]), 2 ** 53 - 1] },
  { type: 'file', path: 'workspace/a', mode: 0o600 },
  { type: 'part', bytes: Buffer.from([1, 2, 3]) },
  { type: 'link', path: 'workspace/b', to: 'a' },
  { type: 'folder', path: 'workspace/c' },
]

/** The text of a backup with these lines and a right end. */
function packed(some: readonly Line[], files = 2): Buffer {
  const text = some.map(lineText).join('')
  const sha256 = createHash('sha256').update(text).digest('hex')
  return gzipSync(text + lineText({ type: 'end', files, sha256 }))
}

test('each kind of line is read as it was written', () => {
  for (const line of [...lines, { type: 'end', files: 2, sha256: 'x' } as const])
    assert.deepEqual(readLine(lineText(line).trimEnd()), line)
})

const whole = packed(lines)
const changed = gzipSync(gunzipSync(whole).toString().replace('"a",null', '"b",null'))
const refused: readonly (readonly [what: string, content: Buffer, says: RegExp])[] = [
  ['an empty file', Buffer.alloc(0), /not complete|no backup/],
  ['another file', Buffer.from('hello'), /no backup/],
  ['another compressed file', gzipSync('hello\n'), /no backup/],
  ['a file that is cut off', whole.subarray(0, whole.length - 30), /not complete/],
  ['a damaged byte', Buffer.from(whole).fill(0, 40, 42), /damaged|not complete|line/],
  ['a changed row', changed, /SHA-256 does not match/],
  ['lines after the end', gzipSync(`${gunzipSync(whole).toString()}[1]\n`), /after its end/],
  ['a missing row', packed(lines.toSpliced(2, 1)), /1 rows of users, not 2/],
  ['a row with too few values', packed(lines.with(2, { type: 'row', row: ['a'] })), /is not complete/],
  ['a missing file', packed(lines, 3), /2 files, not 3/],
  ['a missing end', gzipSync(lines.map(lineText).join('')), /not complete/],
  ['a table twice', packed([...lines, lines[1] as Line]), /twice/],
  ['half a line after the end', gzipSync(`${gunzipSync(whole).toString()}[1`), /not complete/],
  ['a second header', packed([lines[0] as Line, ...lines]), /begin with the header/],
  ['a row of no table', packed([lines[0] as Line, ...lines.slice(2)]), /a row of no table/],
  ['a row after the files', packed([...lines, { type: 'row', row: ['a', null, 1] }]), /a row of users/],
  ['a part of no file', packed([lines[0] as Line, lines[5] as Line, ...lines.slice(1)]), /part of no file/],
  ['a part after a folder', packed([...lines, lines[5] as Line]), /part of no file/],
  ['a table that is not counted', packed([...lines, { ...(lines[1] as Line), table: 'b' } as Line]), /does not name/],
  ['a line of a later format', gzipSync('{"atrium_backup":2}\n'), /newer Atrium/],
  ['a row that is none', gzipSync(`${lineText(lines[0] as Line)}[{"a":1}]\n`), /not of a backup/],
]
for (const [what, content, says] of refused) {
  test(`${what} is refused`, async (t) => {
    const file = join(folder(t), 'a.backup')
    writeFileSync(file, content)
    await assert.rejects(verifyBackup(file), (error: { code?: string; message: string }) => {
      assert.equal(error.code, 'invalid_input')
      assert.match(error.message, says)
      return true
    })
  })
}

test('a whole backup is told by its header, files and digest', async (t) => {
  const file = join(folder(t), 'a.backup')
  writeFileSync(file, whole)
  const found = await verifyBackup(file)
  assert.deepEqual([found.header, found.files, found.bytes], [header, 2, whole.length])
  await assert.rejects(verifyBackup(join(folder(t), 'none')), { code: 'invalid_input', message: /^there is no file / })
  await assert.rejects(verifyBackup(folder(t)), { code: 'invalid_input', message: /is a folder$/ })
})

test('a file may come in several parts, and a backup may be of PostgreSQL', async (t) => {
  const file = join(folder(t), 'a.backup')
  const of = { ...header, database: 'postgres' } as const
  writeFileSync(file, packed([{ type: 'header', header: of }, ...lines.slice(1, 6), ...lines.slice(5)]))
  const shares: number[] = []
  const types: string[] = []
  const found = await verifyBackup(file, {
    onRead: (share) => shares.push(share),
    onLine: ({ type }) => types.push(type),
  })
  assert.equal(found.header.database, 'postgres')
  assert.deepEqual(types.slice(4), ['file', 'part', 'part', 'link', 'folder', 'end'])
  assert.deepEqual(shares, [1])
})

test('a file that is not a backup is closed again', async (t) => {
  const path = folder(t)
  const file = join(path, 'a')
  writeFileSync(file, gzipSync(`hello\n${'x'.repeat(3_000_000)}`, { level: 0 }))
  await assert.rejects(verifyBackup(file), /no backup/)
  await until(() => openBelow(path).length === 0)
})

test('a backup of a newer Atrium, and one with another key than the environment has, touch nothing', async (t) => {
  const home = homeAt(folder(t))
  const file = join(folder(t), 'a.backup')
  writeFileSync(file, packed([{ type: 'header', header: { ...header, schema: 9_999 } }, ...lines.slice(1)]))
  await assert.rejects(checkBackup({ home, file, replace: false }), /newer Atrium/)
  const key: Line[] = [
    { type: 'file', path: 'master-key', mode: 0o600 },
    { type: 'part', bytes: Buffer.from(`${'a'.repeat(64)}\n`) },
  ]
  writeFileSync(file, packed([...lines, ...key], 3))
  const parts = { home, file, replace: false }
  const next: Line[] = [
    { type: 'file', path: 'master-key.next', mode: 0o600 },
    { type: 'part', bytes: Buffer.from('b') },
  ]
  await assert.rejects(checkBackup({ ...parts, masterKey: 'b'.repeat(64) }), { code: 'invalid_config' })
  await checkBackup({ ...parts, masterKey: 'A'.repeat(64) })
  writeFileSync(file, packed([...lines, ...key, ...next], 4))
  await checkBackup({ ...parts, masterKey: 'B' })
  // One without a key goes with any key.
  writeFileSync(file, whole)
  await checkBackup({ ...parts, masterKey: 'c'.repeat(64) })
  assert.deepEqual(readdirSync(home.path), [])
})

test('only files of a home are restored, and none outside it', () => {
  for (const path of ['workspace/a', 'users/u/workspace/b c', 'master-key', 'webui-token', 'master-key.next'])
    assert.equal(checkPath(path), path)
  const foreign = ['', '/etc/passwd', '../a', 'workspace', 'workspace/../a', 'workspace//a', 'users/./a', 'atrium.db']
  for (const path of [...foreign, 'workspace/a\0', `workspace/${'a'.repeat(5_000)}`, 'lock', 'plan.json'])
    assert.throws(() => checkPath(path), { code: 'invalid_input' }, path)
  const longest = `workspace/${'a'.repeat(4_086)}`
  assert.equal(checkPath(longest), longest)
  assert.throws(() => checkPath(`${longest}a`), { code: 'invalid_input' })
})

test('large rows are fetched alone, small ones together', () => {
  assert.deepEqual(groupBySize([1, 1, 1], 10), [3])
  assert.deepEqual(groupBySize([9, 1, 1, 50, 2, 9], 10), [2, 1, 1, 1, 1])
  assert.deepEqual(groupBySize([], 10), [])
})
