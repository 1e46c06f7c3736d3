// A backup and its restore on SQLite: rows, files, keys, and what was there before.
import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { createHash } from 'node:crypto'
import { makeBackup } from '#backup/backup.ts'
import { lineText } from '#backup/format.ts'
import { checkBackup, restoreBackup } from '#backup/restore.ts'
import { homeAt } from '#home.ts'
import { pidSpace } from '#lib/pid.ts'
import { folder } from '../store/harness.ts'
import { fillHome, restore, sqliteRows } from './filled.ts'

test('files of the workspaces come back with their modes and links; keys only on request', async (t) => {
  const home = await fillHome(folder(t))
  mkdirSync(join(home.path, 'users', 'u1', 'workspace'), { recursive: true })
  mkdirSync(join(home.path, 'workspace', 'nothing', 'here'), { recursive: true })
  const large = Buffer.alloc(1_000_000, 'abc')
  writeFileSync(join(home.path, 'workspace', 'large.bin'), large)
  writeFileSync(join(home.path, 'workspace', 'empty'), '')
  writeFileSync(join(home.path, 'users', 'u1', 'workspace', 'run.sh'), 'true')
  chmodSync(join(home.path, 'users', 'u1', 'workspace', 'run.sh'), 0o700)
  symlinkSync('large.bin', join(home.path, 'workspace', 'link'))
  writeFileSync(join(home.path, 'master-key'), `${'0'.repeat(64)}\n`)
  writeFileSync(join(home.path, 'webui-token'), 'atr_a-token-of-the-tests\n')
  for (const withKey of [false, true]) {
    const file = join(folder(t), 'a.backup')
    await makeBackup({ home, file, withKey })
    const target = homeAt(folder(t))
    await restore({ home: target, file, replace: false })
    assert(readFileSync(join(target.path, 'workspace', 'large.bin')).equals(large))
    assert.equal(readFileSync(join(target.path, 'workspace', 'empty'), 'utf8'), '')
    assert.equal(statSync(join(target.path, 'users', 'u1', 'workspace', 'run.sh')).mode & 0o777, 0o700)
    assert.equal(readlinkSync(join(target.path, 'workspace', 'link')), 'large.bin')
    assert.deepEqual(readdirSync(join(target.path, 'workspace', 'nothing', 'here')), [], 'an empty folder')
    for (const name of ['workspace', 'users']) assert.equal(statSync(join(target.path, name)).mode & 0o777, 0o700)
    for (const name of ['master-key', 'webui-token']) {
      assert.equal(existsSync(join(target.path, name)), withKey)
      if (withKey) assert.deepEqual(readFileSync(join(target.path, name)), readFileSync(join(home.path, name)))
    }
  }
})

test('every row comes back, the files are counted, and progress is told up to the end', async (t) => {
  const home = await fillHome(folder(t))
  mkdirSync(join(home.path, 'workspace'))
  writeFileSync(join(home.path, 'workspace', 'a'), 'a')
  symlinkSync('a', join(home.path, 'workspace', 'b'))
  // Left by a backup that was killed: no process has this id.
  const left = join(home.path, `backup.part-999999999-${pidSpace()}`)
  writeFileSync(left, 'half')
  const file = join(folder(t), 'a.backup')
  const told = new Map<string, number>()
  const onProgress = (what: string, share: number): void => void told.set(what, share)
  const made = await makeBackup({ home, file, withKey: false, onProgress })
  assert.deepEqual([made.files, made.skipped, made.header.with_key], [2, [], false])
  assert.equal(told.get('files'), 1)
  assert.equal(existsSync(left), false)
  const before = await sqliteRows(home.database, t)
  const rows = Object.fromEntries(Object.entries(before).map(([table, all]) => [table, all.length]))
  assert.deepEqual(made.header.tables, rows)
  const target = homeAt(folder(t))
  const restored = await restore({ home: target, file, replace: false, onProgress })
  assert.deepEqual([restored.aside, restored.files], [undefined, 2])
  assert.deepEqual([told.get('checking the backup'), told.get('restoring')], [1, 1])
  assert.deepEqual(await sqliteRows(target.database, t), before)
  await assert.rejects(restore({ home: target, file, replace: false }), { code: 'forbidden' })
  writeFileSync(join(target.path, 'workspace', 'mine'), 'mine')
  const { aside = '' } = await restore({ home: target, file, replace: true })
  assert.deepEqual(readdirSync(aside).toSorted(), ['atrium.db', 'users', 'workspace'])
  assert.equal(readFileSync(join(aside, 'workspace', 'mine'), 'utf8'), 'mine')
  assert.deepEqual(await sqliteRows(target.database, t), before)
  assert.deepEqual(readdirSync(join(target.path, 'workspace')).toSorted(), ['a', 'b'])
})

