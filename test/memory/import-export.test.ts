// A folder each way: what comes out is what went in, to the byte.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { newId } from '#core/ids.ts'
import { createDocuments, type Documents } from '#memory/documents.ts'
import { exportFolder, importFolder, nextFactor } from '#memory/import-export.ts'
import { ada, folder as newFolder, rejectsWith } from '../store/harness.ts'
import { openMemoryStore } from '../store/memory-store.ts'

const onProgress = (): void => {}

function open(t: TestContext): Documents {
  const store = openMemoryStore()
  t.after(() => store.close())
  return createDocuments({ store: store.documents })
}

function filled(folder: string, files: Readonly<Record<string, string | Buffer>>): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}

function filesOf(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(folder, path)).isFile(),
  )
  return Object.fromEntries(paths.toSorted().map((path) => [path, readFileSync(join(folder, path)).toString('hex')]))
}

const odd: Readonly<Record<string, string>> = {
  'plain.md': 'text\n',
  'no-end.txt': 'no newline at the end',
  'crlf.txt': 'one\r\ntwo\r\n',
  'bom.txt': '\ufeffwith a mark',
  empty: '',
  'deep/er/and/deeper.md': 'x',
  ' spaces at the ends ': 'y',
  'quo"te\'s $(x) `y` *?[a].md': 'z',
  'back\\slash': 'b',
  'é-nfc.md': 'nfc',
  'e\u0301-nfd.md': 'nfd',
  '日本語/京都.md': '金閣寺',
  '😀.md': '😀'.repeat(3_000),
  '.hidden/.file': 'dot',
  '..almost': 'fine',
  'big.txt': 'word and word\n'.repeat(70_000),
  'controls.txt': 'a\u0001\u0007\u001b[31mb\u2028c\u0085',
}

test('a folder goes in and comes out without loss', async (t) => {
  const documents = open(t)
  const from = filled(newFolder(t), odd)
  const imported = await importFolder({ documents, user: ada, folder: from, onProgress })
  assert.deepEqual(imported, { moved: Object.keys(odd).length, skipped: [] })
  const to = join(newFolder(t), 'made', 'here')
  assert.deepEqual(await exportFolder({ documents, user: ada, folder: to, onProgress }), imported)
  assert.deepEqual(filesOf(to), filesOf(from))
  assert.equal(statSync(join(to, 'plain.md')).mode & 0o077, 0)
  const again = open(t)
  await importFolder({ documents: again, user: ada, folder: to, onProgress })
  for (const path of Object.keys(odd)) assert.equal((await again.read(ada, path)).content, odd[path])
})

test('what cannot be a document is left out and told, and the rest is kept', async (t) => {
  const documents = open(t)
  await documents.write(ada, [{ path: 'taken', content: 'a document', author: 'user' }])
  const from = filled(newFolder(t), {
    'good.md': 'good',
    'binary.png': Buffer.from([0x89, 0x50, 0xff, 0xfe]),
    'nul.txt': 'a\0b',
    'large.txt': 'x'.repeat(1024 * 1024 + 1),
    'taken/inside.md': 'its folder is a document',
    [`${'long/'.repeat(40)}name.md`]: 'too long a path',
    'bell\u0007.md': 'control character',
  })
  symlinkSync('/etc/passwd', join(from, 'link.md'))
  const { moved, skipped } = await importFolder({ documents, user: ada, folder: from, onProgress })
  assert.equal(moved, 1)
  assert.deepEqual(skipped.map(({ path }) => path).toSorted(), [
    'bell\u0007.md',
    'binary.png',
    'large.txt',
    'link.md',
    `${'long/'.repeat(40)}name.md`,
    'nul.txt',
    'taken/inside.md',
  ])
  assert.equal((await documents.read(ada, 'good.md')).content, 'good')
  await rejectsWith(importFolder({ documents, user: ada, folder: join(from, 'nowhere'), onProgress }), 'invalid_input')
  await rejectsWith(importFolder({ documents, user: ada, folder: join(from, 'good.md'), onProgress }), 'invalid_input')
})

const asRoot = process.getuid?.() === 0 && 'root may read every folder'

test('a folder that may not be read is refused by its path', { skip: asRoot }, async (t) => {
  const folder = newFolder(t)
  chmodSync(folder, 0)
  const refused = { code: 'invalid_input', message: `${folder} cannot be read (EACCES)` }
  await assert.rejects(importFolder({ documents: open(t), user: ada, folder, onProgress }), refused)
  chmodSync(folder, 0o700)
})

test('what a killed export was writing is no document', async (t) => {
  const draft = `.${newId()}.draft`
  const from = filled(newFolder(t), { [`notes/${draft}`]: 'half of it', '.draft': 'whole', 'notes/my.draft': 'whole' })
  const { moved, skipped } = await importFolder({ documents: open(t), user: ada, folder: from, onProgress })
  assert.deepEqual([moved, skipped.map(({ path }) => path)], [2, [`notes/${draft}`]])
})

