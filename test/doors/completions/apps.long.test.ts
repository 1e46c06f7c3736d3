// Whole apps from npm over chat completions: three turns and a function of the app each, all in one thread.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { userId } from '#core/ids.ts'
import type { Reply } from '#models/script.ts'
import { serve, type Served } from '../responses/serve.ts'
import { weather } from './client.ts'

const run = promisify(execFile)
const cache = fileURLToPath(new URL('../../../node_modules/.cache/apps', import.meta.url))

/** The folder of a package that is installed once. One that is only half installed has another name. */
async function install(name: string, version: string): Promise<string> {
  const folder = join(cache, `${name.replace('/', '-')}-${version}`)
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true })
    const making = mkdtempSync(join(cache, 'new-'))
    await run('npm', ['install', '--prefix', making, '--no-audit', '--no-fund', `${name}@${version}`])
    renameSync(making, folder)
  }
  return join(folder, 'node_modules', name)
}

/** A folder for an app to work in, and a service with a scripted model. */
async function open(t: TestContext, replies: readonly Reply[]) {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-app-'))
  const served = await serve({ replies: [...replies, { when: '', text: 'Hello there, friend.' }] })
  t.after(async () => {
    await served.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const start = async (file: string, args: readonly string[], more: Record<string, string> = {}): Promise<string> => {
    const env = { PATH: process.env['PATH'], HOME: folder, ATRIUM_TOKEN: 'ann', ...more }
    const running = run(file, args, { cwd: folder, env, maxBuffer: 1e8 })
    running.child.stdin?.end()
    return (await running).stdout
  }
  // JSON is YAML.
  const write = (name: string, content: unknown): void =>
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  return { folder, served, start, write, baseUrl: `${served.url}/v1` }
}

async function titles(served: Served): Promise<string[]> {
  const { rows } = await served.threads.list(userId('ann'), { limit: 9 })
  return rows.map(({ title }) => title)
}

describe('a whole app', () => {
  it('Continue goes on in one thread, and runs its own tool', async (t) => {
    const program = join(await install('@continuedev/cli', '1.5.47'), 'dist', 'cn.js')
    const { folder, served, start, write, baseUrl } = await open(t, [
      { when: 'list the files', text: 'Let me look.', calls: [{ name: 'List', args: { dirpath: '.' } }] },
      { afterTool: 'List', text: 'I saw {{result}}' },
    ])
    const model = { name: 'Atrium', provider: 'openai', model: 'atrium', apiBase: baseUrl, apiKey: 'ann' }
    const models = [{ ...model, capabilities: ['tool_use'] }]
    write('config.yaml', { name: 'Local', version: '0.0.1', schema: 'v1', models })
    const env = { CONTINUE_GLOBAL_DIR: join(folder, '.continue') }
    const ask = (...args: string[]): Promise<string> =>
      start(process.execPath, [program, '--config', join(folder, 'config.yaml'), '--auto', ...args], env)
    assert.match(await ask('-p', 'hi'), /Hello there, friend/)
    assert.match(await ask('--resume', '-p', 'list the files'), /config\.yaml/)
    assert.match(await ask('--resume', '-p', 'thanks'), /Hello there, friend/)
    assert.deepEqual(await titles(served), ['hi'])
  })

  it('opencode goes on in one thread, runs its own tool, and has its titles from atrium-task', async (t) => {
    const program = join(await install(`opencode-${process.platform}-${process.arch}`, '1.18.18'), 'bin', 'opencode')
    const { folder, served, start, write, baseUrl } = await open(t, [
      { when: 'open the note', text: 'Reading.', calls: [{ name: 'read', args: { filePath: 'note.txt' } }] },
      { afterTool: 'read', text: 'I saw {{result}}' },
    ])
    write('note.txt', 'milk and honey')
    const atrium = {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: baseUrl, apiKey: '{env:ATRIUM_TOKEN}' },
      models: { atrium: { name: 'Atrium', tool_call: true }, 'atrium-task': { name: 'Atrium, single calls' } },
    }
    write('opencode.json', { provider: { atrium }, model: 'atrium/atrium', small_model: 'atrium/atrium-task' })
    const ask = (...args: string[]): Promise<string> => start(program, ['run', ...args], { PWD: folder })
    assert.match(await ask('hi'), /Hello there, friend/)
    assert.match(await ask('--continue', 'open the note'), /milk and honey/)
    assert.match(await ask('--continue', 'thanks'), /Hello there, friend/)
    assert.deepEqual(await titles(served), ['hi'])
  })

  it('promptfoo goes on in one thread, with a call that its test answers', async (t) => {
    const program = join(await install('promptfoo', '0.121.20'), 'dist', 'src', 'entrypoint.js')
    const { folder, served, start, write, baseUrl } = await open(t, [
      { when: 'weather', text: 'Let me look.', calls: [{ name: 'get_weather', args: { city: 'Rome' } }] },
      { afterTool: 'get_weather', text: 'It is {{result}}' },
    ])
    write('prompt.json', conversation)
    const config = { apiBaseUrl: baseUrl, apiKeyEnvar: 'ATRIUM_TOKEN', tools: [weather] }
    const said = ['hi', 'weather?', 'sunny', 'thanks']
    write('promptfooconfig.yaml', {
      prompts: ['file://prompt.json'],
      providers: [{ id: 'openai:chat:atrium', config }],
      tests: said.map((say) => ({ vars: { say } })),
    })
    const quiet = { PROMPTFOO_DISABLE_TELEMETRY: '1', PROMPTFOO_DISABLE_UPDATE: '1' }
    await start(process.execPath, [program, 'eval', '--no-cache', '-j', '1', '-o', 'out.json'], quiet)
    const { results } = JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8')) as {
      results: { results: { response: { output: unknown } }[] }
    }
    const outputs = results.results.map(({ response }) => response.output)
    assert.deepEqual([outputs[0], outputs[3]], ['Hello there, friend.', 'Hello there, friend.'])
    assert.match(String(outputs[2]), /sunny/)
    assert.deepEqual(await titles(served), ['hi'])
  })
})

/** A prompt of promptfoo: the conversation so far, then what the test says, as the output of a call where one waits. */
const conversation = `{%- set last = _conversation[_conversation.length - 1] -%}
{%- set call = last.output.tool_calls[0] -%}
[
  {%- for message in last.prompt %}{{ message | dump }},{% endfor -%}
  {%- if call %}
    {{ last.output | dump }}, {"role": "tool", "tool_call_id": {{ call.id | dump }}, "content": {{ say | dump }}}
  {%- else -%}
    {%- if last %}{"role": "assistant", "content": {{ last.output | dump }}},{% endif -%}
    {"role": "user", "content": {{ say | dump }}}
  {%- endif -%}
]`
