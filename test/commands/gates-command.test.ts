// `atrium gates`, `grants` and `receipt`: answers and receipts from a terminal, beside a running service or without one.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { answerHints } from '#commands/gates-command.ts'
import type { OpenGate } from '#core/turn-store.ts'
import { atrium, type Ran, serve } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { onTerminal, openTerminal } from '../terminal.ts'
import { until } from '../until.ts'
import { scriptedEnv } from '../scripted-env.ts'

const home = newHome()
after(home.remove)
const args = { path: 'USER.md', content: 'Ada \u001b[2Jlikes tea.' }
const calls = [{ name: 'memory_write', args }]
const env = scriptedEnv(home.path, [
  { when: 'go', calls },
  { afterTool: 'memory_write', text: '{{result}}' },
])
const on = (...words: readonly string[]): Promise<Ran> => atrium(home.path, words, { env })

type Gate = { id: string; turn_id: string; args: unknown }

async function gates(): Promise<Gate[]> {
  return JSON.parse((await on('gates', '--json')).stdout) as Gate[]
}

/** A turn that waits for an approval. */
async function waiting(): Promise<Gate> {
  const ran = await on('run', '-m', 'go', '--json')
  assert.equal(ran.code, 1, 'a turn that waits is not done')
  const { gate: told } = JSON.parse(ran.stdout) as { gate: Gate }
  const [gate] = (await gates()).slice(-1)
  assert.ok(gate)
  // In the form of every door: the object that the model wrote.
  assert.deepEqual([gate.id, gate.args, told.args], [told.id, args, args])
  return gate
}

async function receipt(turn: string): Promise<Record<string, unknown>> {
  return JSON.parse((await on('receipt', turn, '--json')).stdout) as Record<string, unknown>
}

test('a gate is listed without control sequences, answered without a service, and its turn goes on at the next start', async () => {
  const { id, turn_id } = await waiting()
  const { stdout } = await on('gates')
  assert.match(stdout, new RegExp(`^${id}  memory_write  \\(approval, from run, until `))
  assert.match(stdout, /changes a file that says who the agent is/)
  assert.match(stdout, /\n\nTo answer one: \S*atrium gates answer ID approve, or deny; /)
  assert.ok(!stdout.includes('\u001b'))
  for (const [words, code, fault] of [
    [['answer', id, 'yes'], 2, /the answer must be approve, always or deny, or --values for a form, not yes\n/],
    [['answer', id], 2, /the answer must be approve, always or deny, or --values for a form\n/],
    [['answer', id, 'deny', '--values', '{}'], 2, /--values goes with answer/],
    [['answer', id, '--values', 'table'], 2, /--values must be a JSON object/],
    [['answer', id, '--values', '{}'], 2, /kind approval: it takes no values/],
    [['answer', id, 'approve', '--for', 'day'], 2, /--scope, --for and --clean go with always/],
    [['answer', id, 'approve', '--clean'], 2, /--scope, --for and --clean go with always/],
    [['answer', id, 'always', '--for', 'ever'], 2, /--for must be one of hour, day, good/],
    [['answer', 'nobody', 'always', '--for', 'ever'], 2, /--for must be one of hour, day, good/],
    [['answer', 'call_x', 'approve'], 1, /nothing waits under call_x/],
  ] as const) {
    const ran = await on('gates', ...words)
    assert.equal(ran.code, code)
    assert.match(ran.stderr, fault)
  }
  assert.equal((await on('gates', 'answer', id, 'deny', '--word', 'not now')).stdout, 'Denied memory_write.\n')
  assert.deepEqual(await gates(), [])
  assert.equal((await on('gates')).stdout, 'Nothing waits for an answer.\n')
  const revoked = await on('grants', 'revoke', 'x')
  assert.deepEqual([revoked.code, /no grant has the id x/.test(revoked.stderr)], [1, true])
  const open = await on('receipt', turn_id, '--verify')
  assert.deepEqual([open.code, /has no digest to compare with/.test(open.stderr)], [1, true])
  const service = await serve(home.path, env)
  await until(async () => (await receipt(turn_id))['status'] === 'completed')
  await service.stop()
  const { approvals } = await receipt(turn_id)
  const [approval] = approvals as { decision: string; by: string }[]
  assert.deepEqual([approval?.decision, approval?.by], ['deny', 'operator'])
  const [thread] = JSON.parse((await on('threads', '--json')).stdout) as { id: string }[]
  assert.match((await on('threads', 'show', thread?.id ?? '')).stdout, /not now/, 'the model reads why')
})

