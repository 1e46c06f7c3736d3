// The conversation of `atrium onboard`: which question comes next, and what is stored when.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { AppError, type ErrorCode } from '#core/errors.ts'
import {
  type ModelAnswers,
  type ModelFacts,
  type ModelQuestion,
  nextQuestion,
  providerOptions,
  type Repair,
  repairsOf,
  withoutAnswer,
} from '#commands/onboard-model.ts'
import { converse, type OnboardHouse } from '#commands/onboard-talk.ts'
import { type Talk, wrapped } from '#commands/talk.ts'
import { ollamaModels } from '#models/ollama.ts'
import { atrium } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { needsTmux, startTmux, type Tmux } from '../doors/terminal/tmux.ts'
import { anthropicKey, saying, serveAnthropic } from '../models/strict-anthropic.ts'

const nothing: ModelFacts = { environmentKeys: [], sealedKeys: [] }
const trial = { model: 'm', words: 'ready', ms: 210, usage: { inputTokens: 9, outputTokens: 1, costUsd: 0.0001 } }

const questions: readonly (readonly [answers: ModelAnswers, asks: ModelQuestion, facts?: Partial<ModelFacts>])[] = [
  [{}, 'provider'],
  [{ provider: 'offline' }, 'test'],
  [{ provider: 'ollama' }, 'name'],
  [{ provider: 'openai' }, 'key'],
  [{ provider: 'openai' }, 'name', { environmentKeys: ['OPENAI_API_KEY'] }],
  [{ provider: 'openai' }, 'key', { sealedKeys: ['OPENAI_API_KEY'] }],
  [{ provider: 'openai', key: 'kept' }, 'name'],
  [{ provider: 'openai', key: { typed: 'k' }, name: 'm' }, 'test'],
  [{ provider: 'openai-compatible' }, 'address'],
  [{ provider: 'openai-compatible', baseUrl: 'http://a/v1' }, 'key'],
  [{ provider: 'ollama', name: 'm', outcome: { trial } }, 'confirm'],
  [{ provider: 'ollama', name: 'm', outcome: { fault: 'model_unknown' } }, 'repair'],
]
for (const [answers, asks, facts] of questions) {
  test(`after ${JSON.stringify(answers).slice(0, 60)} with ${JSON.stringify(facts ?? {})} comes ${asks}`, () => {
    assert.equal(nextQuestion(answers, { ...nothing, ...facts }), asks)
  })
}

const faults: readonly (readonly [
  provider: NonNullable<ModelAnswers['provider']>,
  fault: ErrorCode,
  repairs: Repair[],
])[] = [
  ['openai', 'model_unauthorized', ['key', 'again', 'name', 'provider']],
  ['openai', 'model_unknown', ['name', 'again', 'key', 'provider']],
  ['openai', 'model_rate_limited', ['again', 'key', 'name', 'provider']],
  ['openai-compatible', 'model_unreachable', ['address', 'again', 'key', 'name', 'provider']],
  ['ollama', 'model_unreachable', ['again', 'name', 'provider']],
  ['offline', 'model_failed', ['again', 'provider']],
]
for (const [provider, fault, repairs] of faults) {
  test(`after ${fault} of ${provider}, the likeliest repair is first`, () => {
    assert.deepEqual(repairsOf({ provider, outcome: { fault } }, nothing), repairs)
  })
}

test('a repair asks for one answer again, and for a test', () => {
  const answers: ModelAnswers = {
    provider: 'openai-compatible',
    baseUrl: 'u',
    key: 'kept',
    name: 'm',
    outcome: { trial },
  }
  const asked = (repair: Repair) => nextQuestion(withoutAnswer(answers, repair), nothing)
  assert.deepEqual((['address', 'key', 'name', 'again', 'provider'] as const).map(asked), [
    'address',
    'key',
    'name',
    'test',
    'provider',
  ])
})

test('an Ollama that answers is offered first, then providers whose key is here; no model of tests', () => {
  const names = (facts: Partial<ModelFacts>) => providerOptions({ ...nothing, ...facts }).map(({ value }) => value)
  const found = names({ ollama: ['a', 'b'], sealedKeys: ['GEMINI_API_KEY'] })
  assert.deepEqual(found.slice(0, 2), ['ollama', 'google'])
  assert.equal(found.at(-1), 'offline')
  assert(!names({}).includes('scripted'))
  assert.equal(providerOptions({ ...nothing, ollama: ['a'] })[0]?.hint, 'found on this machine, 1 model')
})

