// `atrium secret`: values go in and never come out.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { atrium, serve } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { openaiKey, saying, serveOpenai } from '../models/strict-openai.ts'
import { testFaults } from './faults.ts'

const home = newHome()
after(home.remove)

test('a secret is sealed, listed by name only, and never printed', async () => {
  const value = 'hush-hush-value'
  const set = await atrium(home.path, ['secret', 'set', 'API_KEY'], { input: `${value}\n` })
  assert.deepEqual([set.code, set.stdout, set.stderr], [0, 'Stored API_KEY.\n', ''])
  for (const args of [
    ['secret', 'list', '--json'],
    ['secret', 'list'],
  ]) {
    const listed = await atrium(home.path, args)
    assert.match(listed.stdout, /API_KEY/)
    assert(!listed.stdout.includes(value))
  }
  for (const name of readdirSync(home.path, { recursive: true, withFileTypes: true }))
    if (name.isFile()) assert(!readFileSync(join(name.parentPath, name.name)).includes(value), name.name)
})

test('a secret is used by the model it is named after', async (t) => {
  const served = await serveOpenai(t, saying('ready'))
  await atrium(home.path, ['secret', 'set', 'OPENAI_API_KEY'], { input: openaiKey })
  const env = { LLM_PROVIDER: 'openai', LLM_BASE_URL: `${served.url}/v1` }
  const { stdout, code } = await atrium(home.path, ['doctor', '--json'], { env })
  assert.equal(code, 0)
  assert.match(stdout, /"detail": "openai gpt/)
  assert.doesNotMatch(stdout, new RegExp(openaiKey))
})

test('a removed secret is gone, and cannot be removed twice', async () => {
  assert.equal((await atrium(home.path, ['secret', 'remove', 'API_KEY'])).stdout, 'Removed API_KEY.\n')
  const again = await atrium(home.path, ['secret', 'remove', 'API_KEY'])
  assert.deepEqual([again.code, /no secret is named API_KEY: .*atrium secret list/.test(again.stderr)], [1, true])
  assert.doesNotMatch((await atrium(home.path, ['secret', 'list'])).stdout, /\bAPI_KEY\b/)
})

testFaults(home.path, [
  {
    what: 'an empty secret',
    args: ['secret', 'set', 'X'],
    input: '\n',
    code: 2,
    says: /the value on standard input is empty: nothing was stored/,
  },
  { what: 'a long secret name', args: ['secret', 'set', 'a'.repeat(129)], input: 'sekret', code: 2, says: /1 to 128/ },
  { what: 'a bad secret name', args: ['secret', 'set', 'a b'], input: 'sekret', code: 2, says: /named by/ },
  { what: 'a value as an argument', args: ['secret', 'set', 'X', 'y'], code: 2, says: /too many arguments/ },
  {
    what: 'a secret too long',
    args: ['secret', 'set', 'X'],
    input: 'sekret'.repeat(11_000),
    code: 1,
    says: /at most 65536 characters/,
  },
])

test('every secret is sealed under another key, and the one before opens nothing any more', async () => {
  const home = newHome()
  try {
    const read = (): string => readFileSync(join(home.path, 'master-key'), 'utf8')
    await atrium(home.path, ['secret', 'set', 'OPENAI_API_KEY'], { input: 'a-key-of-the-tests' })
    const before = read()
    const ran = await atrium(home.path, ['secret', 'rotate'])
    assert.deepEqual([ran.code, ran.stdout], [0, 'Sealed 1 secret under a new key.\n'], ran.stderr)
    assert.notEqual(read(), before)
    assert.equal(existsSync(join(home.path, 'master-key.next')), false)
    const opens = async (): Promise<boolean> =>
      !/cannot be opened/.test((await atrium(home.path, ['secret', 'list'])).stdout)
    assert.equal(await opens(), true)
    const now = read()
    writeFileSync(join(home.path, 'master-key'), before)
    assert.equal(await opens(), false)
    // Cut off before the new key took its place: both are there, and the next change finishes it.
    writeFileSync(join(home.path, 'master-key.next'), now)
    assert.equal(await opens(), true)
    assert.equal((await atrium(home.path, ['secret', 'rotate'])).code, 0)
    assert.equal(read(), now)
    const env = { ATRIUM_MASTER_KEY: now.trim() }
    const given = (input: string) => atrium(home.path, ['secret', 'rotate'], { env, input })
    assert.equal((await given('short')).code, 2)
    assert.equal((await given(now)).code, 2)
    assert.match((await given(now.toUpperCase())).stderr, /this is the key in use/)
    assert.match((await given('1'.repeat(64))).stdout, /Set ATRIUM_MASTER_KEY/)
  } finally {
    home.remove()
  }
})

test('while a service runs, which holds the key, it is not changed', async () => {
  const home = newHome()
  const service = await serve(home.path)
  try {
    const ran = await atrium(home.path, ['secret', 'rotate'])
    assert.deepEqual([ran.code, /stop it first/.test(ran.stderr)], [1, true], ran.stderr)
  } finally {
    await service.stop()
    home.remove()
  }
})
