// `atrium model`: what is chosen, what is refused, and who wins.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { atrium, newHome } from '../atrium.ts'
import { testFaults } from './faults.ts'

const home = newHome()
after(home.remove)

async function current(env: Record<string, string> = {}): Promise<unknown> {
  const { stdout } = await atrium(home.path, ['model', '--json'], { env })
  return (JSON.parse(stdout) as { current: unknown }).current
}

test('a choice is stored with its address, and replaced as a whole', async () => {
  assert.deepEqual(await current(), { provider: 'offline', model: 'offline', chosen_by: 'default' })
  const url = 'http://127.0.0.1:4010/v1'
  const set = await atrium(home.path, ['model', 'set', 'openai-compatible', 'm-1', '--base-url', url])
  assert.deepEqual([set.code, set.stdout], [0, 'openai-compatible m-1 answers from now on.\n'])
  assert.deepEqual(await current(), {
    provider: 'openai-compatible',
    model: 'm-1',
    chosen_by: 'settings',
    base_url: url,
  })
  await atrium(home.path, ['model', 'set', 'ollama', 'qwen3'])
  assert.deepEqual(await current(), { provider: 'ollama', model: 'qwen3', chosen_by: 'settings' })
})

test('the environment goes before what is stored, and set says so', async () => {
  const env = { LLM_PROVIDER: 'offline' }
  const set = await atrium(home.path, ['model', 'set', 'ollama', 'qwen3'], { env })
  assert.match(set.stdout, /^Stored, but LLM_PROVIDER in the environment wins: offline/)
  assert.deepEqual(await current(env), { provider: 'offline', model: 'offline', chosen_by: 'environment' })
})

test('the list marks the provider in use', async () => {
  assert.match((await atrium(home.path, ['model', 'list'])).stdout, /^ollama qwen3 answers[^]*^\* {2}ollama /m)
})

testFaults(home.path, [
  { what: 'a bad provider', args: ['model', 'set', 'hal'], code: 2, says: /the provider must be one of .*not hal/ },
  { what: 'no provider', args: ['model', 'set'], code: 2, says: /provider'[^]*atrium model set --help/ },
  { what: 'an unknown command', args: ['model', 'hal'], code: 2, says: /unknown command 'hal'[^]*atrium model --help/ },
  {
    what: 'a compatible model without an address',
    args: ['model', 'set', 'openai-compatible', 'm'],
    code: 2,
    says: /needs --base-url URL: \S*atrium model set openai-compatible MODEL --base-url URL/,
  },
  {
    what: 'a compatible model without anything',
    args: ['model', 'set', 'openai-compatible'],
    code: 2,
    says: /needs MODEL and --base-url URL/,
  },
  { what: 'an argument too many', args: ['model', 'set', 'ollama', 'a', 'b'], code: 2, says: /too many/ },
])

test('what was refused was not stored', async () => {
  assert.deepEqual(await current(), { provider: 'ollama', model: 'qwen3', chosen_by: 'settings' })
})