test('the models of an Ollama are listed; another server, and none, are no Ollama', async (context) => {
  const server = createServer((request, response) => {
    response.statusCode = request.url === '/api/tags' ? 200 : 404
    response.end(JSON.stringify({ models: [{ name: 'qwen3:8b' }, { no: 1 }, 7, { name: 'llama' }] }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  context.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  assert.deepEqual(await ollamaModels(`${url}/api/tags`, 30_000), ['qwen3:8b', 'llama'])
  assert.equal(await ollamaModels(`${url}/other`, 30_000), undefined)
  assert.equal(await ollamaModels('http://127.0.0.1:9/api/tags'), undefined)
})

/** A person who answers in this order; every question and remark is noted. */
function scriptedTalk(answers: readonly string[]): Talk & { readonly heard: string[]; readonly left: string[] } {
  const [left, heard]: [string[], string[]] = [[...answers], []]
  const next = (question: string): string => {
    heard.push(question)
    return left.shift() ?? assert.fail(`no answer is left for: ${question}`)
  }
  return {
    heard,
    left,
    open: () => {},
    choose: (question, options) => {
      const answer = next(question)
      const found = options.find(({ value }) => value === answer)
      assert(found, `${question} offers ${options.map(({ value }) => value).join(', ')}, not ${answer}`)
      assert(options.some(({ value }) => value === 'skip') || question === 'Which model?', `${question} has no Skip`)
      return Promise.resolve(found.value)
    },
    text: (question, { check }) => {
      const answer = next(question)
      assert.equal(check(answer), undefined)
      return Promise.resolve(answer)
    },
    secret: (question) => Promise.resolve(next(question)),
    during: (words, work) => {
      heard.push(words)
      return work
    },
    tell: (words) => void heard.push(words),
    warn: (words) => void heard.push(words),
    close: () => {},
  }
}

/** A house in which the key `right` works; it notes what is stored. */
function fakeHouse(over: Partial<OnboardHouse> = {}): OnboardHouse & { readonly stored: string[] } {
  const stored: string[] = []
  return {
    facts: nothing,
    model: { words: 'offline', fixed: false },
    tryModel: ({ key }) =>
      typeof key === 'object' && key.typed !== 'right'
        ? Promise.reject(new AppError('model_unauthorized', 'openai refused the API key: Incorrect API key provided'))
        : Promise.resolve(trial),
    storeModel({ provider, name }) {
      stored.push(`model ${provider} ${name}`)
      return Promise.resolve('stored')
    },
    addressFault: () => undefined,
    nameFault: () => undefined,
    userFault: () => undefined,
    page: { host: '127.0.0.1', port: 3000, fixed: false, served: false },
    portTaken: () => Promise.resolve(false),
    storePort: (port) => Promise.resolve(void stored.push(`port ${port}`)),
    webhook: { on: false, file: '/nowhere/atrium.env' },
    storeWebhook() {
      stored.push('webhook')
      return 'a-secret'
    },
    users: [],
    addUser(name) {
      stored.push(`user ${name}`)
      return Promise.resolve('a-token')
    },
    newTopic: 'https://ntfy.sh/atrium-1',
    addNtfy: (url) => Promise.resolve(void stored.push(`ntfy ${url}`)),
    connectTelegram(token) {
      if (token !== 'right') throw new AppError('unauthorized', 'the token is wrong')
      return Promise.resolve(void stored.push('telegram'))
    },
    ...over,
    stored,
  }
}

test('long remarks break between words', () => {
  assert.equal(wrapped('one two three four five six\n\nseven', 24), 'one two three four\nfive six\n\nseven')
  const key = 'k'.repeat(50)
  assert.equal(wrapped(`a ${key} b`, 24), `a\n${key}\nb`)
})

const skips = ['skip', 'skip', 'skip', 'skip', 'skip']

test('skipping every step changes nothing', async () => {
  const [talk, house] = [scriptedTalk(skips), fakeHouse()]
  await converse(talk, house)
  assert.deepEqual([house.stored, talk.left], [[], []])
})

test("a key that does not work is told in the provider's words and typed again; only Yes stores", async () => {
  const key = ['type', 'wrong', 'a-model', 'key', 'type', 'right', 'store']
  const [talk, house] = [scriptedTalk(['openai', ...key, ...skips.slice(1)]), fakeHouse()]
  await converse(talk, house)
  assert.deepEqual(house.stored, ['model openai a-model'])
  const heard = talk.heard.join('\n')
  assert.match(
    heard,
    /refused the API key: Incorrect API key provided[^]*m answered "ready" after 0\.2 s, under \$0\.001/,
  )
  assert.doesNotMatch(heard, /wrong|right/)
  const declined = fakeHouse()
  await converse(scriptedTalk(['openai', 'type', 'right', 'a-model', ...skips]), declined)
  assert.deepEqual(declined.stored, [])
})

test('every other step: a port, the webhook, users one after the other, a bot and a topic', async () => {
  const talk = scriptedTalk([
    'skip',
    'port',
    '8000',
    'make',
    'add',
    'ann',
    'add',
    'bob',
    'skip',
    'telegram',
    'no',
    'telegram',
    'right',
    'ntfy',
    'https://ntfy.sh/t',
    'skip',
  ])
  const house = fakeHouse({ portTaken: () => Promise.resolve(true) })
  await converse(talk, house)
  assert.deepEqual(house.stored, ['port 8000', 'webhook', 'user ann', 'user bob', 'telegram', 'ntfy https://ntfy.sh/t'])
  const heard = talk.heard.join('\n')
  for (const words of [
    /Another program listens on port 3000/,
    /HTTP_WEBHOOK_SECRET=a-secret/,
    /ann, shown once:\na-token/,
  ])
    assert.match(heard, words)
  assert.match(heard, /the token is wrong/)
})

test('what the environment decides is told, not asked', async () => {
  const talk = scriptedTalk(['skip', 'skip'])
  const house = fakeHouse({
    model: { words: 'openai m', fixed: true },
    page: { host: '127.0.0.1', port: 9000, fixed: true, served: false },
    webhook: { on: true, file: '' },
  })
  await converse(talk, house)
  assert.match(talk.heard.join('\n'), /LLM_PROVIDER[^]*9000\/, by GATEWAY_PORT[^]*HTTP_WEBHOOK_SECRET/)
})

test('by flags: a key that works is stored with the model; another changes nothing', async (t) => {
  const served = await serveAnthropic(t, saying([{ text: ['rea', 'dy'] }]))
  const parent = newHome()
  t.after(parent.remove)
  const home = join(parent.path, 'home')
  const args = ['onboard', '--provider', 'anthropic', '--model', 'claude-sonnet-4-6', '--base-url', `${served.url}/v1`]
  const wrong = await atrium(home, [...args, '--key-stdin', '--yes'], { input: 'sk-wrong\n' })
  assert.equal(wrong.code, 1)
  assert.match(wrong.stderr, /invalid x-api-key/)
  assert.doesNotMatch(wrong.stderr, /sk-wrong/)
  assert.equal((await atrium(home, [...args, '--key-stdin'], { input: anthropicKey })).code, 2, 'not confirmed')
  assert(!existsSync(home))
  const right = await atrium(home, [...args, '--key-stdin', '--yes', '--json'], { input: `${anthropicKey}\n` })
  assert.equal(right.code, 0, right.stderr)
  const { provider, model, reply } = JSON.parse(right.stdout) as Record<string, unknown>
  assert.deepEqual([provider, model, reply], ['anthropic', 'claude-sonnet-4-6', 'ready'])
  assert.match((await atrium(home, ['model', 'test'])).stdout, /"ready"/)
  assert.match((await atrium(home, ['onboard', '--model', 'm'])).stderr, /need --provider/)
})

const options = needsTmux()
let tmux: Tmux | undefined
before(() => {
  if (options.skip === undefined) tmux = startTmux()
})
after(() => tmux?.end())

test(
  'on a terminal: a wrong key, the right one, a model, and the page; Ctrl+C before leaves nothing',
  options,
  async (t) => {
    const served = await serveAnthropic(t, saying([{ text: ['rea', 'dy'] }]))
    const parent = newHome()
    t.after(parent.remove)
    const home = join(parent.path, 'home')
    const env = { ATRIUM_HOME: home, GATEWAY_PORT: '3999' }
    const command = `bin/atrium onboard --provider anthropic --base-url ${served.url}/v1`
    const open = () => tmux?.open({ columns: 240, rows: 60, command, env }) ?? assert.fail()
    const left = await open()
    await left.shows(/The key for Claude/)
    await left.keys('C-c')
    await left.shows(/ended with 130/)
    assert(!existsSync(home))

    const screen = await open()
    const press = async (shown: RegExp, ...keys: string[]): Promise<void> => {
      await screen.shows(shown)
      for (const key of keys) await (key === 'Enter' || key === 'Down' ? screen.keys(key) : screen.type(key))
    }
    await press(/● Type a key/, 'Enter')
    await press(/◆ {2}Key/, 'sk-wrong', 'Enter')
    await press(/◆ {2}Which model\?/, 'claude-sonnet-4-6', 'Enter')
    await press(/invalid x-api-key[^]*● Type the key again/, 'Enter')
    await press(/invalid x-api-key[^]*● Type a key/, 'Enter')
    await press(/What now[^]*◆ {2}Key/, anthropicKey, 'Enter')
    assert(!existsSync(home), 'nothing is stored before it is confirmed')
    await press(/answered "ready" after[^]*● Yes/, 'Enter')
    await press(/from now on\.[^]*A webhook channel/, 'Enter')
    await press(/Add a user\?[^]*● Skip/, 'Enter')
    await press(/something waits for you\?[^]*● Skip/, 'Enter')
    await press(/Start Atrium now\?[^]*● Yes/, 'Down', 'Enter')
    const end = await screen.shows(/login[^]*ended with 0/)
    assert.doesNotMatch(end, /sk-/)
    assert.match((await atrium(home, ['model', '--json'])).stdout, /"anthropic"/)
  },
)
