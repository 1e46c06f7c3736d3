// Which files of a home a backup takes, and where a restore writes them: no link leads either of them elsewhere.
import assert from 'node:assert/strict'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Line } from '#backup/format.ts'
import { createFileWriter, fileLines } from '#backup/home-files.ts'
import { homeAt } from '#home.ts'
import { folder } from '../store/harness.ts'

const link = (path: string, to: string): Line => ({ type: 'link', path, to })
const hostile: readonly (readonly [what: string, lines: (outside: string) => Line[]])[] = [
  ['a link below a link', (outside) => [link('workspace/a', outside), link('workspace/a/b', 'x')]],
  ['a link below a later link', (outside) => [link('workspace/a/b', 'x'), link('workspace/a', outside)]],
  ['a folder below a link', (outside) => [link('workspace/a', outside), link('workspace/a/b/c', 'x')]],
  ['an empty folder in place of a link', (o) => [{ type: 'folder', path: 'workspace/a' }, link('workspace/a', o)]],
  ['a link twice', (outside) => [link('workspace/a', outside), link('workspace/a', 'x')]],
  ['a file below a link', (o) => [link('workspace/a', o), { type: 'file', path: 'workspace/a/b', mode: 0o600 }]],
]
for (const [what, lines] of hostile) {
  test(`${what} is refused, and nothing is written outside`, async (t) => {
    const [stage, outside] = [folder(t), folder(t)]
    const writer = createFileWriter(stage, [])
    for (const line of lines(outside)) await writer.add(line)
    await assert.rejects(writer.end(), { code: 'invalid_input' })
    assert.deepEqual(readdirSync(outside), [])
  })
}

test('a folder that becomes a link to the keys while a backup is made is skipped', async (t) => {
  const home = homeAt(folder(t))
  writeFileSync(join(home.path, 'master-key'), 'secret')
  for (const name of ['a', 'b']) {
    mkdirSync(join(home.path, 'users', name), { recursive: true })
    writeFileSync(join(home.path, 'users', name, 'file'), '')
  }
  const skipped: string[] = []
  const seen: string[] = []
  for await (const lines of fileLines(home, (path) => skipped.push(path)))
    for (const line of lines) {
      if (line.type !== 'file') continue
      seen.push(line.path)
      // The other folder was found already, and is read next.
      const other = line.path === 'users/a/file' ? 'users/b' : 'users/a'
      renameSync(join(home.path, other), join(home.path, 'moved'))
      symlinkSync('..', join(home.path, other))
    }
  assert.deepEqual([seen.length, skipped.length], [1, 1])
  assert.notEqual(seen[0], `${skipped[0]}/file`)
})

test('a workspace that is a link is taken, unless it leads to the home', async (t) => {
  const [home, outside] = [homeAt(folder(t)), folder(t)]
  writeFileSync(join(home.path, 'master-key'), 'secret')
  writeFileSync(join(outside, 'file'), '')
  symlinkSync(outside, join(home.path, 'workspace'))
  symlinkSync('.', join(home.path, 'users'))
  const skipped: string[] = []
  const found: Line[] = []
  for await (const lines of fileLines(home, (path) => skipped.push(path))) found.push(...lines)
  assert.deepEqual(
    found.map((line) => line.type === 'file' && line.path),
    ['workspace/file'],
  )
  assert.deepEqual(skipped, ['users'])
})

test('a file that is cut short meanwhile is named, and the rest of its folder is taken', async (t) => {
  const home = homeAt(folder(t))
  mkdirSync(join(home.path, 'workspace'))
  const names = ['a', 'b', 'c']
  for (const name of names) writeFileSync(join(home.path, 'workspace', name), 'text')
  const skipped: string[] = []
  const seen: string[] = []
  for await (const lines of fileLines(home, (path) => skipped.push(path)))
    for (const line of lines) {
      if (line.type !== 'file') continue
      if (seen.length === 0) truncateSync(join(home.path, line.path))
      seen.push(line.path)
    }
  assert.deepEqual(
    seen.toSorted(),
    names.map((name) => `workspace/${name}`),
  )
  assert.deepEqual(skipped, seen.slice(0, 1))
  assert(!existsSync(join(home.path, 'users')))
})

test('what is removed meanwhile is not named, and a file that grows is taken as it was', async (t) => {
  const home = homeAt(folder(t))
  mkdirSync(join(home.path, 'users', 'ada'), { recursive: true })
  const names = ['a', 'b', 'c']
  for (const name of names) writeFileSync(join(home.path, 'users', name), 'text')
  const [seen, parts]: [string[], string[]] = [[], []]
  for await (const lines of fileLines(home, assert.fail))
    for (const line of lines) {
      if (line.type === 'part') parts.push(Buffer.from(line.bytes).toString())
      if (line.type !== 'file') continue
      seen.push(line.path)
      appendFileSync(join(home.path, line.path), ' and more')
      for (const name of [...names, 'ada'])
        if (line.path !== `users/${name}`) rmSync(join(home.path, 'users', name), { recursive: true, force: true })
    }
  assert.equal(seen.length, 1)
  assert.deepEqual(parts, ['text'])
})

test('a name that is not UTF-8 is named as skipped', async (t) => {
  const home = homeAt(folder(t))
  mkdirSync(join(home.path, 'workspace'))
  writeFileSync(Buffer.concat([Buffer.from(join(home.path, 'workspace/x')), Buffer.from([0xff])]), 'text')
  const skipped: string[] = []
  for await (const lines of fileLines(home, (path) => skipped.push(path))) assert.fail(JSON.stringify(lines))
  assert.deepEqual(skipped, ['workspace/x\u{fffd}'])
})

test('a link that the disk refuses is told by the fault of the disk', async (t) => {
  const writer = createFileWriter(folder(t), [])
  await writer.add(link('workspace/a', 'x'.repeat(10_000)))
  await assert.rejects(writer.end(), { code: 'ENAMETOOLONG' })
})
