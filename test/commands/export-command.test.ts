// `atrium export`: everything of one person as files.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { openHomeStore } from '#app/open-storage.ts'
import { readConfig } from '#config.ts'
import { operator, userId } from '#core/ids.ts'
import { atrium, atriumEnv, mainFile } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { say, turnOf } from '../store/harness.ts'
import { newSkill } from '../store/suite-skills.ts'
import { openSmallDisk } from '../proof/small-disk.ts'
import { onTerminal, openTerminal } from '../terminal.ts'
import { signalItself } from './signal-itself.ts'

const home = newHome()
const other = newHome()
after(home.remove)
after(other.remove)

const run = (...args: string[]) => atrium(home.path, args)
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .toSorted()

test('threads, memory, skills, missions and settings are files, which another home imports', async () => {
  const idOf = ({ stderr }: { stderr: string }): string => stderr.trim().slice('thread '.length)
  await run('threads', 'pin', idOf(await run('run', 'what is 3+4?')))
  await run('threads', 'archive', idOf(await run('run', 'what is 5+6?')))
  await run('memory', 'write', 'notes/plan.md', 'Plant beans.')
  const skill = join(home.path, 'in', 'pdf')
  mkdirSync(skill, { recursive: true })
  writeFileSync(join(skill, 'SKILL.md'), '---\nname: pdf\ndescription: Reads PDF files.\n---\n\nRead it.\n')
  await run('skill', 'add', skill)
  await run('mission', 'add', 'Say hello.', '--when', '@daily', '--zone', 'Europe/Rome')
  const folder = join(home.path, 'out')
  const exported = await run('export', folder)
  assert.equal(exported.stdout, `Exported 2 threads, 1 document, 1 skill, 1 mission to ${folder}.\n`)
  const files = filesIn(folder)
  assert.deepEqual(
    files.map((file) => file.replace(/[0-9a-f-]{36}/, 'ID')),
    [
      'memory/notes/plan.md',
      'missions.json',
      'settings.json',
      'skills/pdf/SKILL.md',
      'threads/ID-what-is-3-4.json',
      'threads/ID-what-is-5-6.json',
    ],
  )
  for (const file of files) assert.equal(statSync(join(folder, file)).mode & 0o777, 0o600, file)
  const read = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8'))
  const [mission] = read('missions.json') as Record<string, unknown>[]
  assert.deepEqual(
    [mission?.['prompt'], mission?.['zone'], mission?.['status']],
    ['Say hello.', 'Europe/Rome', 'active'],
  )
  assert.deepEqual(Object.keys(read('settings.json') as object), ['zone', 'quiet_hours', 'notifications', 'grants'])
  const into = (...args: string[]) => atrium(other.path, args)
  assert.match(
    (await into('threads', 'import', join(folder, files.at(-1) ?? ''))).stdout,
    /^Imported what is 5\+6\? as /,
  )
  assert.equal((await into('memory', 'import', join(folder, 'memory'))).stdout, 'Imported 1 document.\n')
  assert.match((await into('skill', 'add', join(folder, 'skills', 'pdf'))).stdout, /^Added pdf/)
  const again = await run('export', folder)
  assert.deepEqual([again.code, again.stderr], [2, `error: ${folder} is not empty: name a new folder\n`])
})

test('--user exports what is of that user alone, with the variants of a thread', async () => {
  const added = JSON.parse((await run('user', 'add', 'ann', '--json')).stdout) as { user: { id: string } }
  const ann = userId(added.user.id)
  const { store } = await openHomeStore(readConfig({ ATRIUM_HOME: home.path }))
  const thread = { door: 'web', title: 'Beans', metadata: {}, drafts: [say('When?')] } as const
  const { id: threadId } = await store.threads.create(ann, thread)
  await store.turns.start(
    turnOf({ user: ann, forks: { threadId, beforeSeq: 1, variant: true }, input: [say('Where?')] }),
  )
  await store.close()
  const folder = join(home.path, 'of-ann')
  const exported = await run('export', folder, '--user', 'ann', '--json')
  const { threads, documents, skills, missions } = JSON.parse(exported.stdout) as Record<string, number>
  assert.deepEqual([threads, documents, skills, missions], [2, 0, 0, 0])
  const files = filesIn(folder)
  assert.deepEqual(
    files.map((file) => file.replace(/[0-9a-f-]{36}/, 'ID')),
    ['missions.json', 'settings.json', 'threads/ID-Beans.json', 'threads/ID-Beans.json'],
  )
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8')).join('')
  assert.match(texts, /When\?.*Where\?/s)
  assert.doesNotMatch(texts, /what is|Say hello/)
  const nobody = await run('export', join(home.path, 'of-bob'), '--user', 'bob')
  assert.deepEqual([nobody.code, nobody.stderr], [1, 'error: no user is named bob: see `bin/atrium user list`\n'])
})

