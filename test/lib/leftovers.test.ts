// Files in the making: which of them belong to processes that ended.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { makerMark, removeLeftovers } from '#lib/leftovers.ts'
import { pidSpace } from '#lib/pid.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-leftovers-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

test('a file of this process carries its pid and names the processes among which that is one', () => {
  assert.equal(makerMark(), `${process.pid}-${pidSpace()}`)
  assert.match(pidSpace(), /^[0-9a-f]{8}$/)
})

test('what another container with the same pid is making stays; what nobody has written to for a day goes', (t) => {
  const folder = newFolder(t)
  const write = (name: string, ageMs: number): void => {
    writeFileSync(join(folder, name), 'half')
    const at = (Date.now() - ageMs) / 1000
    utimesSync(join(folder, name), at, at)
  }
  const elsewhere = '00000000'
  write(`a.part-${process.pid}-${elsewhere}`, 0)
  write(`a.part-999999999-${elsewhere}`, dayMs - 10 * minuteMs)
  write(`a.part-1-${elsewhere}`, dayMs + minuteMs)
  removeLeftovers(folder, { start: 'a.part-' })
  const stays = [`a.part-${process.pid}-${elsewhere}`, `a.part-999999999-${elsewhere}`]
  assert.deepEqual(readdirSync(folder).toSorted(), stays.toSorted())
})

test("a person's own file with a similar name stays, however old", (t) => {
  const folder = newFolder(t)
  const names = ['a.part-12', 'a.part-2026-11', 'a.part-12-cafe', 'a.part-12-00000000.gz', 'a.part-1-CAFECAFE']
  for (const name of names) {
    writeFileSync(join(folder, name), 'whole')
    utimesSync(join(folder, name), 0, 0)
  }
  removeLeftovers(folder, { start: 'a.part-' })
  assert.deepEqual(readdirSync(folder).toSorted(), names.toSorted())
})
