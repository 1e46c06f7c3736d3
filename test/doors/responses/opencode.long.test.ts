// opencode's command line, with its default settings: turns, its own tools, a gate, a stop.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { until } from '../../until.ts'
import { gatesOf, installed, type Running, serveApps, start, threadsOf, workFolder } from './apps.ts'
import type { Served } from './serve.ts'

async function openOpencode(t: TestContext, served: Served) {
  const modules = join(await installed('opencode-ai@1.18.18'), 'node_modules')
  // The package brings a program for this machine in a package of its own.
  const own = readdirSync(modules).find((name) => name.startsWith('opencode-') && name !== 'opencode-ai')
  const program = join(modules, own ?? '', 'bin/opencode')
  const folder = workFolder(t)
  const options = { baseURL: `${served.url}/v1`, apiKey: 'ann' }
  const provider = { npm: '@ai-sdk/openai', name: 'Atrium', options, models: { any: { name: 'Atrium' } } }
  mkdirSync(join(folder, '.config/opencode'), { recursive: true })
  writeFileSync(
    join(folder, '.config/opencode/opencode.json'),
    JSON.stringify({
      model: 'atrium/any',
      small_model: 'atrium/any',
      autoupdate: false,
      provider: { atrium: provider },
    }),
  )
  return (...args: string[]): Running => start([program, 'run', ...args], folder)
}

test('opencode goes through three turns with its shell, in one thread', async (t) => {
  const served = await serveApps(t, [
    { when: 'say one', calls: [{ name: 'bash', args: { command: 'echo o-n-e | tr -d -', description: 'Says one' } }] },
    { afterTool: 'bash', text: 'It printed {{result}}' },
    { when: '', text: 'Hello there, friend.' },
  ])
  const opencode = await openOpencode(t, served)
  const first = await opencode('hi').ended
  assert.match(first.stdout, /Hello there, friend/, first.stderr)
  const second = await opencode('--continue', 'say one').ended
  assert.match(second.stdout, /It printed[^]*one/, second.stderr)
  const third = await opencode('--continue', 'thanks').ended
  assert.match(third.stdout, /Hello there, friend/, third.stderr)
  assert.equal(threadsOf(served).size, 2, 'the conversation, and its title')
})

test('opencode shows the gate that its turn waits at, and retries open no other', async (t) => {
  const served = await serveApps(t, [
    { when: 'write', calls: [{ name: 'workspace_write', args: { path: 'a' } }] },
    { afterTool: 'workspace_write', text: 'Written.' },
  ])
  const opencode = await openOpencode(t, served)
  const { stdout, stderr } = await opencode('--title', 'Writing', 'write it').ended
  assert.match(stdout + stderr, /needs an approval/)
  assert.equal((await gatesOf(served)).length, 1)
})

test('opencode, interrupted, stops its turn', async (t) => {
  const served = await serveApps(t, [{ when: '', text: ['slow ', 'answer'], chunkDelayMs: 600_000 }])
  const opencode = await openOpencode(t, served)
  const running = opencode('hello')
  await until(() => served.asked.length > 0, 300_000)
  running.interrupt()
  await running.ended
  await until(() => served.rested.some(({ status }) => status === 'cancelled'))
})