test('the operator exports no threads of senders, and all of many threads', async () => {
  const bea = JSON.parse((await run('user', 'add', 'bea', '--json')).stdout) as { user: { id: string } }
  const { store } = await openHomeStore(readConfig({ ATRIUM_HOME: home.path }))
  const create = (user: string, door: 'web' | 'webhook') =>
    store.threads.create(userId(user), { door, title: 'Beans', metadata: {}, drafts: [] })
  await Promise.all(Array.from({ length: 101 }, () => create(bea.user.id, 'web')))
  await create('webhook:shop', 'webhook')
  await store.close()
  const db = new DatabaseSync(join(home.path, 'atrium.db'))
  const grant = db.prepare(
    `INSERT INTO grants (id, user_id, door, tool, target, granted_by, created_at, operator_reaches)
     VALUES (?, ?, 'webhook', ?, '', 'x', 1, ?)`,
  )
  grant.run('1', operator, 'time', 0)
  grant.run('2', 'webhook:shop', 'calculate', 1)
  db.close()
  const count = async (...args: string[]): Promise<unknown> =>
    (JSON.parse((await run('export', ...args, '--json')).stdout) as { threads: number }).threads
  assert.equal(await count(join(home.path, 'of-operator')), 2)
  const { grants } = JSON.parse(readFileSync(join(home.path, 'of-operator', 'settings.json'), 'utf8')) as {
    grants: { tool: string }[]
  }
  assert.deepEqual(
    grants.map(({ tool }) => tool),
    ['time'],
    'nor their grants',
  )
  assert.equal(await count(join(home.path, 'of-bea'), '--user', 'bea'), 101)
})

test('on a terminal an export shows how many threads it has written', onTerminal, async (t) => {
  const terminal = openTerminal(t, home.path, { args: ['export', join(home.path, 'shown')] })
  await terminal.until('1 thread')
  await terminal.until('Exported 2 threads')
  assert.equal(await terminal.ended, 0)
})

test('an export that fails leaves nothing that could be taken for a whole one', async (t) => {
  const broken = newHome()
  t.after(broken.remove)
  await atrium(broken.path, ['run', 'what is 3+4?'])
  const db = new DatabaseSync(join(broken.path, 'atrium.db'))
  db.exec('DROP TABLE skills')
  db.close()
  const folder = join(broken.path, 'out')
  assert.equal((await atrium(broken.path, ['export', folder])).code, 1)
  assert.deepEqual(readdirSync(folder), [])
})

test('an export for which the disk has no room names the folder, and leaves nothing in it', async (t) => {
  const home = newHome()
  t.after(home.remove)
  const disk = await openSmallDisk(home.path)
  if (!disk) return t.skip('no namespaces can be made here')
  t.after(() => disk.close())
  await atrium(home.path, ['run', 'what is 3+4?'])
  // A size of nothing would be a disk without a bound.
  writeFileSync(join(disk.path, 'other'), 'other')
  await disk.fill()
  const folder = join(disk.path, 'out')
  const { code, stderr } = await atrium(home.path, ['export', folder])
  const said = `error: the disk of ${folder} is full: nothing was exported; free some space, or name a folder on another disk\n`
  assert.deepEqual([code, stderr], [1, said])
  assert.deepEqual(readdirSync(folder), [])
})

test('an export that is killed says so in its folder, and to the next one; one that is stopped leaves nothing', async (t) => {
  const large = newHome()
  t.after(large.remove)
  await atrium(large.path, ['onboard'])
  const { store } = await openHomeStore(readConfig({ ATRIUM_HOME: large.path }))
  const thread = { door: 'web', title: 'Beans', metadata: {}, drafts: [say('When?')] } as const
  await Promise.all(Array.from({ length: 500 }, () => store.threads.create(operator, thread)))
  const files = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`${at}.md`, `${at}`]))
  for (let at = 0; at < 10; at++) await store.skills.put(operator, newSkill(`s${at}`, files))
  await store.close()
  const folder = join(large.path, 'out')
  const end = async (signal: NodeJS.Signals, into: string, part = 'threads'): Promise<unknown> => {
    const args = [signalItself(signal, join(into, part)), mainFile, 'export', into]
    return once(spawn(process.execPath, args, { env: atriumEnv(large.path), stdio: 'ignore' }), 'exit')
  }
  const stopped = join(large.path, 'stopped')
  assert.deepEqual([await end('SIGINT', stopped), readdirSync(stopped)], [[1, null], []])
  assert.deepEqual([await end('SIGINT', stopped, 'skills'), readdirSync(stopped)], [[1, null], []])
  assert.deepEqual(await end('SIGKILL', folder), [null, 'SIGKILL'])
  assert.deepEqual(readdirSync(folder), ['UNFINISHED', 'threads'])
  const again = await atrium(large.path, ['export', folder])
  const words = `error: ${folder} has an export that was cut off: remove it, or name a new folder\n`
  assert.deepEqual([again.code, again.stderr], [2, words])
})

for (const command of [['export'], ['memory', 'export']]) {
  test(`${command.join(' ')} says at once that a folder cannot be made`, async () => {
    const { code, stderr } = await run(...command, '/proc/none/out')
    assert.equal(code, 2)
    assert.match(stderr, /^error: \/proc\/none\/out cannot be made: /)
  })
}
