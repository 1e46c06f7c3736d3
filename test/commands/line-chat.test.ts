// The plain chat: a line in, a reply out.
import assert from 'node:assert/strict'
import { PassThrough, Writable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { converse } from '#commands/line-chat.ts'
import { operator } from '#core/ids.ts'
import type { OperatorClient } from '#turns/operator-client.ts'
import { operatorClientOf } from '../doors/local/client.ts'
import { type HouseParts, openHouse } from '../turns/house.ts'
import { until } from '../until.ts'

type Parts = HouseParts & { readonly client?: Partial<OperatorClient>; readonly end?: AbortSignal }

function openChat(t: TestContext, { client: over, end, ...parts }: Parts = {}) {
  const house = openHouse(t, parts)
  const input = new PassThrough()
  let shown = ''
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      shown += String(chunk)
      done()
    },
  })
  const client = { ...operatorClientOf(house), ...over }
  const signals = ['SIGTERM', 'SIGHUP'] as const
  const before = signals.flatMap((signal) => process.listeners(signal))
  const ended = converse(client, { greeting: ['hello'], end, input, output })
  t.after(() => {
    for (const signal of signals)
      for (const each of process.listeners(signal)) if (!before.includes(each)) process.off(signal, each)
  })
  return {
    input,
    ended,
    shown: () => shown,
    /** Types a line at the prompt and waits for the next prompt; returns what was shown between. */
    async say(line: string): Promise<string> {
      const prompts = (): number => shown.split('▌ ').length
      const [before, count] = [shown.length, prompts()]
      input.write(`${line}\n`)
      await until(() => prompts() > count)
      return shown
        .slice(before)
        .replace(/[^\n]*▌ $/, '')
        .trim()
    },
    threads: async () => (await house.store.turns.list(operator, { limit: 9 })).rows.map(({ threadId }) => threadId),
  }
}

test('each line is a message of one thread until /new, and /quit ends', async (t) => {
  const chat = openChat(t)
  await until(() => chat.shown().endsWith('▌ '))
  assert.match(chat.shown(), /^ ▣ Atrium\n hello\n \/new starts a thread/)
  assert.equal(await chat.say(' one '), 'echo one')
  assert.equal(await chat.say(''), '')
  assert.equal(await chat.say('two'), 'echo two')
  assert.match(await chat.say('/new'), /a new thread begins with your next message/)
  assert.equal(await chat.say('three'), 'echo three')
  assert.equal(await chat.say('/new four'), 'echo four')
  const [fourth, third, second, first] = await chat.threads()
  assert.equal(first, second)
  assert.equal(new Set([second, third, fourth]).size, 3)
  chat.input.write('/quit\nfive\n')
  await chat.ended
  assert.equal((await chat.threads()).length, 4)
})

test('lines that come at once, and then the end, are answered one after the other', async (t) => {
  const chat = openChat(t)
  chat.input.end('one\ntwo\nthree')
  await chat.ended
  assert.match(chat.shown(), /echo one\n[^]*echo two\n[^]*echo three\n/)
})

test('a command that there is none of is no message; a skill, a path and words behind a slash are', async (t) => {
  const base = operatorClientOf(openHouse(t))
  const status = async () => ({ ...(await base.status()), skills: ['pdf'] })
  const chat = openChat(t, { client: { status } })
  assert.match(await chat.say('/nothing'), /^there is no command \/nothing: \/new starts/)
  assert.match(await chat.say('/help'), /^\/new starts a thread/)
  for (const line of ['/pdf', '/etc/hosts', '/nothing at all']) assert.equal(await chat.say(line), `echo ${line}`)
  chat.input.end()
  await chat.ended
})

test('a call that needs approval is asked about, and the reply goes on from the answer', async (t) => {
  const chat = openChat(t, {
    reply: (_, { items }) => (items.at(-1)?.type === 'result' ? ['All done'] : ['Let me', { name: 'write' }]),
  })
  assert.match(await chat.say('go'), /Let me\n\n● Waiting for you: Run write\?/)
  assert.match(chat.shown(), /Allow once\? y or n ▌ $/)
  assert.match(await chat.say('perhaps'), /y allows it once/)
  assert.match(await chat.say('y'), /^✓ write\nAll done$/)
  assert.match(await chat.say('go'), /Waiting for you/)
  assert.match(await chat.say('/new'), /a new thread/)
  assert.doesNotMatch(chat.shown(), /Allow once\? y or n ▌ $/)
  assert.equal((await chat.threads()).length, 2)
  chat.input.end()
  await chat.ended
})

test('nothing of a reply, a tool or a fault moves the cursor', async (t) => {
  const bad = '\u009b2J\u202e'
  const chat = openChat(t, {
    reply: (text, { items }) => {
      if (text === 'fail') throw new Error(`no${bad}`)
      return items.at(-1)?.type === 'result' ? [`done${bad}`] : [{ name: `none${bad}` }]
    },
  })
  assert.match(await chat.say('go'), /^▲ none\\u\{9b\}2J\\u\{202e\}\ndone\\u\{9b\}2J\\u\{202e\}$/)
  await chat.say('fail')
  assert.doesNotMatch(chat.shown(), /\u009b|\u202e/)
  chat.input.end()
  await chat.ended
})

test('a message that is refused is told, and the chat goes on', async (t) => {
  const written = t.mock.method(process.stderr, 'write', () => true)
  const { exitCode } = process
  const chat = openChat(t)
  await chat.say('x'.repeat(2 ** 21))
  assert.equal(await chat.say('hi'), 'echo hi')
  assert.match(String(written.mock.calls[0]?.arguments[0]), /^error: /)
  assert.equal(process.exitCode, 0)
  process.exitCode = exitCode
  chat.input.end()
  await chat.ended
})

test('the chat ends when it is told to, also in the middle of a reply', async (t) => {
  const end = new AbortController()
  const follow = async function* () {
    await new Promise(() => {})
    yield []
  }
  const chat = openChat(t, { end: end.signal, client: { follow } })
  chat.input.write('hi\n')
  await until(async () => (await chat.threads()).length === 1)
  end.abort()
  await chat.ended
})
