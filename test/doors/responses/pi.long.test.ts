// pi's command line: turns, its own tools, a gate, a stop.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { until } from '../../until.ts'
import { gatesOf, installed, type Running, serveApps, start, threadsOf, workFolder } from './apps.ts'
import type { Served } from './serve.ts'

async function openPi(t: TestContext, served: Served) {
  const modules = join(await installed('@mariozechner/pi-coding-agent@0.73.1'), 'node_modules')
  const folder = workFolder(t)
  const model = { id: 'any', name: 'Atrium', reasoning: false, input: ['text', 'image'], contextWindow: 100_000 }
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
  const provider = { baseUrl: `${served.url}/v1`, apiKey: 'ann', api: 'openai-responses' }
  mkdirSync(join(folder, '.pi/agent'), { recursive: true })
  writeFileSync(
    join(folder, '.pi/agent/models.json'),
    JSON.stringify({ providers: { atrium: { ...provider, models: [{ ...model, cost, maxTokens: 4_000 }] } } }),
  )
  const program = [process.execPath, join(modules, '@mariozechner/pi-coding-agent/dist/cli.js')]
  const flags = ['--provider', 'atrium', '--model', 'any']
  return (...args: string[]): Running => start([...program, ...flags, ...args], folder)
}

test('pi goes through three turns with its shell, in one thread', async (t) => {
  const served = await serveApps(t, [
    { when: 'say one', calls: [{ name: 'bash', args: { command: 'echo o-n-e | tr -d -' } }] },
    { afterTool: 'bash', text: 'It printed {{result}}' },
    { when: '', text: 'Hello there, friend.' },
  ])
  const pi = await openPi(t, served)
  const first = await pi('-p', 'hi').ended
  assert.match(first.stdout, /Hello there, friend/, first.stderr)
  const second = await pi('-c', '-p', 'say one').ended
  assert.match(second.stdout, /It printed[^]*one/, second.stderr)
  const third = await pi('-c', '-p', 'thanks').ended
  assert.match(third.stdout, /Hello there, friend/, third.stderr)
  assert.equal(threadsOf(served).size, 1)
})

test('pi shows the gate that its turn waits at, and retries open no other', async (t) => {
  const served = await serveApps(t, [{ when: '', calls: [{ name: 'workspace_write', args: { path: 'a' } }] }])
  const pi = await openPi(t, served)
  const { stdout, stderr } = await pi('-p', 'write it').ended
  assert.match(stdout + stderr, /needs an approval/)
  assert.equal((await gatesOf(served)).length, 1)
})

test('pi, interrupted, stops its turn', async (t) => {
  const served = await serveApps(t, [{ when: '', text: ['slow ', 'answer'], chunkDelayMs: 600_000 }])
  const pi = await openPi(t, served)
  const running = pi('-p', 'hello')
  await until(() => served.asked.length > 0, 300_000)
  running.interrupt()
  await running.ended
  await until(() => served.rested.some(({ status }) => status === 'cancelled'))
})
