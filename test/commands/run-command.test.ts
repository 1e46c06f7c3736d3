// `atrium run` as a user meets it: its output, files and pipes, wrong uses with their exit codes, and a faulty home.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { operator } from '#core/ids.ts'
import type { Part } from '#core/item.ts'
import type { Turn } from '#core/turn.ts'
import { atrium, atriumProcess } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { testFaults } from './faults.ts'

const home = newHome()
after(home.remove)

test('a pipe gets the reply alone', async () => {
  const ran = await atrium(home.path, ['run', '-m', 'what is 6 * 7?'])
  assert.match(ran.stderr, /^thread [0-9a-f-]{36}\n$/)
  assert.equal(ran.code, 0)
  assert.match(ran.stdout, /42/)
  assert(!ran.stdout.includes('\u001b'))
})

test('--json tells thread, turn, status, reply and usage, and a thread can be continued', async () => {
  const first = JSON.parse((await atrium(home.path, ['run', '-m', 'hello', '--json'])).stdout) as Record<
    string,
    unknown
  >
  assert.equal(first['status'], 'completed')
  assert.equal(typeof first['response'], 'string')
  assert.equal((first['usage'] as Record<string, unknown>)['model'], 'offline')
  const second = await atrium(home.path, ['run', '-m', 'hello again', '--json', '--thread', String(first['thread_id'])])
  assert.equal((JSON.parse(second.stdout) as Record<string, unknown>)['thread_id'], first['thread_id'])
})

test('--model chooses one of the models that are offered', async () => {
  const env = { LLM_PROVIDER: 'openai-compatible', LLM_BASE_URL: 'http://127.0.0.1:9/v1', LLM_MODEL: 'away' }
  const offering = { env: { ...env, LLM_MODELS: 'offline' } }
  const ran = await atrium(home.path, ['run', '-m', 'hello', '--json', '--model', 'offline/offline'], offering)
  const { status, usage } = JSON.parse(ran.stdout) as { status: string; usage: { model: string } }
  assert.deepEqual([status, usage.model], ['completed', 'offline'])
  const refused = await atrium(home.path, ['run', '-m', 'hello', '--model', 'huge'], offering)
  assert.equal(refused.code, 2)
  assert.match(
    refused.stderr,
    /the model huge is not offered: .*atrium model list name .*, and LLM_MODELS adds to them\n$/,
  )
})

