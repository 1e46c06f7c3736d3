// A service that is killed while Codex retries a turn that waits at a gate.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { serve } from '../../atrium.ts'
import { newHome } from '../../new-home.ts'
import { until } from '../../until.ts'
import { openCodex } from './codex.ts'

const token = 'token-of-the-operator-in-this-test'

test('killed while Codex retries, the service has one gate afterwards, and its turn goes on', async (t) => {
  const home = newHome()
  t.after(() => home.remove())
  const args = { method: 'POST', url: 'https://example.com/' }
  const replies = [
    { when: 'send', calls: [{ name: 'http_request', args }] },
    { afterTool: 'http_request', text: 'Sent, or not.' },
  ]
  const script = join(home.path, 'script.json')
  writeFileSync(script, JSON.stringify({ replies }))
  const env = {
    SERVICE_REBORN_WEBUI_TOKEN: token,
    RESPONSES_PROFILE: 'apps',
    LLM_PROVIDER: 'scripted',
    LLM_SCRIPT: script,
  }
  const first = await serve(home.path, env)
  const gates = async (): Promise<{ id: string; thread_id: string }[]> => {
    const response = await fetch(`${first.url}/api/gates`, { headers: { authorization: `Bearer ${token}` } })
    return ((await response.json()) as { gates: { id: string; thread_id: string }[] }).gates
  }
  const codex = await openCodex(t, first.url, token)
  const running = codex('send it')
  await until(async () => (await gates()).length > 0, 300_000)
  first.signal('SIGKILL')
  await first.ended
  const second = await serve(home.path, { ...env, GATEWAY_PORT: new URL(first.url).port })
  t.after(() => second.stop())
  const { stdout } = await running.ended
  assert.match(stdout, /needs an approval/)
  const [gate, ...more] = await gates()
  assert.ok(gate)
  assert.deepEqual(more, [])
  const answer = await fetch(`${second.url}/api/threads/${gate.thread_id}/gates/${gate.id}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ action: 'deny' }),
  })
  assert.equal(answer.status, 200, await answer.text())
  await until(async () => (await gates()).length === 0)
})
