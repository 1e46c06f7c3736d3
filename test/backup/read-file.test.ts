// A backup that is not exactly what was written is refused, with the reason.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { makeBackup } from '#backup/backup.ts'
import { type Line, lineText, readLine } from '#backup/format.ts'
import { checkPath } from '#backup/home-files.ts'
import { verifyBackup } from '#backup/read-file.ts'
import { createBackupFile } from '#backup/write-file.ts'
import { checkBackup } from '#backup/restore.ts'
import { homeAt } from '#home.ts'
import { groupBySize } from '#store/snapshot-postgres.ts'
import { folder } from '../store/harness.ts'

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
  ['lines behind the end', gzipSync(`${gunzipSync(whole).toString()}[1]\n`), /behind its end/],
  ['a missing row', packed(lines.toSpliced(2, 1)), /1 rows of users, not 2/],
  ['a row with too few values', packed(lines.with(2, { type: 'row', row: ['a'] })), /is not complete/],
  ['a missing file', packed(lines, 3), /2 files, not 3/],
  ['a missing end', gzipSync(lines.map(lineText).join('')), /not complete/],
  ['a table twice', packed([...lines, lines[1] as Line]), /twice/],
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
  await assert.rejects(verifyBackup(join(folder(t), 'none')), { code: 'not_found' })
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
  await assert.rejects(checkBackup({ ...parts, masterKey: 'b'.repeat(64) }), { code: 'invalid_config' })
  await checkBackup({ ...parts, masterKey: 'A'.repeat(64) })
  assert.deepEqual(readdirSync(home.path), [])
})

test('only files of a home are restored, and none outside it', () => {
  for (const path of ['workspace/a', 'users/u/workspace/b c', 'master-key', 'webui-token', 'master-key.next'])
    assert.equal(checkPath(path), path)
  const foreign = ['', '/etc/passwd', '../a', 'workspace', 'workspace/../a', 'workspace//a', 'users/./a', 'atrium.db']
  for (const path of [...foreign, 'workspace/a\0', `workspace/${'a'.repeat(5_000)}`, 'lock', 'plan.json'])
    assert.throws(() => checkPath(path), { code: 'invalid_input' }, path)
})

test('a file that is no backup is never replaced, an earlier backup is', async (t) => {
  const home = homeAt(folder(t))
  const { openStore } = await import('#store/open-store.ts')
  const { seal } = await import('./filled.ts')
  await openStore({ path: home.database, seal }).close()
  const path = folder(t)
  const file = join(path, 'a')
  writeFileSync(file, 'mine')
  await assert.rejects(makeBackup({ home, file, withKey: false }), /is no backup of Atrium/)
  await assert.rejects(makeBackup({ home, file: path, withKey: false }), /is a folder/)
  assert.equal(readFileSync(file, 'utf8'), 'mine')
  writeFileSync(file, whole)
  // Left by a process that was killed; no process has this id.
  writeFileSync(`${file}.part-999999999`, 'half')
  await makeBackup({ home, file, withKey: false })
  assert.equal((await verifyBackup(file)).header.with_key, false)
  assert.deepEqual(readdirSync(path), ['a'])
  assert.deepEqual(readdirSync(home.path), ['atrium.db'])
})

test('a backup that fails leaves the one before, and nothing else', async (t) => {
  const path = folder(t)
  const file = join(path, 'a')
  writeFileSync(file, whole)
  const target = await createBackupFile(file)
  await target.add(lines)
  assert.deepEqual(readdirSync(path).length, 2)
  await target.discard()
  assert.deepEqual(readdirSync(path), ['a'])
  assert(readFileSync(file).equals(whole))
})

test('large rows are fetched alone, small ones together', () => {
  assert.deepEqual(groupBySize([1, 1, 1], 10), [3])
  assert.deepEqual(groupBySize([9, 1, 1, 50, 2, 9], 10), [2, 1, 1, 1, 1])
  assert.deepEqual(groupBySize([], 10), [])
})