test('files go with a message, in the order in which they were given', async () => {
  const { path, remove } = newHome()
  try {
    const [text, picture] = [join(path, 'a.log'), join(path, 'b.png')]
    writeFileSync(text, 'line one')
    writeFileSync(picture, Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1'))
    const ran = await atrium(path, ['run', 'what is 6 * 7?', '--attach', text, '-a', picture, '--json'])
    const { thread_id: threadId, status } = JSON.parse(ran.stdout) as { thread_id: string; status: string }
    assert.equal(status, 'completed')
    const { openHomeStore } = await import('#app/open-storage.ts')
    const { readConfig } = await import('#config.ts')
    const { store } = await openHomeStore(readConfig({ ATRIUM_HOME: path }))
    const [first] = (await store.threads.entries(operator, threadId, { after: 0, limit: 1 })).entries
    await store.close()
    const { item } = first ?? assert.fail('nothing is stored')
    assert.deepEqual(
      item.type === 'message' && item.content.map((part) => (part.type === 'file' ? part.name : part.type)),
      ['text', 'a.log', 'image'],
    )
    const refused = await atrium(path, ['run', 'x', '--attach', join(path, 'none')])
    assert.deepEqual([refused.code, /none does not exist/.test(refused.stderr)], [2, true])
  } finally {
    remove()
  }
})

test('the home is private', () => {
  assert.equal(statSync(home.path).mode & 0o777, 0o700)
  for (const name of ['atrium.db', 'master-key', 'atrium.log'])
    assert.equal(statSync(join(home.path, name)).mode & 0o077, 0, name)
})

testFaults(home.path, [
  { what: 'an empty message', args: ['run', '-m', ' '], code: 2, says: /message is empty/ },
  {
    what: 'an over-long message',
    args: ['run', '-m', '-'],
    input: 'x'.repeat(1024 * 1024 + 1),
    code: 1,
    says: /1048577 bytes, at most 1048576/,
  },
  { what: 'a NUL byte', args: ['run', '-m', '-'], input: 'a\0b', code: 2, says: /NUL/ },
  { what: 'no message', args: ['run'], code: 2, says: /there is no message/ },
  { what: 'two messages', args: ['run', 'x', '-m', 'y'], code: 2, says: /give the message once/ },
  { what: 'two threads', args: ['run', 'x', '--continue', '--thread', 'y'], code: 2, says: /either/ },
  { what: 'an argument too many', args: ['run', 'x', 'y'], code: 2, says: /too many[^]*atrium run --help/ },
  { what: 'a bad limit', args: ['threads', '--limit', '0'], code: 2, says: /--limit takes/ },
  { what: 'a port for another command', args: ['--port', '1', 'run', 'x'], code: 2, says: /--port is for/ },
  { what: 'a bad port', args: ['serve', '--port', '65536'], code: 2, says: /--port takes .*not 65536/ },
  {
    what: 'an unknown thread',
    args: ['run', '-m', 'x', '--thread', 'nope'],
    code: 1,
    says: /thread nope does not exist: see `\S*atrium threads`/,
  },
  { what: 'a word for run', args: ['ask', 'x'], code: 2, says: /unknown command 'ask'\n\(Did you mean run\?\)/ },
  {
    what: 'a word for the chat',
    args: ['chat'],
    code: 2,
    says: /unknown command 'chat'\n\(\S*atrium alone opens the chat\)/,
  },
  { what: 'an unknown command', args: ['frobnicate'], code: 2, says: /unknown command 'frobnicate'/ },
  {
    what: 'help for an unknown command',
    args: ['frobnicate', '--help'],
    code: 2,
    says: /unknown command 'frobnicate'/,
  },
  { what: 'help of an unknown command', args: ['help', 'frobnicate'], code: 2, says: /unknown command 'frobnicate'/ },
  {
    what: 'help for an unknown command below another',
    args: ['tool', 'frobnicate', '--help'],
    code: 2,
    says: /unknown command 'frobnicate'\n\(see \S*atrium tool --help\)/,
  },
  {
    what: 'a home that is a file',
    args: ['run', '-m', 'x'],
    env: { ATRIUM_HOME: '/dev/null' },
    code: 1,
    says: /\/dev\/null cannot be written \(it is not a folder\): set ATRIUM_HOME/,
  },
  {
    what: 'a key that is missing, with a command that can be pasted',
    args: ['run', '-m', 'x'],
    env: { LLM_PROVIDER: 'openai', PATH: '/usr/bin:/bin' },
    code: 1,
    says: /`\S+\/atrium secret set OPENAI_API_KEY`/,
  },
  { what: 'an unknown option', args: ['run', '-m', 'x', '--what'], code: 2, says: /unknown option/ },
  {
    what: 'an unknown provider',
    args: ['run', '-m', 'x'],
    env: { LLM_PROVIDER: 'hal' },
    code: 2,
    says: /LLM_PROVIDER must be one of/,
  },
  {
    what: 'a missing key',
    args: ['run', '-m', 'x'],
    env: { LLM_PROVIDER: 'openai' },
    code: 1,
    says: /OPENAI_API_KEY.*model_key_missing/s,
  },
  {
    what: 'a model server that is not there',
    args: ['run', '-m', 'x'],
    env: {
      LLM_PROVIDER: 'openai-compatible',
      LLM_BASE_URL: 'http://127.0.0.1:9/v1',
      LLM_MODEL: 'm',
      LLM_API_KEY: 'k-sekret',
    },
    code: 1,
    says: /model_unreachable/,
  },
  {
    what: 'a script that is not there',
    args: ['run', '-m', 'x'],
    env: { LLM_PROVIDER: 'scripted', LLM_SCRIPT: '/nowhere.json' },
    code: 2,
    says: /LLM_SCRIPT names \/nowhere.json.* Example: LLM_SCRIPT=replies.json/,
  },
])

test('a faulty setting in the database is told with the way to mend it, and can be mended', async () => {
  const { path, remove } = newHome()
  try {
    await atrium(path, ['model', 'set', 'offline'])
    const { openHomeStore } = await import('#app/open-storage.ts')
    const { readConfig } = await import('#config.ts')
    const { store } = await openHomeStore(readConfig({ ATRIUM_HOME: path }))
    await store.settings.change(() => ({ llm_provider: 'hal-9000' }))
    await store.close()
    const ran = await atrium(path, ['run', '-m', 'x'])
    assert.equal(ran.code, 2)
    assert.match(ran.stderr, /llm_provider.*atrium model set/s)
    assert.equal((await atrium(path, ['model', 'set', 'offline'])).code, 0)
    assert.equal((await atrium(path, ['run', '-m', 'hello'])).code, 0)
  } finally {
    remove()
  }
})

test('a home that cannot be written is one line and exit code 1', async () => {
  const { path, remove } = newHome()
  try {
    writeFileSync(join(path, 'file'), '')
    const below = await atrium(join(path, 'file', 'home'), ['run', '-m', 'x'])
    assert.deepEqual([below.code, below.stderr.trim().split('\n').length], [1, 1])
    assert.match(below.stderr, /cannot be written.*ATRIUM_HOME/)
    // Nothing can be made in there, by nobody.
    const nowhere = await atrium('/proc/atrium-home', ['run', '-m', 'x'])
    assert.deepEqual([nowhere.code, nowhere.stderr.trim().split('\n').length], [1, 1])
    if (process.getuid?.() === 0) return
    mkdirSync(join(path, 'ro'))
    chmodSync(join(path, 'ro'), 0o500)
    assert.match((await atrium(join(path, 'ro', 'home'), ['run', '-m', 'x'])).stderr, /cannot be written/)
  } finally {
    remove()
  }
})

test('a damaged database is one line, and is left as it is', async () => {
  const { path, remove } = newHome()
  try {
    writeFileSync(join(path, 'atrium.db'), 'this is no database at all, but long enough to be looked at'.repeat(20))
    const ran = await atrium(path, ['run', '-m', 'x'])
    assert.deepEqual([ran.code, ran.stderr.trim().split('\n').length], [1, 1])
    assert.match(ran.stderr, /database file is damaged/)
    assert.match(readFileSync(join(path, 'atrium.db'), 'utf8'), /^this is no database/)
  } finally {
    remove()
  }
})

test('two messages at once on one home are both answered', async () => {
  const both = await Promise.all([1, 2].map((n) => atriumProcess(home.path, ['run', '-m', `what is ${n} + 1?`])))
  assert.deepEqual(
    both.map(({ code, stdout }) => [code, /\d+\s*$/.exec(stdout.trim())?.[0]]),
    [
      [0, '2'],
      [0, '3'],
    ],
  )
})

test('help and version answer without a home', async () => {
  for (const args of [
    ['--help'],
    ['help'],
    ['help', 'run'],
    ['help', '--help'],
    ['--version'],
    ['-v'],
    ['version'],
    ['user', 'add', '--help'],
  ]) {
    const ran = await atrium('/nowhere', args)
    assert.equal(ran.code, 0)
    assert.notEqual(ran.stdout, '')
  }
})

test('what is piped in beside a text is attached, and chooses no tool', async () => {
  const ran = await atrium(home.path, ['run', 'review this'], { input: 'what is 2+2?\n' })
  assert.equal(ran.code, 0)
  assert.match(ran.stdout, /did not understand/)
  const id = /thread (\S+)/.exec(ran.stderr)?.[1] ?? ''
  const piped = { type: 'file', name: 'standard input', text: 'what is 2+2?' }
  assert.deepEqual(await said(id), [[{ type: 'text', text: 'review this' }, piped]])
})

test('more standard input than a message or a file may have is refused with the limit', async () => {
  const { code, stdout, stderr } = await atrium(home.path, ['run', 'see'], { input: 'a'.repeat(2 * 1024 * 1024 + 1) })
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /standard input has more than 1 MiB, the most that a message or a text file may have/)
})

test('with -m standard input is left alone: a script may keep it open', async () => {
  const ran = await atrium(home.path, ['run', '-m', 'what is 2+2?'], { input: 'not for this\n' })
  assert.equal(ran.stdout, '2+2 = 4\n')
  const id = /thread (\S+)/.exec(ran.stderr)?.[1] ?? ''
  assert.deepEqual(await said(id), [[{ type: 'text', text: 'what is 2+2?' }]])
})

test('what is piped in alone is the message', async () => {
  const ran = await atrium(home.path, ['run'], { input: 'what is 2+2?\n' })
  assert.equal(ran.stdout, '2+2 = 4\n')
})

/** The person's messages of a thread, in their parts. */
async function said(threadId: string): Promise<(readonly Part[])[]> {
  const { openHomeStore } = await import('#app/open-storage.ts')
  const { readConfig } = await import('#config.ts')
  const { store } = await openHomeStore(readConfig({ ATRIUM_HOME: home.path }))
  try {
    const { items } = await store.threads.history({ threadId } as Turn)
    return items.flatMap((item) => (item.type === 'message' && item.role === 'user' ? [item.content] : []))
  } finally {
    await store.close()
  }
}
