// Faults of SQLite in words that a user can act on: by their codes, and as files and disks cause them.
import assert from 'node:assert/strict'
import { chmodSync, copyFileSync, existsSync, linkSync, readdirSync, readlinkSync } from 'node:fs'
import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { createSeal } from '#lib/seal.ts'
import { openStore } from '#store/open-store.ts'
import { openSqlite } from '#store/sqlite.ts'
import { createTurnStore } from '#store/turn-store.ts'
import { migrateSqlite } from '#store/migrate-sqlite.ts'
import { openAllFiles } from '../full-files.ts'
import { folder, lease, rejectsWith, say, step, turnOf } from './harness.ts'
import { note, notes, openBare } from './bare-sqlite.ts'
import { asAppError } from '#store/sqlite-faults.ts'

const seal = createSeal('ab'.repeat(32))

const faults: readonly (readonly [errcode: number, code: string, says: RegExp])[] = [
  [13, 'disk_full', /the disk is full/],
  [8, 'home_unwritable', /cannot be written/],
  [8 | (4 << 8), 'home_unwritable', /cannot be written/],
  ...[3, 6].map((part) => [10 | (part << 8), 'home_unwritable', /cannot be written/] as const),
  ...[1, 4, 5].map((part) => [10 | (part << 8), 'database_unavailable', /is unavailable/] as const),
  [5, 'database_unavailable', /is unavailable/],
  [5 | (2 << 8), 'database_unavailable', /is unavailable/],
  [6, 'database_unavailable', /is unavailable/],
  [10, 'database_unavailable', /is unavailable/],
  [10 | (13 << 8), 'database_unavailable', /is unavailable/],
  [10 | (19 << 8), 'disk_full', /the disk is full/],
  [14, 'database_unavailable', /is unavailable/],
  [11, 'database_unavailable', /damaged .*restore a backup/],
  [26, 'database_unavailable', /damaged .*restore a backup/],
]
for (const [errcode, code, says] of faults) {
  test(`${errcode} is ${code}: ${says.source}`, () => {
    const cause = Object.assign(new Error('reason'), { errcode })
    const fault = asAppError(cause)
    assert.ok(fault instanceof AppError)
    assert.deepEqual([fault.code, fault.cause], [code, cause])
    assert.match(fault.message, says)
  })
}

