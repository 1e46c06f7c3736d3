// `atrium memory` as a user meets it, alone and beside a running service.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { atrium, atriumEnv, mainFile, serve } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { scriptedEnv } from '../scripted-env.ts'
import { signalItself } from './signal-itself.ts'

const home = newHome()
after(home.remove)

test('documents are written, read, listed, found, moved in and out', async () => {
  const run = (args: string[], input?: string) => atrium(home.path, ['memory', ...args], { ...(input && { input }) })
  assert.match((await run(['list'])).stdout, /^No documents yet: see `.*atrium memory write --help`\n$/)
  assert.deepEqual(await run(['write', 'a.md', 'Plant tomatoes.']), { code: 0, stdout: 'Created a.md.\n', stderr: '' })
  assert.equal((await run(['write', 'a.md', '--append'], 'Water them.\r\n')).stdout, 'Wrote a.md.\n')
  assert.equal((await run(['read', 'a.md'])).stdout, 'Plant tomatoes.\nWater them.\r\n')
  const found = JSON.parse((await run(['search', 'tomato', '--json'])).stdout)
  assert.deepEqual([found.results.length, found.results[0].path], [1, 'a.md'])
  const folder = join(home.path, 'in')
  mkdirSync(folder)
  writeFileSync(join(folder, 'ü.md'), 'Äpfel')
  writeFileSync(join(folder, 'picture'), Buffer.from([0xff, 0xfe, 0]))
  const moved = await run(['import', folder])
  assert.deepEqual([moved.code, moved.stdout], [1, 'Imported 1 document.\n'])
  assert.match(moved.stderr, /^left out: picture is not UTF-8 text\n$/)
  const list = JSON.parse((await run(['list', '--json'])).stdout)
  assert.deepEqual(
    list.map(({ path, author }: { path: string; author: string }) => [path, author]),
    [
      ['a.md', 'user'],
      ['ü.md', 'user'],
    ],
  )
  const out = join(home.path, 'out')
  assert.deepEqual(JSON.parse((await run(['export', out, '--json'])).stdout), { documents: 2, skipped: [] })
  assert.equal(readFileSync(join(out, 'ü.md'), 'utf8'), 'Äpfel')
})

test('an export that is stopped says so, and leaves no file in the making', async () => {
  const from = join(home.path, 'many')
  mkdirSync(from)
  for (let at = 0; at < 30; at++) writeFileSync(join(from, `many-${at}.md`), 'text')
  await atrium(home.path, ['memory', 'import', from])
  const out = join(home.path, 'stopped')
  const args = [signalItself('SIGINT', out), mainFile, 'memory', 'export', out]
  const child = spawn(process.execPath, args, { env: atriumEnv(home.path) })
  const errors = text(child.stderr)
  assert.deepEqual((await once(child, 'close'))[0], 1)
  assert.match(await errors, /^stopped: what was exported stays\n$/m)
  assert.deepEqual(
    readdirSync(out).filter((name) => name.endsWith('.draft')),
    [],
  )
})

test('a service works by the identity that an import stored before it failed', async () => {
  const env = scriptedEnv(home.path, [{ text: 'Yes.' }], { loop: true })
  const service = await serve(home.path, env)
  try {
    const asked = async (): Promise<number> => {
      const { stdout } = await atrium(home.path, ['run', '--json', 'hello'], { env })
      return JSON.parse(stdout).usage.input_tokens
    }
    const before = await asked()
    const from = join(home.path, 'too-much')
    mkdirSync(from)
    writeFileSync(join(from, 'AGENTS.md'), 'Answer in verse. '.repeat(400))
    for (const name of ['b', 'c']) writeFileSync(join(from, `${name}.md`), 'word '.repeat(160_000))
    const imported = await atrium(home.path, ['memory', 'import', from], { env: { STORAGE_PER_USER_MB: '1' } })
    assert.match(imported.stderr, /more do not fit/)
    assert.ok((await asked()) - before > 1_000, 'the file of the first batch is read')
  } finally {
    await service.stop()
  }
})

test('an input without a byte makes no document; an empty text does', async () => {
  const write = (...args: string[]) => atrium(home.path, ['memory', 'write', 'empty.md', ...args], { input: '' })
  for (const args of [[], ['--append']]) {
    const { code, stderr } = await write(...args)
    assert.deepEqual([code, stderr.startsWith('error: standard input is empty: give TEXT')], [2, true])
  }
  assert.equal((await write('')).stdout, 'Created empty.md.\n')
  await atrium(home.path, ['memory', 'delete', 'empty.md'])
})

test('an earlier version of a document is listed and restored, and the document deleted', async () => {
  const run = (...args: string[]) => atrium(home.path, ['memory', ...args])
  for (const text of ['one', 'two']) await run('write', 'kept.md', text)
  assert.match((await run('history', 'kept.md')).stdout, /^REVISION .*\n1 .* user +3\n$/)
  assert.equal((await run('restore', 'kept.md', '1')).stdout, 'Restored kept.md as of revision 1.\n')
  assert.equal((await run('read', 'kept.md')).stdout, 'one')
  assert.equal((await run('restore', 'kept.md', 'x')).code, 2)
  assert.equal((await run('delete', 'kept.md')).stdout, 'Deleted kept.md.\n')
  assert.equal((await run('history', 'kept.md')).code, 1)
})

for (const [what, args, code, words] of [
  ['a document that is not there', ['read', 'nowhere.md'], 1, /there is no document nowhere\.md/],
  ['a path that leaves', ['write', '../x', 'y'], 2, /path must not have/],
  ['a limit that is none', ['search', 'x', '--limit', 'many'], 2, /--limit takes/],
  ['a limit over a hundred', ['search', 'x', '--limit', '101'], 2, /--limit takes a whole number from 1 to 100/],
  ['an export into a file', ['export', '/dev/null'], 2, /\/dev\/null is not a folder/],
  ['a folder that is not there', ['import', '/no/such/folder'], 2, /there is no folder/],
] as const) {
  test(`told: ${what}`, async () => {
    const ran = await atrium(home.path, ['memory', ...args])
    assert.deepEqual([ran.code, ran.stdout], [code, ''])
    assert.match(ran.stderr, words)
  })
}
