// Built files and folders that several processes put in place at once.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { makeVersion, placeFile, replaceFolder } from '../tools/place.ts'

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
  // No process has this number.
  mkdirSync(join(dist, 'part-app-4194305-left'))
  for (const text of ['a', 'b', 'c']) await makeVersion(dist, 'app', writes(text))
  const failing = makeVersion(dist, 'app', () => Promise.reject(new Error('it cannot be built')))
  await assert.rejects(failing, /it cannot be built/)
  const texts = readdirSync(dist).map((name) => readFileSync(join(dist, name, 'main'), 'utf8'))
  assert.deepEqual(texts.toSorted(), ['b', 'c', 'c'])
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