test('a folder may have as many files as a memory documents, and not one more', async (t) => {
  const from = filled(newFolder(t), { a: '1', 'b/c': '2', 'b/\u0007': 'left out, and not counted' })
  const documents = open(t)
  const imported = (maxFiles: number) => importFolder({ documents, user: ada, folder: from, onProgress, maxFiles })
  assert.equal((await imported(2)).moved, 2)
  await rejectsWith(imported(1), 'too_large')
})

test('a file whose name is not UTF-8 is left out and told, and so is a folder', async (t) => {
  const from = filled(newFolder(t), { 'good.md': 'good' })
  const raw = (name: string): Buffer => Buffer.concat([Buffer.from(`${from}/`), Buffer.from(name, 'latin1')])
  mkdirSync(raw('caf\xe9'))
  writeFileSync(raw('na\xefve.md'), 'x')
  const { moved, skipped } = await importFolder({ documents: open(t), user: ada, folder: from, onProgress })
  const reason = 'has a name that is not UTF-8'
  assert.deepEqual(
    [moved, skipped.toSorted((a, b) => (a.path < b.path ? -1 : 1))],
    [
      1,
      [
        { path: 'caf\ufffd', reason },
        { path: 'na\ufffdve.md', reason },
      ],
    ],
  )
})

test('an export replaces a link instead of writing through it', async (t) => {
  const documents = open(t)
  await documents.write(ada, [{ path: 'a.md', content: 'new', author: 'user' }])
  const to = newFolder(t)
  const outside = join(newFolder(t), 'outside')
  writeFileSync(outside, 'untouched')
  symlinkSync(outside, join(to, 'a.md'))
  await exportFolder({ documents, user: ada, folder: to, onProgress })
  assert.deepEqual([readFileSync(outside, 'utf8'), readFileSync(join(to, 'a.md'), 'utf8')], ['untouched', 'new'])
  assert.deepEqual(readdirSync(to), ['a.md'])
})

test('progress tells how far the work is', async (t) => {
  const documents = open(t)
  const files = Object.fromEntries(Array.from({ length: 45 }, (_, at) => [`f${at}`, 'x']))
  const from = filled(newFolder(t), files)
  const steps: unknown[] = []
  const now = everyBatchTakes(20)
  await importFolder({ documents, user: ada, folder: from, onProgress: (done, of) => steps.push([done, of]), now })
  assert.deepEqual(steps, [
    [20, 45],
    [40, 45],
    [45, 45],
  ])
})

test('an import writes few documents in one transaction, fewer when they are long', async (t) => {
  const batches: number[] = []
  const documents = open(t)
  const write: Documents['write'] = (user, some) => {
    batches.push(some.length)
    return documents.write(user, some)
  }
  const long = Object.fromEntries(Array.from({ length: 5 }, (_, at) => [`a${at}`, 'word '.repeat(4_000)]))
  const short = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`b${at}`, 'x']))
  const from = filled(newFolder(t), { ...long, ...short })
  const parts = { documents: { ...documents, write }, user: ada, folder: from, onProgress }
  await importFolder({ ...parts, now: everyBatchTakes(20) })
  assert.deepEqual(batches, [2, 2, 20, 6])
  await importFolder({ ...parts, now: everyBatchTakes(5) })
  assert.deepEqual(batches.slice(4), [2, 28], 'more after a short one')
  await importFolder({ ...parts, now: everyBatchTakes(80) })
  assert.deepEqual(batches.slice(6), [2, 1, 1, 1, 5, 5, 5, 5, 5], 'fewer after a long one')
})

/** A clock that is read before and after each batch. */
function everyBatchTakes(ms: number): () => number {
  let time = 0
  return () => (time += ms)
}

test('an export reads 500 documents at a time, each page from the last path on', async (t) => {
  const paths = Array.from({ length: 1_000 }, (_, at) => `d${String(at).padStart(4, '0')}`)
  const asked: unknown[] = []
  const documents = {
    list: (_: unknown, { after = '', limit }: { after?: string; limit: number }) => {
      asked.push([after, limit])
      const rest = paths.filter((path) => path > after).slice(0, limit)
      return Promise.resolve(rest.map((path) => ({ path })))
    },
    read: (_: unknown, path: string) =>
      path === 'd0500' ? Promise.resolve({ content: path }) : Promise.reject(new Error('gone')),
  } as unknown as Documents
  const steps: number[] = []
  const to = newFolder(t)
  const { moved, skipped } = await exportFolder({
    documents,
    user: ada,
    folder: to,
    onProgress: (done) => steps.push(done),
  })
  assert.deepEqual([moved, skipped.length, skipped[0]], [1, 999, { path: 'd0000', reason: 'gone' }])
  assert.deepEqual(asked, [
    ['', 500],
    ['d0499', 500],
    ['d0999', 500],
  ])
  assert.deepEqual(steps, [0, 1, 1])
  assert.equal(readFileSync(join(to, 'd0500'), 'utf8'), 'd0500')
})

test('batches grow while they are short, shrink when they take long, and are bounded', () => {
  for (const [factor, tookMs, next] of [
    [1, 3, 2],
    [8, 3, 8],
    [2, 25, 2],
    [2, 40, 1],
    [0.25, 500, 0.25],
  ] as const) {
    assert.equal(nextFactor(factor, tookMs), next, `${factor} after ${tookMs} ms`)
  }
})
