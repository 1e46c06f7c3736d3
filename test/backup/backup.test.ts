// What a backup takes of a home, what it tells of itself, and what it leaves alone.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { makeBackup, openWhereRoom, writeAll } from '#backup/backup.ts'
import type { Line } from '#backup/format.ts'
import { verifyBackup } from '#backup/read-file.ts'
import { AppError } from '#core/errors.ts'
import { type Home, homeAt } from '#home.ts'
import { pidSpace } from '#lib/pid.ts'
import { readVersion } from '#lib/version.ts'
import { newestVersion } from '#store/migrations.ts'
import { openStore } from '#store/open-store.ts'
import type { PortableRow } from '#store/portable-schema.ts'
import { folder } from '../store/harness.ts'
import { seal } from './filled.ts'
import { openBelow } from './open-below.ts'

async function emptyHome(t: TestContext): Promise<Home> {
  const home = homeAt(folder(t))
  await openStore({ path: home.database, seal }).close()
  return home
}

test('a file that is no backup is never replaced, an earlier backup is', async (t) => {
  const home = await emptyHome(t)
  const path = folder(t)
  const file = join(path, 'a')
  const parts = { home, file, withKey: false }
  writeFileSync(file, 'mine')
  await assert.rejects(makeBackup(parts), /is no backup of Atrium/)
  await assert.rejects(makeBackup({ ...parts, file: path }), /is a folder/)
  assert.equal(readFileSync(file, 'utf8'), 'mine')
  const kept = join(path, 'kept')
  await makeBackup({ ...parts, file: kept, withKey: true })
  await makeBackup({ ...parts, file: kept })
  assert.equal((await verifyBackup(kept)).header.with_key, false)
  // A link is not replaced, even if it leads to a backup.
  symlinkSync(kept, join(path, 'link'))
  await assert.rejects(makeBackup({ ...parts, file: join(path, 'link') }), /is no backup of Atrium/)
  assert.deepEqual(readdirSync(path).toSorted(), ['a', 'kept', 'link'])
  assert.deepEqual(readdirSync(home.path), ['atrium.db'])
})

test('a backup tells its versions and its size, and leaves nothing open', async (t) => {
  const home = await emptyHome(t)
  mkdirSync(join(home.path, 'workspace', 'a'), { recursive: true })
  writeFileSync(join(home.path, 'workspace', 'a', 'file'), 'text')
  const path = folder(t)
  const file = join(path, 'a')
  const { header, bytes } = await makeBackup({ home, file, withKey: true, masterKey: 'FF' })
  assert.deepEqual([header.version, header.schema, header.database], [readVersion(), newestVersion, 'sqlite'])
  assert.equal(header.created_at, new Date(header.created_at).toISOString())
  assert.equal(bytes, statSync(file).size)
  assert.deepEqual([...openBelow(home.path), ...openBelow(path)], [])
  assert.equal((await verifyBackup(file)).files, 2)
})

test('a backup that fails leaves no file, and copies of backups that run stay', async (t) => {
  const home = await emptyHome(t)
  mkdirSync(join(home.path, 'workspace'))
  writeFileSync(join(home.path, 'workspace', 'a'), 'a')
  const here = pidSpace()
  const kept = [`backup.part-${process.ppid}-${here}`, 'backup.part-mine', `backup.part-999999999-${here}.txt`]
  // No process has this id. The other one is of an earlier process with the id of this one.
  const left = ['999999999', process.pid].flatMap((pid) =>
    ['', '-wal'].map((end) => `backup.part-${pid}-${here}${end}`),
  )
  for (const name of [...kept, ...left]) writeFileSync(join(home.path, name), 'half')
  const path = folder(t)
  const onProgress = (what: string) => assert.notEqual(what, 'files')
  await assert.rejects(makeBackup({ home, file: join(path, 'a'), withKey: false, onProgress }), {
    code: 'ERR_ASSERTION',
  })
  assert.deepEqual(readdirSync(path), [])
  assert.deepEqual(readdirSync(home.path).toSorted(), ['atrium.db', 'workspace', ...kept].toSorted())
  await assert.rejects(makeBackup({ home: homeAt(path), file: join(path, 'a'), withKey: false }), {
    code: 'not_found',
    message: /no database yet/,
  })
})

