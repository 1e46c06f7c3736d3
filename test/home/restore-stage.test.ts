// A restore that is cut off has happened as a whole, or not at all.
import assert from 'node:assert/strict'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { homeAt, lockHome, openHome } from '#home.ts'
import { createStage, decideRestore, dropStage, finishRestore, isRestoreDecided } from '#home/restore-stage.ts'
import { mountedNames, preparedMark, writePlan } from '#home/restore-stage.ts'

/** A home with old files, and a restore of new ones that is prepared. */
function prepared(t: TestContext): string {
  const home = mkdtempSync(join(tmpdir(), 'atrium-stage-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  const old = ['atrium.db', 'atrium.db-wal', 'atrium.db-shm', 'master-key', 'master-key.next', 'webui-token']
  for (const name of old) writeFileSync(join(home, name), 'old')
  mkdirSync(join(home, 'users'))
  writeFileSync(join(home, 'users', 'old'), 'old')
  const stage = createStage(home)
  for (const name of ['atrium.db', 'master-key']) writeFileSync(join(stage, name), 'new')
  mkdirSync(join(stage, 'users'))
  mkdirSync(join(stage, 'aside'))
  writeFileSync(join(stage, 'aside', 'database.backup'), 'old')
  writePlan(home, {
    mark: 'm',
    aside: 'aside',
    places: ['atrium.db', 'master-key', 'users'],
    clears: ['master-key.next'],
  })
  return home
}

function contents(home: string, names: readonly string[]): (string | undefined)[] {
  return names.map((name) => (existsSync(join(home, name)) ? readFileSync(join(home, name), 'utf8') : undefined))
}

function checkDone(home: string): void {
  assert.deepEqual(readdirSync(home).toSorted(), ['aside', 'atrium.db', 'master-key', 'users', 'webui-token'])
  assert.deepEqual(contents(home, ['atrium.db', 'master-key', 'webui-token']), ['new', 'new', 'old'])
  assert.deepEqual(readdirSync(join(home, 'users')), [])
  const database = ['atrium.db', 'atrium.db-shm', 'atrium.db-wal', 'database.backup']
  const aside = [...database, 'master-key', 'master-key.next', 'users']
  assert.deepEqual(readdirSync(join(home, 'aside')).toSorted(), aside)
}

test('before it is decided nothing has changed, and it can be dropped or begun again', (t) => {
  const home = prepared(t)
  finishRestore(home)
  assert.deepEqual(contents(home, ['atrium.db', 'master-key', 'atrium.db-wal']), ['old', 'old', 'old'])
  assert.deepEqual([isRestoreDecided(home), preparedMark(home)], [false, 'm'])
  assert.deepEqual(readdirSync(createStage(home)), [])
  assert.equal(preparedMark(home), undefined)
  dropStage(home)
  assert.equal(existsSync(join(home, 'restore.part')), false)
})

// Each is the state in which a killed process may leave the home.
const cuts: readonly (readonly [when: string, cut: (home: string) => void])[] = [
  ['decided', () => {}],
  ['the half changed key is aside', (home) => move(home, 'master-key.next', 'aside/master-key.next')],
  ['the old log is aside', (home) => move(home, 'atrium.db-wal', 'aside/atrium.db-wal')],
  [
    'the old database is aside',
    (home) => ['atrium.db-wal', 'atrium.db-shm', 'atrium.db'].forEach((name) => move(home, name, `aside/${name}`)),
  ],
  [
    'the new database is in place',
    (home) => {
      for (const name of ['atrium.db-wal', 'atrium.db-shm', 'atrium.db']) move(home, name, `aside/${name}`)
      move(home, 'restore.ready/atrium.db', 'atrium.db')
    },
  ],
]
for (const [when, cut] of cuts) {
  test(`killed when ${when}: whoever locks the home next carries it out`, (t) => {
    const home = prepared(t)
    decideRestore(home)
    if (when !== 'decided') move(home, 'restore.ready/aside', 'aside')
    cut(home)
    const unlock = lockHome(openHome(home))
    unlock?.()
    rmSync(join(home, 'lock'))
    checkDone(home)
    finishRestore(homeAt(home).path)
    checkDone(home)
  })
}

test('a link that leads nowhere is put aside as a folder is', (t) => {
  const home = prepared(t)
  rmSync(join(home, 'users'), { recursive: true })
  symlinkSync('nowhere', join(home, 'users'))
  decideRestore(home)
  finishRestore(home)
  assert(lstatSync(join(home, 'users')).isDirectory())
  assert.equal(readlinkSync(join(home, 'aside', 'users')), 'nowhere')
})

test('killed before its plan was written: whoever locks the home next removes what was prepared', (t) => {
  const home = prepared(t)
  writeFileSync(join(createStage(home), 'master-key'), 'new')
  lockHome(openHome(home))?.()
  assert.equal(existsSync(join(home, 'restore.part')), false)
  assert.deepEqual(contents(home, ['master-key']), ['old'])
})

test('a restore that is dropped takes the copy of what it would have replaced with it', (t) => {
  const home = prepared(t)
  assert.equal(existsSync(join(home, 'restore.part', 'aside', 'database.backup')), true)
  dropStage(home)
  assert.deepEqual([existsSync(join(home, 'aside')), existsSync(join(home, 'restore.part'))], [false, false])
})

test('mount points among the names of a folder are found', () => {
  const mounts = [
    '22 1 8:1 / / rw,relatime - ext4 /dev/a rw',
    '23 22 8:1 /data /srv/my\\040home/workspace rw - ext4 /dev/a rw',
    '24 22 8:1 /k /srv/my\\040home/users/u1 rw - ext4 /dev/a rw',
    '',
  ].join('\n')
  assert.deepEqual(mountedNames(mounts, '/srv/my home', ['workspace', 'users']), ['workspace'])
  assert.deepEqual(mountedNames(mounts, '/srv', ['workspace', 'users']), [])
})

function move(home: string, from: string, to: string): void {
  renameSync(join(home, from), join(home, to))
}
