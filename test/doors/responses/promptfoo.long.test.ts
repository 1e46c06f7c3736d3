// promptfoo, which sends prompts of a file and checks the answers, over its provider for the Responses API.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gatesOf, installed, serveApps, start, workFolder } from './apps.ts'

type Results = {
  readonly results: {
    readonly stats: { readonly successes: number; readonly errors: number }
    readonly results: readonly { readonly error?: string | null }[]
  }
}

test('promptfoo checks answers and a call of a function, and reports a gate as an error', async (t) => {
  const served = await serveApps(t, [
    { when: 'weather', calls: [{ name: 'weather', args: { city: 'Lisbon' } }] },
    { when: 'write', calls: [{ name: 'workspace_write', args: { path: 'a' } }] },
    { when: '', text: 'Hello there, friend.' },
  ])
  const program = join(await installed('promptfoo@0.123.1'), 'node_modules/promptfoo/dist/src/entrypoint.js')
  const folder = workFolder(t)
  const parameters = { type: 'object', properties: { city: { type: 'string' } } }
  const tools = [{ type: 'function', name: 'weather', description: 'The weather.', parameters }]
  const config = { apiBaseUrl: `${served.url}/v1`, apiKey: 'ann', tools, maxRetries: 1 }
  const check = (message: string, value: string) => ({ vars: { message }, assert: [{ type: 'contains', value }] })
  writeFileSync(
    join(folder, 'promptfooconfig.json'),
    JSON.stringify({
      prompts: ['{{message}}'],
      providers: [{ id: 'openai:responses:any', config }],
      tests: [check('hi', 'friend'), check('the weather?', 'Lisbon'), check('write it', 'never')],
    }),
  )
  const env = { PROMPTFOO_DISABLE_TELEMETRY: '1', PROMPTFOO_DISABLE_UPDATE: '1', PROMPTFOO_CONFIG_DIR: folder }
  const flags = ['eval', '-c', 'promptfooconfig.json', '-o', 'out.json', '--no-cache', '-j', '1']
  const ran = await start([process.execPath, program, ...flags], folder, env).ended
  const { results } = JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8')) as Results
  assert.equal(results.stats.successes, 2, ran.stdout + ran.stderr)
  assert.ok(results.results.some(({ error }) => error?.includes('needs an approval')))
  assert.equal((await gatesOf(served)).length, 1)
})