test('where the home has no room for the copy of the database, or is read-only, the folder of the backup is tried', async (t) => {
  const [home, target] = [folder(t), folder(t)]
  const full = new AppError('disk_full', 'full')
  const tried: string[] = []
  const open =
    (fault: Error, ...rooms: string[]) =>
    (at: string): Promise<string> => {
      tried.push(at)
      return rooms.includes(at) ? Promise.resolve(at) : Promise.reject(fault)
    }
  assert.equal(await openWhereRoom([home, target], open(full, target)), target)
  assert.equal(await openWhereRoom([home, target], open(full, home, target)), home)
  const none = { code: 'disk_full', message: new RegExp(`full in ${home} and ${target}: free some space$`) }
  for (const code of ['ENOSPC', 'EDQUOT']) {
    const cause = Object.assign(new Error('x'), { code })
    await assert.rejects(openWhereRoom([home, target], open(cause)), { ...none, cause })
  }
  const readOnly = Object.assign(new Error('read-only file system'), { code: 'EROFS' })
  assert.equal(await openWhereRoom([home, target], open(readOnly, target)), target)
  await assert.rejects(openWhereRoom([home, target], open(readOnly)), {
    code: 'home_unwritable',
    message: new RegExp(`${home} and ${target} cannot be written: name a file on another disk$`),
  })
  await assert.rejects(openWhereRoom([home, home], open(full)), { message: new RegExp(`full in ${home}: free`) })
  tried.length = 0
  await assert.rejects(openWhereRoom([home, target], open(new Error('broken'), target)), /broken/)
  await assert.rejects(openWhereRoom([home, join(target, 'none')], open(full)), { code: 'disk_full' })
  assert.deepEqual(tried, [home, home], 'only for lack of room, and only in a folder that is there')
})

/** A snapshot of two tables, and a file that keeps its lines. */
function fakes(rows: Readonly<Record<string, readonly (readonly PortableRow[])[]>>) {
  const lines: Line[] = []
  const tables = Object.keys(rows).map((name) => ({ name, columns: [{ name: 'id', type: 'text' as const }] }))
  const snapshot = {
    backend: 'sqlite' as const,
    version: 1,
    tables,
    count: ({ name }: { name: string }) => Promise.resolve((rows[name] ?? []).flat().length),
    async *rows({ name }: { name: string }) {
      yield* rows[name] ?? []
    },
  }
  const target = {
    add: (more: readonly Line[]) => Promise.resolve(void lines.push(...more)),
    commit: () => Promise.resolve(1),
    discard: () => Promise.resolve(),
  }
  return { lines, snapshot, target }
}

test('progress is the share of all rows that are written', async (t) => {
  const { snapshot, target, lines } = fakes({ a: [[['1'], ['2']], [['3']]], b: [[['4']]], none: [] })
  const told: [string, number][] = []
  const onProgress = (what: string, share: number) => void told.push([what, share])
  const made = await writeAll(target, { snapshot, keys: {}, withKey: false, home: homeAt(folder(t)), onProgress })
  assert.deepEqual(told, [
    ['a', 0.5],
    ['a', 0.75],
    ['b', 1],
  ])
  assert.deepEqual(made.header.tables, { a: 3, b: 1, none: 0 })
  assert.deepEqual(
    lines.map((line) => (line.type === 'row' ? line.row : line.type === 'table' ? line.table : line.type)),
    ['header', 'a', ['1'], ['2'], ['3'], 'b', ['4'], 'none'],
  )
})

test('a single row is all of it', async (t) => {
  const { snapshot, target } = fakes({ a: [[['1']]] })
  const shares: number[] = []
  const onProgress = (_: string, share: number) => void shares.push(share)
  await writeAll(target, { snapshot, keys: {}, withKey: false, home: homeAt(folder(t)), onProgress })
  assert.deepEqual(shares, [1])
})

test('keys and links count as files, folders do not, and of many skipped files twenty are named', async (t) => {
  const home = homeAt(folder(t))
  mkdirSync(join(home.path, 'workspace', 'empty'), { recursive: true })
  symlinkSync('x', join(home.path, 'workspace', 'link'))
  // Names that are not UTF-8 cannot be read.
  for (let at = 0; at < 21; at++)
    writeFileSync(Buffer.concat([Buffer.from(join(home.path, `workspace/${at}`)), Buffer.from([0xff])]), '')
  const { snapshot, target } = fakes({})
  const made = await writeAll(target, { snapshot, keys: { 'master-key': 'a' }, withKey: true, home })
  assert.deepEqual([made.files, made.skipped.length], [2, 20])
})
