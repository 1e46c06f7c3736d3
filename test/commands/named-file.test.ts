// Files that a person names on the command line.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readAttachment } from '#commands/attachment.ts'
import { readNamedFile } from '#commands/named-file.ts'
import { atrium } from '../atrium.ts'
import { folder } from '../store/harness.ts'

test('a file is read up to its bound, and a longer one is refused', async (t) => {
  const path = join(folder(t), 'a')
  for (const bytes of [0, 1, 100]) {
    writeFileSync(path, Buffer.alloc(bytes, 'x'))
    assert.equal((await readNamedFile(path, 100)).length, bytes)
  }
  writeFileSync(path, Buffer.alloc(101))
  const fault = { code: 'too_large', message: `${path} is over 100 bytes` }
  await assert.rejects(readNamedFile(path, 100), fault)
})

test('a device without an end is refused', async () => {
  await assert.rejects(readNamedFile('/dev/zero', 2 * 1024 * 1024), {
    code: 'too_large',
    message: '/dev/zero is over 2.0 MB',
  })
})

test('a named pipe is refused, and not waited for', async (t) => {
  const path = join(folder(t), 'a')
  execFileSync('mkfifo', [path])
  await assert.rejects(readAttachment(path), { code: 'invalid_input', message: `${path} is not a file` })
  for (const command of ['restore', 'backup --verify', 'mcp import', 'threads import', 'skill add']) {
    const { code, stderr } = await atrium(join(folder(t), 'home'), [...command.split(' '), path])
    const words = `error: ${path} is a named pipe: name a file\n`
    assert.deepEqual([code, stderr.replace('Starting each server once …\n', '')], [2, words], command)
  }
})

test('the pipe of another command is read', () => {
  const read = `const { readNamedFile } = await import(${JSON.stringify(import.meta.resolve('#commands/named-file.ts'))});
    process.stdout.write(await readNamedFile('/dev/stdin', 100))`
  const shown = execFileSync('sh', ['-c', 'echo words | "$0" -e "$1"', process.execPath, read], { encoding: 'utf8' })
  assert.equal(shown, 'words\n')
})

test('what is missing or a folder is named', async (t) => {
  const path = folder(t)
  await assert.rejects(readNamedFile(path, 100), { code: 'invalid_input', message: `${path} is a folder` })
  await assert.rejects(readNamedFile(join(path, 'b'), 100), { message: `there is no ${join(path, 'b')}` })
})
