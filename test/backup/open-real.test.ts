// Files and folders of a home are opened by their real path: no link leads a backup elsewhere.
import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openRealFile, openRealFolder, realFolder } from '#backup/open-real.ts'
import { folder } from '../store/harness.ts'
import { openBelow } from './open-below.ts'

test('links, devices and what is below a link are not opened, and nothing stays open', async (t) => {
  const path = folder(t)
  mkdirSync(join(path, 'real'))
  writeFileSync(join(path, 'real', 'file'), '')
  symlinkSync('real', join(path, 'link'))
  symlinkSync('real/file', join(path, 'to-file'))
  await assert.rejects(openRealFile(join(path, 'to-file')), { code: 'ELOOP' })
  await assert.rejects(openRealFile('/dev/null'), /replaced/)
  await assert.rejects(openRealFile(join(path, 'real')), /replaced/)
  await assert.rejects(openRealFile(join(path, 'link', 'file')), /replaced/)
  await assert.rejects(openRealFolder(join(path, 'link')))
  await assert.rejects(openRealFolder(join(path, 'real', 'file')), { code: 'ENOTDIR' })
  assert.deepEqual(openBelow(path), [])
  await (await openRealFile(join(path, 'real', 'file'))).close()
  await (await openRealFolder(join(path, 'real'))).handle.close()
})

test('a folder of the home may lead outside, and not to the home or a folder around it', (t) => {
  const [top, outside] = [folder(t), folder(t)]
  const home = join(top, 'home')
  mkdirSync(join(home, 'real'), { recursive: true })
  mkdirSync(join(home, 'data'))
  mkdirSync(join(top, 'home-of-another'))
  for (const [name, to] of [
    ['away', outside],
    ['beside', '../home-of-another'],
    ['self', '.'],
    ['inner', 'data'],
    ['around', '..'],
    ['everything', '/'],
  ] as const)
    symlinkSync(to, join(home, name))
  const real = (name: string) => realFolder(home, name) !== undefined
  assert.deepEqual(['real', 'away', 'beside'].filter(real), ['real', 'away', 'beside'])
  assert.deepEqual(['self', 'inner', 'around', 'everything'].filter(real), [])
})
