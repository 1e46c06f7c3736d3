// Writing over what is there already: a file is replaced, anything else is left as it is.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { writeWhole } from '#tools/workspace/write.ts'

/** A home that holds none of the files. */
const home = '/nowhere/home'

async function open(t: TestContext): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), 'atrium-write-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  mkdirSync(join(root, 'folder'))
  writeFileSync(join(root, 'target.txt'), 'of the target')
  symlinkSync('target.txt', join(root, 'link.txt'))
  symlinkSync('nowhere.txt', join(root, 'broken.txt'))
  symlinkSync('folder', join(root, 'near'))
  const server = createServer().listen(join(root, 'socket'))
  t.after(() => server.close())
  await once(server, 'listening')
  return root
}

const refused: readonly [name: string, why: RegExp][] = [
  ['link.txt', /^link\.txt is a link: write to its target$/],
  ['broken.txt', /^broken\.txt is a link: write to its target$/],
  ['near', /^near is a link: write to its target$/],
  ['folder', /^folder is a folder$/],
  ['socket', /^socket is not a regular file$/],
]
for (const [name, why] of refused) {
  test(`${name} is not written over`, async (t) => {
    const root = await open(t)
    const before = [readdirSync(root), lstatSync(join(root, name)).ino]
    await assert.rejects(writeWhole({ root, home, names: [name] }, 'new'), { code: 'invalid_input', message: why })
    assert.deepEqual([readdirSync(root), lstatSync(join(root, name)).ino], before, 'nothing is left beside it')
    assert.equal(readlinkSync(join(root, 'link.txt')), 'target.txt')
    assert.equal(readFileSync(join(root, 'target.txt'), 'utf8'), 'of the target')
  })
}

test('a file is replaced, a missing one made, and which of both is told', async (t) => {
  const root = await open(t)
  assert.equal(await writeWhole({ root, home, names: ['target.txt'] }, 'new'), true)
  assert.equal(await writeWhole({ root, home, names: ['folder', 'deep', 'new.txt'] }, 'made'), false)
  assert.deepEqual(
    [join(root, 'link.txt'), join(root, 'folder', 'deep', 'new.txt')].map((path) => readFileSync(path, 'utf8')),
    ['new', 'made'],
  )
})

test('nothing is written through a folder that is a link, near or away', async (t) => {
  const root = await open(t)
  symlinkSync(tmpdir(), join(root, 'away'))
  for (const folder of ['near', 'away']) {
    const message = `${folder} is a link: write to its target`
    for (const names of [
      [folder, 'new.txt'],
      [folder, 'deep', 'new.txt'],
    ]) {
      await assert.rejects(writeWhole({ root, home, names }, 'new'), { code: 'invalid_input', message })
    }
  }
  assert.deepEqual(readdirSync(join(root, 'folder')), [])
})
