// The conversation of `atrium onboard`: its steps, by a script, by flags and on a terminal, and what is stored when.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { converse } from '#commands/onboard-talk.ts'
import { wrapped } from '#commands/talk.ts'
import { atrium } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { needsTmux, startTmux, type Tmux } from '../doors/terminal/tmux.ts'
import { anthropicKey, saying, serveAnthropic } from '../models/strict-anthropic.ts'
import { fakeHouse, scriptedTalk } from './onboard-house.ts'

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

test('a server of one’s own is asked for its key and a model, which has no default', async () => {
  const answers = ['openai-compatible', 'http://127.0.0.1:8000/v1', 'kept', '', 'm-1', 'store', ...skips.slice(1)]
  const [talk, house] = [scriptedTalk(answers), fakeHouse()]
  await converse(talk, house)
  assert.deepEqual(house.stored, ['model openai-compatible m-1'])
  assert.deepEqual(talk.heard.slice(2, 6), [
    'The key for this server',
    'Which model?',
    'Name a model that the server has.',
    'Which model?',
  ])
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
    await left.shows(/ended with 1\n/)
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