test('a home with files and no rows is not empty either', async (t) => {
  const home = await fillHome(folder(t))
  const file = join(folder(t), 'a.backup')
  await makeBackup({ home, file, withKey: false })
  const target = homeAt(folder(t))
  mkdirSync(join(target.path, 'users', 'u1'), { recursive: true })
  await assert.rejects(restore({ home: target, file, replace: false }), { code: 'forbidden' })
  assert.deepEqual(readdirSync(join(target.path, 'users')), ['u1'])
})

test('a table or a column that is not known is named, and nothing is restored', async (t) => {
  const home = await fillHome(folder(t))
  const file = join(folder(t), 'a.backup')
  await makeBackup({ home, file, withKey: false })
  const [header = '', ...lines] = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n')
  const rest = lines.slice(0, -1).map((line) => `${line}\n`)
  for (const [from, to, message] of [
    [/"columns":\["\w+"/, '"columns":["other"', /a column other of/],
    [/"table":"settings"/, '"table":"others"', /a table others/],
  ] as const) {
    const at = rest.findIndex((line) => from.test(line))
    assert.ok(at >= 0, from.source)
    const counted = header.replace('"settings":', to.startsWith('"table"') ? '"others":' : '"settings":')
    const text = [`${counted}\n`, ...rest.with(at, (rest[at] ?? '').replace(from, to))].join('')
    const sha256 = createHash('sha256').update(text).digest('hex')
    const changed = join(folder(t), 'b.backup')
    writeFileSync(changed, gzipSync(text + lineText({ type: 'end', files: 0, sha256 })))
    const target = homeAt(folder(t))
    await assert.rejects(restore({ home: target, file: changed, replace: false }), { code: 'invalid_input', message })
    assert.deepEqual(readdirSync(target.path), ['lock'])
  }
})

test('a value of another type than its column is named by its table, row and column, and nothing is restored', async (t) => {
  const home = await fillHome(folder(t))
  const file = join(folder(t), 'a.backup')
  await makeBackup({ home, file, withKey: false })
  const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n').slice(0, -1)
  const threads = lines.findIndex((line) => line.includes('"table":"threads"'))
  const { columns } = JSON.parse(lines[threads] ?? '') as { columns: string[] }
  for (const [column, value, type] of [
    ['title', 5, 'text'],
    ['title', { bytes: '' }, 'text'],
    ['created_at', 'noon', 'number'],
    ['created_at', 2 ** 53, 'number'],
  ] as const) {
    const row = JSON.parse(lines[threads + 2] ?? '') as unknown[]
    const wrong = JSON.stringify(row.with(columns.indexOf(column), value))
    const text = lines
      .with(threads + 2, wrong)
      .map((line) => `${line}\n`)
      .join('')
    const sha256 = createHash('sha256').update(text).digest('hex')
    const changed = join(folder(t), 'b.backup')
    writeFileSync(changed, gzipSync(text + lineText({ type: 'end', files: 0, sha256 })))
    const target = homeAt(folder(t))
    await assert.rejects(restore({ home: target, file: changed, replace: false }), {
      code: 'invalid_input',
      message: `row 2 of the table threads has a value in the column ${column} that is not of the type ${type}: nothing was restored`,
    })
    assert.deepEqual(readdirSync(target.path), ['lock'])
  }
})

test('rows that the database refuses, and names that the disk refuses, are told in words', async (t) => {
  const home = await fillHome(folder(t))
  const file = join(folder(t), 'a.backup')
  await makeBackup({ home, file, withKey: false })
  const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n').slice(0, -1)
  const settings = lines.findIndex((line) => line.includes('"table":"settings"'))
  const twice = [...lines.slice(0, settings + 2), ...lines.slice(settings + 1)]
  twice[0] = (lines[0] ?? '').replace(/"settings":(\d+)/, (_, rows) => `"settings":${Number(rows) + 1}`)
  const long = lineText({ type: 'file', path: `workspace/${'a'.repeat(300)}`, mode: 0o600 }).trimEnd()
  for (const [some, files, message] of [
    [twice, 0, /b\.backup cannot be used: UNIQUE constraint failed: settings\.\w+.*nothing was restored/],
    [[...lines, long], 1, /b\.backup cannot be used: ENAMETOOLONG/],
  ] as const) {
    const text = some.map((line) => `${line}\n`).join('')
    const sha256 = createHash('sha256').update(text).digest('hex')
    const changed = join(folder(t), 'b.backup')
    writeFileSync(changed, gzipSync(text + lineText({ type: 'end', files, sha256 })))
    const target = homeAt(folder(t))
    await assert.rejects(restore({ home: target, file: changed, replace: false }), { code: 'invalid_input', message })
    assert.deepEqual(readdirSync(target.path), ['lock'])
  }
})

test('a file that changes between the check and the restore is refused, and the home stays as it was', async (t) => {
  const home = await fillHome(folder(t))
  const file = join(folder(t), 'a.backup')
  await makeBackup({ home, file, withKey: false })
  const parts = { home: homeAt(folder(t)), file, replace: false }
  const checked = await checkBackup(parts)
  await assert.rejects(restoreBackup(parts, { ...checked, sha256: 'of another file' }), {
    code: 'invalid_input',
    message: /was changed meanwhile/,
  })
  assert.deepEqual(readdirSync(parts.home.path), [])
})

test('keys of the environment stay outside; a half changed key leaves the home only for another key', async (t) => {
  const home = await fillHome(folder(t))
  const masterKey = '0'.repeat(64)
  writeFileSync(join(home.path, 'master-key'), `${masterKey}\n`)
  writeFileSync(join(home.path, 'webui-token'), 'atr_a-token-of-the-tests\n')
  const keyNames = ['master-key', 'master-key.next', 'webui-token']
  for (const [withKey, values, left, replaced] of [
    [true, {}, ['master-key', 'webui-token'], ['master-key.next']],
    [true, { masterKey }, ['webui-token'], ['master-key.next']],
    [true, { operatorToken: 'atr_another-token-of-the-tests' }, ['master-key'], ['master-key.next']],
    [false, {}, ['master-key.next'], []],
  ] as const) {
    const file = join(folder(t), 'a.backup')
    await makeBackup({ home, file, withKey })
    const target = homeAt(folder(t))
    writeFileSync(join(target.path, 'master-key.next'), 'b')
    const { aside } = await restore({ home: target, file, replace: true, ...values })
    const found = (path: string) => readdirSync(path).filter((name) => keyNames.includes(name))
    assert.deepEqual(found(target.path).toSorted(), left)
    assert.deepEqual(aside === undefined ? [] : found(aside), replaced)
  }
})

test('a workspace on another disk is refused before anything is touched', async (t) => {
  const home = homeAt(folder(t))
  const disk = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.dev
  // The homes of tests may be in memory (test/run-folder.ts).
  const shared = ['/dev/shm', import.meta.dirname].find((path) => ![undefined, disk(home.path)].includes(disk(path)))
  if (shared === undefined) return t.skip('there is one disk')
  const source = await fillHome(folder(t))
  const file = join(folder(t), 'a.backup')
  await makeBackup({ home: source, file, withKey: false })
  symlinkSync(shared, join(home.path, 'users'))
  await assert.rejects(checkBackup({ home, file, replace: true }), /users is on another disk/)
  assert.deepEqual(readdirSync(home.path), ['users'])
})
