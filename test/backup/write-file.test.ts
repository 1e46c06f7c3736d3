// The file of a backup has its name only once it is whole, and nothing is left beside it.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { createHash } from 'node:crypto'
import { type Line, lineText } from '#backup/format.ts'
import { createBackupFile } from '#backup/write-file.ts'
import { pidSpace } from '#lib/pid.ts'
import { folder } from '../store/harness.ts'
import { openBelow } from './open-below.ts'

const lines: readonly Line[] = [{ type: 'table', table: 'users', columns: ['id'] }]

test('the file is private, has all lines and their digest, and its size is told', async (t) => {
  const path = folder(t)
  const file = join(path, 'a')
  const target = await createBackupFile(file)
  await target.add(lines)
  // More than the compressor takes at once.
  const rows = Array.from({ length: 20_000 }, (_, at): Line => ({ type: 'row', row: [`${at}`] }))
  await target.add(rows)
  const size = await target.commit(7)
  assert.deepEqual([statSync(file).mode & 0o777, statSync(file).size], [0o600, size])
  const text = [...lines, ...rows].map(lineText).join('')
  const sha256 = createHash('sha256').update(text).digest('hex')
  assert.equal(gunzipSync(readFileSync(file)).toString(), text + lineText({ type: 'end', files: 7, sha256 }))
  assert.deepEqual([readdirSync(path), openBelow(path)], [['a'], []])
})

test('a backup that fails leaves the one before, and nothing else', async (t) => {
  const path = folder(t)
  const file = join(path, 'a')
  writeFileSync(file, 'the one before')
  const target = await createBackupFile(file)
  await target.add(lines)
  assert.deepEqual(readdirSync(path).length, 2)
  await target.discard()
  assert.deepEqual([readdirSync(path), openBelow(path)], [['a'], []])
  assert.equal(readFileSync(file, 'utf8'), 'the one before')
})

test('what killed backups left is removed, not what one that runs is writing', async (t) => {
  const path = folder(t)
  const file = join(path, 'a')
  const here = pidSpace()
  const kept = [`a.part-${process.ppid}-${here}`, 'a.part-mine', `b.part-999999999-${here}`]
  // No process has this id. The other one is of an earlier process with the id of this one.
  const left = ['999999999', process.pid].map((pid) => `a.part-${pid}-${here}`)
  for (const name of [...kept, ...left]) writeFileSync(join(path, name), 'half')
  await (await createBackupFile(file)).discard()
  assert.deepEqual(readdirSync(path).toSorted(), kept.toSorted())
})

test('a place that cannot be written is told by its name', async (t) => {
  const path = folder(t)
  const fault = { code: 'invalid_input', message: /cannot be written/ }
  const missing = { code: 'invalid_input', message: `there is no folder ${join(path, 'none')}: make it first` }
  await assert.rejects(createBackupFile(join(path, 'none', 'a')), missing)
  const target = await createBackupFile(join(path, 'a'))
  mkdirSync(join(path, 'a'))
  await assert.rejects(target.commit(0), fault)
})
