// Codex's command line, with its default settings: turns, its own tools, an image, a gate, a stop.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../until.ts'
import { gatesOf, serveApps, threadsOf } from './apps.ts'
import { openCodex } from './codex.ts'

test('Codex goes through three turns with its shell, an image and parallel calls, in one thread', async (t) => {
  const shell = (cmd: string) => ({ name: 'exec_command', args: { cmd } })
  const served = await serveApps(t, [
    { when: 'say one', calls: [shell('echo o-n-e | tr -d -')] },
    { when: 'both', calls: [shell('echo fir-st | tr -d -'), shell('echo sec-ond | tr -d -')] },
    { afterTool: 'exec_command', text: 'It printed {{result}}' },
    { when: '', text: 'Hello there, friend.' },
  ])
  const codex = await openCodex(t, served.url)
  const first = await codex('say one').ended
  assert.match(first.stdout, /It printed[^]*one/, first.stderr)
  const second = await codex('resume', '--last', 'do both').ended
  assert.match(second.stdout, /It printed[^]*second/, second.stderr)
  const third = await codex('resume', '--last', '-i', 'pixel.png', 'what is this').ended
  assert.match(third.stdout, /Hello there, friend/, third.stderr)
  const outputs = served.asked
    .at(-1)
    ?.items.flatMap((item) => (item.type === 'result' || item.type === 'answer' ? [item.output ?? ''] : []))
  for (const word of ['one', 'first', 'second'])
    assert.ok(
      outputs?.some((text) => text.includes(word)),
      word,
    )
  const images = served.asked.at(-1)?.items.flatMap((item) => (item.type === 'message' ? item.content : []))
  assert.ok(images?.some((part) => part.type === 'image'))
  assert.equal(threadsOf(served).size, 1)
})

test('Codex retries a turn that waits at a gate: one gate, whose turn goes on when it is approved', async (t) => {
  const served = await serveApps(t, [
    { when: 'write', calls: [{ name: 'workspace_write', args: { path: 'a' } }] },
    { afterTool: 'workspace_write', text: 'Written.' },
  ])
  const codex = await openCodex(t, served.url)
  const { stdout } = await codex('write it').ended
  assert.match(stdout, /needs an approval/)
  const [open, ...more] = await gatesOf(served)
  assert.ok(open)
  assert.deepEqual(more, [])
  await served.gates.answer(open.turn.userId, open.turn.threadId, {
    callId: open.gate.callId,
    decision: 'allow',
    by: 'ann',
  })
  await until(() => served.rested.some(({ id, status }) => id === open.turn.id && status === 'completed'))
})

test('Codex, interrupted, stops its turn', async (t) => {
  const served = await serveApps(t, [{ when: '', text: ['slow ', 'answer'], chunkDelayMs: 600_000 }])
  const codex = await openCodex(t, served.url)
  const running = codex('hello')
  await until(() => served.asked.length > 0, 300_000)
  running.interrupt()
  await running.ended
  await until(() => served.rested.some(({ status }) => status === 'cancelled'))
})
