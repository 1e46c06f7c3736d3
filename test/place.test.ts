// Built files and folders that several processes put in place at once.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pidSpace } from '#lib/pid.ts'
import { placeFile } from '#lib/place-file.ts'
import { besideOf, makeVersion, replaceFolder } from '../tools/place.ts'

/** No process has this number. */
const ended = 4_194_305

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-place-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const writes = (text: string) => (folder: string) => writeFileSync(join(folder, 'main'), text)
const linked = (dist: string): string => readFileSync(join(dist, 'app', 'main'), 'utf8')

test('two builds at once both end whole, and neither removes the other', async (t) => {
  const dist = newFolder(t)
  for (const text of ['first', 'second']) await makeVersion(dist, 'app', writes(text))
  const slow = Promise.withResolvers<void>()
  let slowFolder = ''
  const one = makeVersion(dist, 'app', async (folder) => {
    slowFolder = folder
    await slow.promise
    writes('slow')(folder)
  })
  await makeVersion(dist, 'app', writes('quick'))
  assert.equal(linked(dist), 'quick')
  assert(existsSync(slowFolder), 'the folder that is still being filled')
  slow.resolve()
  await one
  assert.equal(linked(dist), 'slow')
  const texts = readdirSync(dist).map((name) => readFileSync(join(dist, name, 'main'), 'utf8'))
  assert.deepEqual(texts.toSorted(), ['quick', 'second', 'slow', 'slow'], 'the link, and what may still be in use')
})

test('the version before stays, older ones and those of ended processes go, a failed one leaves nothing', async (t) => {
  const dist = newFolder(t)
  mkdirSync(join(dist, `part-app-${ended}-left`))
  for (const text of ['a', 'b', 'c']) await makeVersion(dist, 'app', writes(text))
  const failing = makeVersion(dist, 'app', () => Promise.reject(new Error('it cannot be built')))
  await assert.rejects(failing, /it cannot be built/)
  const texts = readdirSync(dist).map((name) => readFileSync(join(dist, name, 'main'), 'utf8'))
  assert.deepEqual(texts.toSorted(), ['b', 'c', 'c'])
})

test('a version can be read by those whom the mask of the process lets in', async (t) => {
  const dist = newFolder(t)
  await makeVersion(dist, 'app', writes('a'))
  assert.equal(statSync(join(dist, 'app')).mode & 0o777, 0o777 & ~process.umask())
})

test('when a folder cannot be replaced the old one stays', (t) => {
  const root = newFolder(t)
  const place = join(root, 'dist')
  mkdirSync(place)
  writes('old')(place)
  assert.throws(() => replaceFolder(join(root, 'dist-missing'), place), { code: 'ENOENT' })
  assert.equal(readFileSync(join(place, 'main'), 'utf8'), 'old')
  assert.deepEqual(readdirSync(root), ['dist'])
})

test('folders and files of ended processes go, those of running ones and other names stay', (t) => {
  const root = newFolder(t)
  const place = join(root, 'dist')
  const stays = [`dist-${process.ppid}`, `dist-${process.ppid}-old`, `dist-${ended}-kept`, `other-${ended}`]
  for (const name of [...stays, `dist-${ended}`, `dist-${ended}-old`]) mkdirSync(join(root, name))
  mkdirSync(besideOf(place))
  replaceFolder(besideOf(place), place)
  assert.deepEqual(readdirSync(root).toSorted(), ['dist', ...stays].toSorted())
  const here = pidSpace()
  const others = [`b.wasm.${ended}-${here}.new`, `a.wasm.b.${ended}-${here}.new`, 'a.wasm.new']
  const files = [`a.wasm.${process.ppid}-${here}.new`, ...others]
  for (const name of [...files, `a.wasm.${ended}-${here}.new`]) writeFileSync(join(place, name), '')
  placeFile(join(place, 'a.wasm'), 'made')
  assert.deepEqual(readdirSync(place).toSorted(), ['a.wasm', ...files].toSorted())
})

test('a folder and a file replace what is there', (t) => {
  const root = newFolder(t)
  const place = join(root, 'dist')
  for (const text of ['one', 'two']) {
    const made = join(root, `dist-${text}`)
    mkdirSync(made)
    writes(text)(made)
    replaceFolder(made, place)
    assert.equal(readFileSync(join(place, 'main'), 'utf8'), text)
    placeFile(join(place, 'main'), `${text} again`)
  }
  assert.equal(readFileSync(join(place, 'main'), 'utf8'), 'two again')
  assert.deepEqual(readdirSync(root), ['dist'])
  assert.deepEqual(readdirSync(place), ['main'])
})

test('a file that cannot be put in place leaves nothing beside it', (t) => {
  const root = newFolder(t)
  mkdirSync(join(root, 'taken'))
  assert.throws(() => placeFile(join(root, 'taken'), 'made'), { code: 'EISDIR', dest: join(root, 'taken') })
  assert.deepEqual(readdirSync(root), ['taken'])
})
