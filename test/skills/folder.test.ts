// A folder of the disk as a skill's folder, what an update changes, and skills that a message names.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { AppError } from '#core/errors.ts'
import { filesChanged } from '#skills/changes.ts'
import { isClutter, readFolder } from '#skills/folder.ts'
import { findSkills } from '#skills/search.ts'
import { loadTyped } from '#skills/slash.ts'
import { ada } from '../store/harness.ts'

function newFolder(t: TestContext, paths: readonly string[]): string {
  const root = mkdtempSync(join(tmpdir(), 'atrium-skill-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), path)
  }
  return root
}

test('a folder is read in the order of its names, without clutter, also through a link', async (t) => {
  const root = newFolder(t, ['b.md', 'a/z.md', 'SKILL.md', '.git/x', 'a/__pycache__/x', 'a/.DS_Store', '.hidden'])
  const { name, files } = await readFolder(root)
  assert.equal(name, basename(root))
  assert.deepEqual(
    files.map(({ path, content }) => [path, String(content)]),
    ['.hidden', 'SKILL.md', 'a/z.md', 'b.md'].map((path) => [path, path]),
  )
  const link = join(newFolder(t, []), 'link')
  symlinkSync(root, link)
  assert.equal((await readFolder(link)).name, name)
})

const asRoot = process.getuid?.() === 0 && 'root may read every file'

test('a file or folder that may not be read is refused by its path', { skip: asRoot }, async (t) => {
  const root = newFolder(t, ['SKILL.md', 'a/b.md'])
  for (const path of ['a/b.md', 'a', '.']) {
    chmodSync(join(root, path), 0)
    const refused = new RegExp(`${join(root, path)} cannot be read \\(EACCES\\)$`)
    await assert.rejects(readFolder(root), { code: 'invalid_input', message: refused })
    chmodSync(join(root, path), 0o700)
  }
})

test('clutter is told by whole names', () => {
  for (const path of ['.git', 'a/.git/x', '__MACOSX/x', 'node_modules/x', 'x/__pycache__', '.DS_Store', 'a/Thumbs.db'])
    assert.equal(isClutter(path), true, path)
  for (const path of ['.github/x', 'a.git/x', 'my_node_modules/x', 'x.DS_Store', '.DS_Store/x', 'Thumbs.dbx'])
    assert.equal(isClutter(path), false, path)
})

test('a folder that is none, has links, or is too deep or too large is refused', async (t) => {
  const root = newFolder(t, ['a.md', `${'d/'.repeat(9)}x`])
  assert.equal((await readFolder(root)).files.length, 2)
  await assert.rejects(readFolder(join(root, 'nowhere')), { code: 'invalid_input' })
  await assert.rejects(readFolder(join(root, 'a.md')), { code: 'invalid_input' })
  await assert.rejects(readFolder(newFolder(t, [`${'d/'.repeat(10)}x`])), {
    code: 'invalid_input',
    message: /deeper than 10/,
  })
  const linked = newFolder(t, ['a.md'])
  symlinkSync('a.md', join(linked, 'b.md'))
  await assert.rejects(readFolder(linked), { code: 'invalid_input', message: /^b\.md is a link/ })
  const large = newFolder(t, ['a', 'b'])
  truncateSync(join(large, 'a'), 10 * 1024 * 1024 - 1)
  assert.equal((await readFolder(large)).files.length, 2)
  truncateSync(join(large, 'b'), 2)
  await assert.rejects(readFolder(large), { code: 'too_large', message: /more than 10485760 bytes/ })
  const many = newFolder(
    t,
    Array.from({ length: 200 }, (_, at) => `${at}.md`),
  )
  assert.equal((await readFolder(many)).files.length, 200)
  writeFileSync(join(many, 'one-more.md'), 'x')
  await assert.rejects(readFolder(many), { code: 'too_large', message: /more than 200 files/ })
})

const hash = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex')
const stored = (path: string, text: string | Uint8Array) => ({ path, hash: hash(text), bytes: text.length }) as never
const file = (path: string, text: string | Uint8Array) => ({ path, content: Buffer.from(text) })

test('an update tells what was added, removed and changed, as diffs where they are texts', async () => {
  const before = { same: 'x', changed: 'one\n', removed: 'gone\n', binary: 'a\0', lost: 'y' }
  const contents = new Map(Object.entries(before).map(([path, text]) => [path, Buffer.from(text)]))
  contents.delete('lost')
  const changes = await filesChanged(
    Object.entries(before).map(([path, text]) => stored(path, text)),
    [file('same', 'x'), file('changed', 'two\n'), file('added', 'new\n'), file('binary', 'b\0'), file('lost', 'z')],
    (path) => Promise.resolve(contents.get(path)),
  )
  assert.deepEqual(
    changes.map(({ path, kind, whole }) => `${path} ${kind} ${whole ? 'whole' : ''}`.trim()),
    ['added added whole', 'binary changed', 'changed changed whole', 'lost changed', 'removed removed whole'],
  )
  const ends = [/\+new$/, /^$/, /-one\n\+two$/, /^$/, /-gone$/]
  for (const [at, end] of ends.entries()) assert.match(changes[at]?.diff ?? '', end)
})

test('a change that is too long for its diff is not told as whole', async () => {
  const long = (word: string) => Array.from({ length: 20_000 }, (_, at) => `${word} ${at}\n`).join('')
  const [change] = await filesChanged([stored('a', long('old'))], [file('a', long('new'))], () =>
    Promise.resolve(Buffer.from(long('old'))),
  )
  assert.deepEqual([change?.kind, change?.whole], ['changed', false])
  assert.notEqual(change?.diff, '')
})

test('a message that begins with the name of a skill loads it; any other message loads nothing', async () => {
  const asked: string[] = []
  const load = (_: unknown, name: string) => {
    asked.push(name)
    if (name === 'gone') return Promise.reject(new AppError('not_found', 'no'))
    if (name === 'broken') return Promise.reject(new AppError('overloaded', 'no'))
    const origin = name === 'theirs' ? { origin: 'skill theirs' } : {}
    return Promise.resolve({ text: `How to ${name}`, skill: { name, allowedTools: ['read'] }, ...origin } as never)
  }
  const typed = (text: string) => loadTyped({ load }, ada, text)
  const [call, result] = await typed('/make-tea now')
  assert.ok(call?.type === 'call' && result?.type === 'result')
  assert.deepEqual([call.name, call.args, result.callId], ['skill_load', '{"name":"make-tea"}', call.callId])
  assert.deepEqual([result.output, result.effects, result.origin], ['How to make-tea', 'read', undefined])
  assert.equal(result.skill?.name, 'make-tea')
  const [, theirs] = await typed('/theirs')
  assert.equal(theirs?.type === 'result' && theirs.origin, 'skill theirs')
  assert.equal((await typed(`/${'a'.repeat(64)}\nx`)).length, 2)
  asked.length = 0
  for (const text of ['make-tea', ' /tea', '/Tea', '/tea!', '/', `/${'a'.repeat(65)}`, 'x /tea'])
    assert.deepEqual(await typed(text), [], text)
  assert.deepEqual(asked, [])
  assert.deepEqual(await typed('/gone'), [])
  await assert.rejects(typed('/broken'), { code: 'overloaded' })
})

test('skills are found by the words of their names and descriptions, eight at most', async () => {
  const skill = (name: string, description: string) => ({ name, description, updatedAt: 0 })
  const skills = [skill('make-tea', 'Brews a pot.'), skill('water-plants', 'Keeps them green.')]
  assert.deepEqual(await findSkills(skills, 'tea'), [skills[0]])
  assert.deepEqual(await findSkills(skills, 'green'), [skills[1]])
  assert.deepEqual(await findSkills(skills, 'coffee'), [])
  const many = Array.from({ length: 9 }, (_, at) => skill(`tea-${at}`, 'Brews tea.'))
  assert.equal((await findSkills(many, 'tea')).length, 8)
})