test('an answer reaches a running service at once; a grant stands until it is taken back', async () => {
  const service = await serve(home.path, env)
  try {
    const { id, turn_id } = await waiting()
    assert.equal(
      (await on('gates', 'answer', id, 'always', '--scope', 'tool', '--for', 'day')).stdout,
      'Allowed memory_write.\n',
    )
    const again = JSON.parse((await on('run', '-m', 'go', '--json')).stdout) as { status: string }
    assert.equal(again.status, 'completed')
    const [grant] = JSON.parse((await on('grants', '--json')).stdout) as { id: string; tool: string }[]
    assert.equal(grant?.tool, 'memory_write')
    assert.match((await on('grants')).stdout, /operator +memory_write +any +\d{4}-/)
    assert.equal((await on('grants', 'revoke', 'x')).code, 1)
    assert.equal((await on('grants', 'revoke', grant.id)).stdout, 'Revoked.\n')
    assert.equal((await on('grants')).stdout, 'No grants.\n')
    assert.equal((await on('gates', 'answer', (await waiting()).id, 'always', '--clean')).code, 0)
    const [good] = JSON.parse((await on('grants', '--json')).stdout) as Record<string, unknown>[]
    assert.deepEqual([good?.['expires_at'], good?.['untrusted']], [null, false])
    await on('grants', 'revoke', String(good?.['id']))
    await on('run', '-m', 'go', '--json')
    assert.equal((await gates()).length, 1)
    assert.equal((await receipt(turn_id))['verified'], true)
  } finally {
    await service.stop()
  }
})

test(
  'on a terminal Enter alone answers nothing, another word is asked again, an answer does',
  onTerminal,
  async (t) => {
    const [gate] = await gates()
    assert.ok(gate)
    for (const [answer, left] of [
      [['\r'], 1],
      [['yes\r', 'approve\r'], 0],
    ] as const) {
      const terminal = openTerminal(t, home.path, { args: ['gates'], env })
      for (const line of answer) {
        await terminal.until('(Enter leaves it open) ')
        terminal.type(line)
      }
      assert.equal(await terminal.ended, 0)
      assert.equal((await gates()).length, left)
    }
  },
)

test('the hint below the list is for what waits: approvals, forms or both', () => {
  const approval = { gate: { kind: 'approval' } } as OpenGate
  const form = { gate: { kind: 'input', input: { type: 'form' } } } as unknown as OpenGate
  const [approve, values] = [/^To answer one: atrium gates answer ID approve/m, /^To answer a form: .* --values '\{/m]
  for (const [open, hasApprove, hasValues] of [
    [[approval], true, false],
    [[form], false, true],
    [[form, approval], true, true],
  ] as const) {
    const hints = answerHints(open)
    assert.deepEqual([approve.test(hints), values.test(hints)], [hasApprove, hasValues], hints)
  }
})

test('a receipt is shown in words; a log that was changed fails its check', async () => {
  const ran = JSON.parse((await on('run', '-m', 'hello', '--json')).stdout) as { turn_id: string; thread_id: string }
  const { turn_id, thread_id } = ran
  const { stdout, code } = await on('receipt', turn_id, '--verify')
  assert.equal(code, 0)
  const response = `resp_${turn_id}${thread_id}`.replaceAll('-', '')
  assert.equal((await on('receipt', response)).stdout, stdout, 'so it is by the id of the response')
  assert.match(stdout, new RegExp(`^turn      ${turn_id}  completed, from run, of operator\n`))
  assert.match(stdout, /^cost      free\ndigest    matches the log  [0-9a-f]{64}$/m)
  const db = new DatabaseSync(join(home.path, 'atrium.db'))
  assert.ok(db.prepare('UPDATE items SET at = at + 1 WHERE turn_id = ?').run(turn_id).changes > 0)
  db.close()
  const changed = await on('receipt', turn_id, '--verify')
  assert.deepEqual([changed.code, /is not what it was when it ended/.test(changed.stderr)], [1, true])
  assert.equal((await on('receipt', turn_id)).code, 0)
  const old = new DatabaseSync(join(home.path, 'atrium.db'))
  old.prepare('UPDATE turns SET hash = NULL WHERE id = ?').run(turn_id)
  old.close()
  const without = await on('receipt', turn_id, '--verify')
  assert.deepEqual([without.code, /it ended before digests were kept/.test(without.stderr)], [1, true])
  assert.match(without.stdout, /^digest    none$/m)
  const none = await on('receipt', 'x')
  assert.deepEqual([none.code, /there is no turn x/.test(none.stderr)], [1, true])
})
