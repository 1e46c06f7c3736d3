// The lists of planted faults keep up with the source.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readLists } from './lists.ts'
import { type Mutant, planted, unplantable } from './mutant.ts'

const root = join(import.meta.dirname, '..', '..')

test('every planted fault still finds its place, and the tests that should notice it', async () => {
  const wrong = (await readLists()).flatMap((mutant) => {
    const { area, says, file, tests } = mutant
    const path = join(root, file)
    const why = existsSync(path) ? unplantable(mutant, readFileSync(path, 'utf8')) : `${file} is gone`
    const lost = tests.filter((each) => !existsSync(join(root, each)))
    if (tests.length === 0) lost.push('any test')
    return [...(why ? [why] : []), ...lost.map((each) => `${each} is not there`)].map(
      (fault) => `${area}, ${says}: ${fault}`,
    )
  })
  assert.deepEqual(wrong, [])
})

test('a fault is planted literally, where its text stands once', () => {
  const mutant: Mutant = { says: 'x', file: 'x', from: 'a(1)', to: "a('$&')", tests: [] }
  assert.equal(planted(mutant, 'b a(1) c'), "b a('$&') c")
  assert.equal(unplantable(mutant, 'b a(1) c'), undefined)
  assert.match(unplantable(mutant, 'a(1) a(1)') ?? '', /2 times/)
  assert.match(unplantable({ ...mutant, to: 'a(1)' }, 'a(1)') ?? '', /changes nothing/)
})
