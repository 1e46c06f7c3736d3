// The keys of a backup, and how its files come back.
import assert from 'node:assert/strict'
import {
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
import { filePartBytes, type Line } from '#backup/format.ts'
import { createFileWriter, fileLines, joinKeys, keyLines, type Keys, readKeys } from '#backup/home-files.ts'
import { homeAt } from '#home.ts'
import { folder } from '../store/harness.ts'

for (const [before, after, joined] of [
  [{}, {}, {}],
  [{ 'master-key': 'a' }, { 'master-key': 'a', 'webui-token': 't' }, { 'master-key': 'a', 'webui-token': 't' }],
  // A rotation that began between the looks, one that ended, and one that was under way all the time.
  [{ 'master-key': 'a' }, { 'master-key': 'a', 'master-key.next': 'b' }, { 'master-key': 'a', 'master-key.next': 'b' }],
  [{ 'master-key': 'a' }, { 'master-key': 'b' }, { 'master-key': 'a', 'master-key.next': 'b' }],
  [{ 'master-key': 'a', 'master-key.next': 'b' }, { 'master-key': 'b' }, { 'master-key': 'a', 'master-key.next': 'b' }],
  [{}, { 'master-key': 'a' }, { 'master-key': 'a' }],
  [{}, { 'master-key': 'a', 'master-key.next': 'b' }, { 'master-key': 'a', 'master-key.next': 'b' }],
] as const satisfies (readonly [Keys, Keys, Keys])[]) {
  test(`keys ${JSON.stringify(before)} and then ${JSON.stringify(after)}`, () =>
    assert.deepEqual(joinKeys(before, after), joined))
}

test('a value of the environment stands for the file of a key', (t) => {
  const home = homeAt(folder(t))
  assert.deepEqual(readKeys(home, {}), {})
  for (const [name, value] of [
    ['master-key', 'a'],
    ['master-key.next', 'b'],
    ['webui-token', 't'],
  ] as const)
    writeFileSync(join(home.path, name), `${value}\n`)
  assert.deepEqual(readKeys(home, {}), { 'master-key': 'a', 'master-key.next': 'b', 'webui-token': 't' })
  assert.deepEqual(readKeys(home, { masterKey: 'FF', operatorToken: 'T' }), { 'master-key': 'ff', 'webui-token': 'T' })
})

test('a key is a private file of one line', () =>
  assert.deepEqual(keyLines({ 'master-key': 'a' }), [
    { type: 'file', path: 'master-key', mode: 0o600 },
    { type: 'part', bytes: Buffer.from('a\n') },
  ]))

test('files come back with their bytes and modes, keys private, links behind everything', async (t) => {
  const stage = folder(t)
  const writer = createFileWriter(stage, ['webui-token'])
  const lines: readonly Line[] = [
    ...keyLines({ 'master-key': 'a', 'webui-token': 't' }),
    { type: 'file', path: 'workspace/d/open', mode: 0o100666 },
    { type: 'part', bytes: Buffer.from('one ') },
    { type: 'part', bytes: Buffer.from('two') },
    { type: 'link', path: 'workspace/l', to: 'd/open' },
    { type: 'link', path: 'workspace/e/l', to: 'x' },
    { type: 'file', path: 'workspace/run', mode: 0o755 },
    { type: 'folder', path: 'users/ada/empty' },
    { type: 'link', path: 'master-key.next', to: '/etc/passwd' },
  ]
  for (const line of lines) await writer.add(line)
  assert.equal(existsSync(join(stage, 'workspace/l')), false)
  await writer.end()
  const modeOf = (path: string) => statSync(join(stage, path)).mode & 0o777
  assert.deepEqual(readdirSync(stage).toSorted(), ['master-key', 'users', 'workspace'])
  assert.equal(readFileSync(join(stage, 'master-key'), 'utf8'), 'a\n')
  assert.equal(readFileSync(join(stage, 'workspace/l'), 'utf8'), 'one two')
  assert.equal(readlinkSync(join(stage, 'workspace/l')), 'd/open')
  assert.deepEqual(
    ['master-key', 'workspace/d/open', 'workspace/run', 'workspace/d', 'workspace/e', 'users/ada/empty'].map(modeOf),
    [0o600, 0o666, 0o755, 0o700, 0o700, 0o700],
  )
})

test('a key that a backup has with another mode is private, and a folder is none', async (t) => {
  const stage = folder(t)
  const writer = createFileWriter(stage, [])
  await writer.add({ type: 'file', path: 'master-key', mode: 0o666 })
  await writer.close()
  assert.equal(statSync(join(stage, 'master-key')).mode & 0o777, 0o600)
  for (const path of ['webui-token', 'workspace', '../x', 'other/x'])
    await assert.rejects(writer.add({ type: 'folder', path }), { code: 'invalid_input' })
  await assert.rejects(writer.add({ type: 'file', path: 'workspace/../x', mode: 0 }), { code: 'invalid_input' })
})

test('a large file is read in parts, and an empty folder is named unless it is the first', async (t) => {
  const home = homeAt(folder(t))
  for (const path of ['workspace/empty', 'users']) mkdirSync(join(home.path, path), { recursive: true })
  writeFileSync(join(home.path, 'workspace/large'), Buffer.alloc(filePartBytes + 1, 7), { mode: 0o640 })
  symlinkSync('large', join(home.path, 'workspace/link'))
  const found: string[] = []
  let bytes = 0
  for await (const lines of fileLines(home, assert.fail))
    for (const line of lines) {
      if (line.type === 'part') bytes += line.bytes.length
      const path = 'path' in line ? ` ${line.path}` : ''
      found.push(`${line.type}${path}${line.type === 'part' ? ` ${line.bytes.length}` : ''}`)
    }
  assert.deepEqual(found.toSorted(), [
    'file workspace/large',
    'folder workspace/empty',
    'link workspace/link',
    'part 1',
    `part ${filePartBytes}`,
  ])
  assert.equal(bytes, filePartBytes + 1)
})