test('a file that cannot be opened because too many are open is told so', () => {
  using _ = openAllFiles()
  const fault = asAppError(Object.assign(new Error('unable to open database file'), { errcode: 14 }))
  assert.ok(fault instanceof AppError)
  assert.equal(fault.code, 'database_unavailable')
  assert.match(fault.message, /too many open files: .*`ulimit -n/)
})

test('other faults stay what they are', () => {
  const own = Object.assign(new AppError('not_found', 'gone'), { errcode: 13 })
  const errors = [
    own,
    new Error('no code'),
    ...[1, 7, 12, 19, 27].map((errcode) => Object.assign(new Error(), { errcode })),
  ]
  for (const error of errors) assert.equal(asAppError(error), error)
})

test('a full disk refuses what it cannot keep, harms nothing, and is over when there is room', async (t) => {
  const sql = openSqlite(join(folder(t), 'a.db'))
  t.after(() => sql.close())
  migrateSqlite(sql.db, ':memory:')
  const turns = createTurnStore({ sql, now: Date.now })
  const { turn } = await turns.start(turnOf())
  const pages = Number(sql.db.prepare('PRAGMA page_count').get()?.['page_count'])
  sql.db.exec(`PRAGMA max_page_count=${pages + 2}`)
  const long = say('x'.repeat(100_000))
  const refused = await Promise.allSettled([
    turns.start(turnOf({ input: [long] })),
    turns.record(turn, lease, step([long])),
    turns.start(turnOf({ input: [say('short')] })),
  ])
  assert.deepEqual(
    refused.map(({ status }) => status),
    ['rejected', 'rejected', 'fulfilled'],
  )
  for (const each of refused.slice(0, 2)) {
    assert.equal(((each as PromiseRejectedResult).reason as AppError).code, 'disk_full')
  }
  assert.equal((await turns.list(turn.userId, { limit: 9 })).rows.length, 2)
  sql.db.exec('PRAGMA max_page_count=1000000')
  const { entries } = await turns.record(turn, lease, step([long], { status: 'completed' }))
  assert.equal(entries[0]?.seq, 2)
})

test('a database that cannot be written says so and still reads', async (t) => {
  const sql = openBare(t)
  await sql.write(() => note('a'))
  sql.db.exec('PRAGMA query_only=ON')
  await rejectsWith(
    sql.write(() => note('b')),
    'home_unwritable',
  )
  assert.deepEqual(await sql.read(notes), ['a'])
  sql.db.exec('PRAGMA query_only=OFF')
  assert.equal(await sql.write(() => note('b')), 'b')
})

const asRoot = process.getuid?.() === 0 && 'root may write every file'

test('a file that may not be written is read, and nothing is acknowledged', { skip: asRoot }, async (t) => {
  const path = join(folder(t), 'a.db')
  const before = openStore({ path, seal })
  const { turn } = await before.turns.start(turnOf())
  await before.close()
  chmodSync(path, 0o400)
  const store = openStore({ path, seal })
  t.after(() => store.close())
  assert.equal((await store.turns.get(turn.userId, turn.id))?.status, 'running')
  await rejectsWith(store.turns.start(turnOf()), 'home_unwritable')
})

const badFiles: readonly [what: string, make: (path: string) => string][] = [
  ['a folder in place of the file', (path) => path],
  ['a folder that is not there', (path) => join(path, 'none', 'a.db')],
  ['a file that is no database', () => import.meta.filename],
]
for (const [what, make] of badFiles) {
  test(`${what} is a fault in words`, (t) => {
    assert.throws(() => openStore({ path: make(folder(t)), seal }), { name: 'AppError', code: 'database_unavailable' })
  })
}

test('a file that is no database is closed again', { skip: !existsSync('/proc/self/fd') }, (t) => {
  const path = join(folder(t), 'a.db')
  writeFileSync(path, 'no database '.repeat(100))
  assert.throws(() => openSqlite(path), { code: 'database_unavailable', message: /damaged/ })
  const targetOf = (fd: string): string => {
    try {
      return readlinkSync(join('/proc/self/fd', fd))
    } catch {
      return ''
    }
  }
  assert(!readdirSync('/proc/self/fd').map(targetOf).includes(path))
})

const strikes: readonly (readonly [what: string, strike: (path: string) => void])[] = [
  ['removed', (path) => rmSync(path)],
  [
    'not reached by its name',
    (path) => {
      rmSync(path)
      symlinkSync(path, path)
    },
  ],
  [
    'replaced by a copy',
    (path) => {
      copyFileSync(path, `${path}.copy`)
      renameSync(`${path}.copy`, path)
    },
  ],
]
for (const [what, strike] of strikes) {
  test(`a file that is ${what} while it is open takes nothing more, until it is back`, async (t) => {
    const place = folder(t)
    const path = join(place, 'a.db')
    const sql = openBare(t, path)
    await sql.write(() => note('before'))
    linkSync(path, `${path}.kept`)
    strike(path)
    const names = readdirSync(place)
    const gone = (work: Promise<unknown>) =>
      assert.rejects(work, {
        code: 'database_unavailable',
        message: /a\.db was removed, replaced or closed off .*put it back/,
      })
    await gone(sql.write(() => note('lost')))
    await gone(sql.write(() => note('long'), { bytes: 3_000_000 }))
    await gone(sql.ping())
    assert.deepEqual(readdirSync(place), names, 'no thread has made another one')
    assert.deepEqual(await sql.read(notes), ['before'])
    renameSync(`${path}.kept`, path)
    await sql.ping()
    await sql.write(() => note('after'))
    assert.deepEqual(await sql.read(notes), ['before', 'after'])
  })
}
