import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readFolder } from '#skills/folder.ts'
import { readZip } from '#skills/zip.ts'
import { zipOf } from './zip-file.ts'

test('an archive with one top folder is a folder', async () => {
  const bytes = zipOf([
    { path: 'pdf/', content: '' },
    { path: 'pdf/SKILL.md', content: 'x'.repeat(1_000), deflate: true },
    { path: 'pdf/a/b.md', content: 'b' },
    { path: '__MACOSX/pdf/._SKILL.md', content: 'c' },
    { path: 'pdf/.DS_Store', content: 'd' },
  ])
  const { name, files } = await readZip(bytes)
  assert.equal(name, 'pdf')
  assert.deepEqual(
    files.map(({ path, content }) => [path, content.length]),
    [
      ['SKILL.md', 1_000],
      ['a/b.md', 1],
    ],
  )
})

test('a name in UTF-8 is read as such, also without the flag that says so', async () => {
  for (const flags of [0, 0x800]) {
    const { files } = await readZip(zipOf([{ path: 'pdf/größe.md', content: 'x', flags }]))
    assert.deepEqual(
      files.map(({ path }) => path),
      ['größe.md'],
    )
  }
})

test('a name that is no UTF-8 is read in the code page of old archives', async () => {
  const bytes = zipOf([{ path: 'pdf/gr__e.md', content: 'x' }])
  const old = Buffer.from(bytes.toString('latin1').replaceAll('gr__e', 'gr\x94\xe1e'), 'latin1')
  const { files } = await readZip(old)
  assert.deepEqual(
    files.map(({ path }) => path),
    ['größe.md'],
  )
})

/** An archive of which bytes were changed: of its file's content, or the method of compression. */
function changed({ from = '', to = '', method = 0 }: { from?: string; to?: string; method?: number }): Buffer {
  const bytes = zipOf([{ path: 'a/SKILL.md', content: 'whole' }])
  if (from !== '') bytes.write(to, bytes.indexOf(from))
  bytes.writeUInt16LE(method, bytes.indexOf('PK\u0001\u0002') + 10)
  return bytes
}

const refused: readonly [what: string, bytes: () => Buffer, why: RegExp][] = [
  ['no archive', () => Buffer.from('hello'), /cannot be read: it is no ZIP file, or a broken one$/],
  ['a file that is not as it was packed', () => changed({ from: 'whole', to: 'other' }), /a broken one$/],
  ['an unknown compression', () => changed({ method: 99 }), /^AppError: a\/SKILL\.md is compressed in a way/],
  ['an empty one', () => zipOf([]), /one top folder/],
  ['one without a folder', () => zipOf([{ path: 'SKILL.md', content: 'x' }]), /one top folder/],
  [
    'one with two folders',
    () =>
      zipOf([
        { path: 'a/SKILL.md', content: 'x' },
        { path: 'b/SKILL.md', content: 'x' },
      ]),
    /one top folder/,
  ],
  ['a path that leaves', () => zipOf([{ path: 'a/../../b', content: 'x' }]), /holds "a\/..\/..\/b": the path leaves/],
  [
    'a path from the root',
    () => zipOf([{ path: '/a/SKILL.md', content: 'x' }]),
    /holds "\/a\/SKILL.md": the path leaves/,
  ],
  ['a backslash', () => zipOf([{ path: 'a\\SKILL.md', content: 'x' }]), /backslash/],
  ['a link', () => zipOf([{ path: 'a/SKILL.md', content: '/etc/passwd', mode: 0o120777 }]), /holds a link/],
  [
    '11 MiB',
    () => zipOf([{ path: 'a/SKILL.md', content: 'x'.repeat(11 * 1024 * 1024), deflate: true }]),
    /at most 10485760/,
  ],
  [
    'a size that is not true',
    () => zipOf([{ path: 'a/SKILL.md', content: 'x'.repeat(1_000_000), deflate: true, says: 10 }]),
    /cannot be read/,
  ],
  [
    '201 files',
    () => zipOf(Array.from({ length: 201 }, (_, at) => ({ path: `a/${at}`, content: 'x' }))),
    /more than 200 files/,
  ],
  [
    '2,001 entries, though most are clutter',
    () => zipOf(Array.from({ length: 2_001 }, (_, at) => ({ path: `a/.git/${at}`, content: '' }))),
    /the archive has 2001 entries, at most 2000 are taken/,
  ],
  [
    'an encrypted file',
    () => zipOf([{ path: 'a/SKILL.md', content: 'x', flags: 1, deflate: true }]),
    /^AppError: a\/SKILL\.md is encrypted$/,
  ],
]
for (const [what, bytes, why] of refused) {
  test(`refused: ${what}`, async () => {
    await assert.rejects(readZip(bytes()), why)
  })
}

test('a folder of the disk is read without clutter, and a link in it is refused', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'skill-'))
  t.after(() => rm(root, { recursive: true }))
  const folder = join(root, 'pdf')
  await mkdir(join(folder, '.git'), { recursive: true })
  await mkdir(join(folder, 'a'))
  await writeFile(join(folder, '.git', 'config'), 'x')
  await writeFile(join(folder, 'SKILL.md'), 'x')
  await writeFile(join(folder, 'a', 'b.md'), 'b')
  const { name, files } = await readFolder(folder)
  assert.equal(name, 'pdf')
  assert.deepEqual(files.map(({ path }) => path).toSorted(), ['SKILL.md', 'a/b.md'])
  await symlink('/etc/passwd', join(folder, 'a', 'c.md'))
  await assert.rejects(readFolder(folder), /a\/c\.md is a link/)
  await assert.rejects(readFolder(join(root, 'none')), /there is no .*none/)
})
