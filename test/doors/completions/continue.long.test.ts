// Continue's command line, a whole app, over chat completions: three turns and a tool of its own.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { userId } from '#core/ids.ts'
import { serve } from '../responses/serve.ts'

const run = promisify(execFile)

test('Continue talks through three turns with a call of its own tool, in one thread', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-continue-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  await run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '@continuedev/cli@1.5.47'])
  const served = await serve({
    replies: [
      { when: 'list the files', text: 'Let me look.', calls: [{ name: 'List', args: { dirpath: '.' } }] },
      { afterTool: 'List', text: 'I saw {{result}}' },
      { when: '', text: 'Hello there, friend.' },
    ],
  })
  t.after(() => served.close())
  const model = { name: 'Atrium', provider: 'openai', model: 'atrium', apiBase: `${served.url}/v1`, apiKey: 'ann' }
  // JSON is YAML.
  const config = { name: 'Local', version: '0.0.1', schema: 'v1', models: [{ ...model, capabilities: ['tool_use'] }] }
  writeFileSync(join(folder, 'config.yaml'), JSON.stringify(config))
  const program = join(folder, 'node_modules', '@continuedev', 'cli', 'dist', 'cn.js')
  const ask = async (...args: string[]): Promise<string> => {
    const env = { PATH: process.env['PATH'], HOME: folder, CONTINUE_GLOBAL_DIR: join(folder, '.continue') }
    const flags = [program, '--config', join(folder, 'config.yaml'), '--auto', ...args]
    const running = run(process.execPath, flags, { cwd: folder, env })
    running.child.stdin?.end()
    return (await running).stdout
  }
  assert.match(await ask('-p', 'hi'), /Hello there, friend/)
  assert.match(await ask('--resume', '-p', 'list the files'), /config\.yaml/)
  assert.match(await ask('--resume', '-p', 'thanks'), /Hello there, friend/)
  const { rows } = await served.threads.list(userId('ann'), { limit: 9 })
  assert.deepEqual(
    rows.map(({ title }) => title),
    ['hi'],
  )
})
