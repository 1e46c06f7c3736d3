// A turn as a job, whatever became of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { userId } from '#core/ids.ts'
import { type Entry, type Item, textMessage } from '#core/item.ts'
import { noUsage, type Turn } from '#core/turn.ts'
import { type JobRecord, jobRecord } from '#doors/webhook/job.ts'
import { plainQuestion } from '#safety/gate-question.ts'
import { loopTurns } from '../../loop-turns.ts'

const at = Date.UTC(2026, 0, 2, 3, 4, 5, 6)
const base: Turn = {
  id: '01890000-0000-7000-8000-000000000001',
  threadId: 't',
  userId: userId('webhook:ada'),
  door: 'webhook',
  status: 'queued',
  options: {},
  createdAt: at,
  usage: noUsage,
}
const begun = { startedAt: at, firstSeq: 1 }
const over = { ...begun, endedAt: at + 1_000, lastSeq: 2 }
const created = { id: base.id, created_at: '2026-01-02T03:04:05.006Z' }
const completed = { ...created, status: 'completed', completed_at: '2026-01-02T03:04:06.006Z' } as const

const entries = (...items: Item[]): Entry[] =>
  items.map((item, n) => ({ seq: n + 1, id: `${n}`, turnId: base.id, at, item }))
const call = { type: 'call', callId: 'c1', name: 'shell', args: '{"command":"secret"}' } as const
const gate = {
  type: 'gate',
  callId: 'c1',
  kind: 'approval',
  name: 'shell',
  args: '{"command":"secret"}',
  prompt: 'Run `shell`?',
  reason: 'shell runs a command',
  asks: { question: plainQuestion('shell'), preview: { type: 'command', command: 'make' } },
} as const

const table: readonly [what: string, turn: Partial<Turn>, entries: Entry[], expected: JobRecord][] = [
  ['queued', {}, [], { ...created, status: 'queued' }],
  ['running', { status: 'running', ...begun }, [], { ...created, status: 'running' }],
  ['queued again after a crash', { status: 'queued', ...begun }, [], { ...created, status: 'running' }],
  ['done', { status: 'completed', ...over }, entries(textMessage('assistant', 'hi')), { ...completed, response: 'hi' }],
  ['done without a word', { status: 'completed', ...over }, [], { ...completed, response: '' }],
  [
    'done, its user last',
    { status: 'completed', ...over },
    entries(textMessage('user', 'hi')),
    { ...completed, response: '' },
  ],
  [
    'with metadata',
    { status: 'completed', ...over, options: { echo: { metadata: { a: [1] } } } },
    entries(textMessage('assistant', 'hi')),
    { ...completed, response: 'hi', metadata: { a: [1] } },
  ],
  [
    'failed',
    { status: 'failed', ...over, error: { code: 'model_timeout', message: 'the model said nothing for 120 s' } },
    entries(textMessage('assistant', 'half a')),
    {
      ...completed,
      response: 'The job was not done: the model said nothing for 120 s',
      error: { code: 'model_timeout', message: 'the model said nothing for 120 s' },
    },
  ],
  [
    'cancelled before it began',
    { status: 'cancelled', endedAt: at + 1_000 },
    [],
    {
      ...completed,
      response: 'The job was not done: it was cancelled',
      error: { code: 'turn_cancelled', message: 'it was cancelled' },
    },
  ],
  [
    'waiting',
    { status: 'waiting', ...begun },
    entries(textMessage('user', 'hi'), call, gate),
    {
      ...created,
      status: 'running',
      waiting: {
        kind: 'approval',
        name: 'shell',
        prompt: 'Run `shell`?',
        reason: 'shell runs a command',
        preview: '$ make',
        message: 'the operator has to answer this, with `atrium gates` or in the web UI; then the job goes on',
      },
    },
  ],
  [
    'waiting no more',
    { status: 'waiting', ...begun },
    entries(call, gate, { type: 'answer', callId: 'c1', decision: 'allow', by: 'operator' }),
    { ...created, status: 'running' },
  ],
]

for (const [what, turn, given, expected] of table) {
  test(`a turn that is ${what}`, async () => {
    const record = await jobRecord({ ...base, ...turn }, given, what === 'waiting' ? gate : undefined)
    assert.deepEqual(record, expected)
  })
}

test('other work goes on while many numbers of metadata are read', async (t) => {
  const metadata = `{"n":[${'1e1,'.repeat(15_000)}1.10]}`
  const turns = await loopTurns(t, async () => {
    const record = await jobRecord({ ...base, options: { echo: { metadata } } }, [])
    assert.equal(JSON.stringify(record.metadata), metadata)
  })
  assert.ok(turns >= 5, `${turns} turns of the loop`)
})
