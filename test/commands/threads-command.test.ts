// `atrium threads`: lists, searches, shows and changes threads.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { atrium, atriumEnv, mainFile } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { testFaults } from './faults.ts'
import { signalItself } from './signal-itself.ts'

const home = newHome()
after(home.remove)

test('--continue goes on with the latest thread, and threads lists it first', async () => {
  const first = await atrium(home.path, ['run', 'what is 1+1?'])
  const second = await atrium(home.path, ['run', '--continue', 'what is 2+2?'])
  assert.equal(second.stderr, first.stderr)
  const listed = await atrium(home.path, ['threads', '--json', '--limit', '1'])
  const [thread] = JSON.parse(listed.stdout) as { id: string; title: string; door: string }[]
  assert.deepEqual([`thread ${thread?.id}\n`, thread?.title, thread?.door], [first.stderr, 'what is 1+1?', 'run'])
  assert.match((await atrium(home.path, ['threads'])).stdout, /^THREAD .*\n\S+ .* run +what is 1\+1\?$/m)
})

test('a thread is shown, renamed, pinned, archived, exported, imported and deleted', async () => {
  const { stderr } = await atrium(home.path, ['run', 'what is 3+4?'])
  const id = stderr.trim().slice('thread '.length)
  const threads = async (...args: string[]) => (await atrium(home.path, ['threads', ...args])).stdout
  assert.match(await threads('show', id), /^# what is 3\+4\?\n\n## You\n\nwhat is 3\+4\?\n/)
  assert.deepEqual(JSON.parse(await threads('show', id, '--json')), JSON.parse(await threads('export', id)))
  await threads('rename', id, 'Sums')
  await threads('pin', id)
  assert.match(await threads('archive', id), /^Archived Sums\.\n$/)
  assert.doesNotMatch(await threads(), /Sums/)
  assert.match(await threads('--archived'), /Sums/)
  const file = join(home.path, 'sums.json')
  await threads('export', id, '--output', file)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const again = await atrium(home.path, ['threads', 'export', id, '--output', file, '--format', 'markdown'])
  assert.deepEqual([again.code, again.stderr], [2, `error: ${file} is there already: choose another name\n`])
  assert.equal(JSON.parse(readFileSync(file, 'utf8')).title, 'Sums', 'the file is as it was')
  const nowhere = await atrium(home.path, ['threads', 'export', id, '--output', '/nowhere/sums.json'])
  assert.equal(nowhere.code, 1)
  assert.match(nowhere.stderr, /^error: \/nowhere\/sums\.json cannot be used \(ENOENT: [^\n]*\n$/)
  const refused = await atrium(home.path, ['threads', 'delete', id])
  assert.equal(refused.code, 2)
  assert.equal(await threads('delete', id, '--yes'), 'Deleted 1 thread.\n')
  assert.equal((await atrium(home.path, ['threads', 'show', id])).code, 1)
  assert.match(await threads('import', file), /^Imported Sums as \S+\.\n$/)
  assert.equal(JSON.parse(await threads('import', file, '--json')).title, 'Sums')
  assert.match(await threads(), /run +Sums/)
  assert.equal((await atrium(home.path, ['threads', 'export', id, '--format', 'pdf'])).code, 2)
  assert.equal((await atrium(home.path, ['threads', 'rm', id])).code, 2)
  const folder = await atrium(home.path, ['threads', 'import', '/etc'])
  assert.equal(folder.code, 2)
  assert.match(folder.stderr, /^error: \/etc is a folder: name a file that [^\n]*\n$/)
})

test('an export that fails leaves no file', async () => {
  const { stderr } = await atrium(home.path, ['run', 'what is 3+4?'])
  const id = stderr.trim().slice('thread '.length)
  const db = new DatabaseSync(join(home.path, 'atrium.db'))
  const change = (bodies: string): void =>
    void db.prepare(`UPDATE items SET body = ${bodies} WHERE thread_id = ?`).run(id)
  const file = join(home.path, 'half.json')
  const exported = async () => (await atrium(home.path, ['threads', 'export', id, '--output', file])).code
  change(`'x' || body`)
  assert.equal(await exported(), 1)
  assert.ok(!existsSync(file))
  change('substr(body, 2)')
  db.close()
  assert.equal(await exported(), 0)
})

test('an export that is stopped leaves no file', async () => {
  const long = join(home.path, 'long.json')
  const content = [{ type: 'text', text: 'word '.repeat(200_000) }]
  const items = Array.from({ length: 12 }, () => ({ type: 'message', role: 'user', content }))
  writeFileSync(long, JSON.stringify({ format: 'atrium-thread', version: 1, title: 'Long', items }))
  const { stdout } = await atrium(home.path, ['threads', 'import', long, '--json'])
  const { id } = JSON.parse(stdout) as { id: string }
  const file = join(home.path, 'stopped.json')
  const args = [signalItself('SIGINT', file), mainFile, 'threads', 'export', id, '--output', file]
  const child = spawn(process.execPath, args, { env: atriumEnv(home.path) })
  const errors = text(child.stderr)
  assert.deepEqual((await once(child, 'close'))[0], 1)
  assert.match(await errors, /^stopped: nothing was exported\n$/m)
  assert.ok(!existsSync(file))
})

test('secrets of this home are masked in the messages of an imported thread, which is no larger than an export', async () => {
  const secret = 'sesame-open-sesame-open'
  await atrium(home.path, ['secret', 'set', 'DOOR_KEY'], { input: secret })
  const { stderr } = await atrium(home.path, ['run', 'what is 3+4?'])
  const { stdout } = await atrium(home.path, ['threads', 'export', stderr.trim().slice('thread '.length)])
  const file = join(home.path, 'told.json')
  writeFileSync(file, stdout.replaceAll('3+4', secret))
  const imported = await atrium(home.path, ['threads', 'import', file, '--json'])
  const { id } = JSON.parse(imported.stdout) as { id: string }
  assert.match((await atrium(home.path, ['threads', 'show', id])).stdout, /what is \*\*\*\?/)
  truncateSync(file, 14 * 1024 * 1024 + 1)
  const large = await atrium(home.path, ['threads', 'import', file])
  assert.deepEqual([large.code, large.stderr], [1, 'error: an exported thread has at most 14680064 bytes\n'])
})

testFaults(home.path, [
  ...['0', '101', '1.5'].map((limit) => ({
    what: `a list of ${limit} threads`,
    args: ['threads', '--limit', limit],
    code: 2,
    says: /--limit takes a whole number from 1 to 100/,
  })),
  { what: 'an empty title', args: ['threads', 'rename', 'x', ' '], code: 2, says: /a title has 1 to/ },
  {
    what: 'a search among archived threads',
    args: ['threads', '--search', 'x', '--archived'],
    code: 2,
    says: /either --search, which finds archived ones too, or --archived/,
  },
  { what: 'an id that is none', args: ['threads', 'show', 'x'], code: 1, says: /there is no thread x/ },
])

test('threads --search finds what was said, in a home that no service has indexed', async () => {
  const { stderr } = await atrium(home.path, ['run', 'Where does the zeppelin land?'])
  await atrium(home.path, ['run', '--thread', stderr.trim().slice('thread '.length), 'And the submarine?'])
  const found = await atrium(home.path, ['threads', '--search', 'submarine'])
  assert.match(found.stdout, /^\S+ {2}Where does the zeppelin land\?\n.*submarine/s)
  const listed = await atrium(home.path, ['threads', '--search', 'zeppelin', '--json'])
  const [thread] = JSON.parse(listed.stdout) as { id: string; title: string; snippet?: string }[]
  assert.deepEqual([`thread ${thread?.id}\n`, thread?.title], [stderr, 'Where does the zeppelin land?'])
  assert.equal((await atrium(home.path, ['threads', '--search', 'nautilus'])).stdout, 'Nothing matches.\n')
  await atrium(home.path, ['threads', 'delete', thread?.id ?? '', '--yes'])
  const database = new DatabaseSync(join(home.path, 'atrium.db'), { readOnly: true })
  const left = database.prepare('SELECT count(*) AS count FROM indexed_threads WHERE thread_id = ?')
  assert.equal(left.get(thread?.id ?? '')?.['count'], 0, 'its words went with it')
  database.close()
})
