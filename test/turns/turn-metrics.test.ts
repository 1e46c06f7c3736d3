// Numbers of turns, model calls and tools, counted from what was stored.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry, Item } from '#core/item.ts'
import { type ModelCall, noUsage, type Turn } from '#core/turn.ts'
import { createMetrics } from '#lib/metrics.ts'
import { createTurnMetrics, type Observer } from '#turns/turn-metrics.ts'
import { call } from '../agent/tools.ts'
import { ada } from '../store/harness.ts'

/** The series after some work, without those of buckets. */
async function seriesOf(work: (observer: Observer) => void): Promise<Record<string, number>> {
  const metrics = createMetrics()
  work(createTurnMetrics(metrics))
  const lines = (await metrics.text()).split('\n').filter((line) => line !== '' && !/^#|_bucket/.test(line))
  return Object.fromEntries(
    lines.map((line) => [line.slice('atrium_'.length, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  )
}

function entry(item: Item, at = 0, asked?: ModelCall): Entry {
  return { seq: 1, id: 'i', turnId: 't', at, item, ...(asked && { asked }) }
}

function turnOf(over: Partial<Turn>): Turn {
  const rest = { userId: ada, status: 'completed', options: {}, createdAt: 1_000, usage: noUsage } as const
  return { id: 't', threadId: 'h', door: 'web', ...rest, ...over }
}

const answered: ModelCall = {
  model: 'm',
  usage: { inputTokens: 10, cachedTokens: 4, outputTokens: 5, reasoningTokens: 2, costUsd: 0.25 },
  ms: 1_500,
}
const result: Item = { type: 'result', callId: 'c', output: '' }
const attempt: Item = { type: 'attempt', callId: 'c' }

test('a model call counts its time, its tokens by kind and its cost', async () => {
  const told = { type: 'message', role: 'assistant', content: [] } as const
  const series = await seriesOf((observer) => observer.stepped([entry(told, 0, answered), entry(told)], [], []))
  const expected = {
    'model_seconds_sum{model="m"}': 1.5,
    'model_seconds_count{model="m"}': 1,
    'tokens_total{model="m",kind="input"}': 10,
    'tokens_total{model="m",kind="cached"}': 4,
    'tokens_total{model="m",kind="output"}': 5,
    'tokens_total{model="m",kind="reasoning"}': 2,
    'cost_usd_total{model="m"}': 0.25,
    'unpriced_calls_total{model="m"}': 0,
  }
  assert.deepEqual(series, expected)
  const lost = await seriesOf((observer) => observer.stepped([], [], [], answered))
  assert.deepEqual(lost, expected, 'a call that left no entry counts as well')
})

test('a call without a price counts as such and has no cost', async () => {
  const unpriced = { ...answered, usage: { ...answered.usage, costUsd: null } }
  const series = await seriesOf((observer) => observer.stepped([], [], [], unpriced))
  assert.equal(series['unpriced_calls_total{model="m"}'], 1)
  assert.equal('cost_usd_total{model="m"}' in series, false)
})

const steps: readonly [what: string, entries: Entry[], before: Entry[], history: Item[], expected: object][] = [
  [
    'that ran',
    [entry(result, 3_000)],
    [entry({ ...attempt, callId: 'x' }, 1_000), entry(attempt, 2_000)],
    [call('c', 'read')],
    { 'tool_calls_total{tool="read",outcome="ok"}': 1, 'tool_seconds_sum{tool="read"}': 1 },
  ],
  [
    'that ran twice, by its last attempt',
    [entry(attempt, 2_500), entry(result, 3_000)],
    [entry(attempt, 1_000)],
    [call('c', 'read')],
    { 'tool_calls_total{tool="read",outcome="ok"}': 1, 'tool_seconds_sum{tool="read"}': 0.5 },
  ],
  [
    'that failed',
    [entry({ ...result, error: true }, 3_000)],
    [entry(attempt, 2_000)],
    [call('c', 'read')],
    { 'tool_calls_total{tool="read",outcome="error"}': 1, 'tool_seconds_sum{tool="read"}': 1 },
  ],
  [
    'whose name is not known',
    [entry(result, 3_000)],
    [entry(attempt, 2_000)],
    [call('x', 'read')],
    { 'tool_calls_total{tool="unknown",outcome="ok"}': 1, 'tool_seconds_sum{tool="unknown"}': 1 },
  ],
  ['that was refused', [entry({ ...result, error: true })], [], [call('c', 'read')], {}],
]
for (const [what, entries, before, history, expected] of steps) {
  test(`a call ${what} is counted: ${JSON.stringify(expected)}`, async () => {
    const series = await seriesOf((observer) => observer.stepped(entries, before, history))
    const found = Object.entries(series).filter(([name]) => !name.startsWith('tool_seconds_count'))
    assert.deepEqual(Object.fromEntries(found), expected)
  })
}

const rests: readonly [over: Partial<Turn>, expected: object][] = [
  [
    { endedAt: 3_000 },
    {
      'turns_total{door="web",outcome="completed"}': 1,
      'turn_seconds_sum{door="web"}': 2,
      'turn_seconds_count{door="web"}': 1,
    },
  ],
  [{ status: 'waiting' }, { 'turns_total{door="web",outcome="waiting"}': 1 }],
  [
    { status: 'failed', error: { code: 'time_limit', message: '' } },
    { 'turns_total{door="web",outcome="failed"}': 1, 'turn_failures_total{code="time_limit"}': 1 },
  ],
  [{ status: 'failed' }, { 'turns_total{door="web",outcome="failed"}': 1, 'turn_failures_total{code="internal"}': 1 }],
  [{ status: 'running' }, {}],
  [{ status: 'queued' }, {}],
]
for (const [over, expected] of rests) {
  test(`a turn that is ${over.status ?? 'completed'} counts as ${JSON.stringify(expected)}`, async () => {
    assert.deepEqual(await seriesOf((observer) => observer.rested(turnOf(over))), expected)
  })
}

test('a turn during which the clock was set back takes no time', async () => {
  const series = await seriesOf((observer) => {
    observer.rested(turnOf({ endedAt: 3_000 }))
    observer.rested(turnOf({ endedAt: 1_000 - 3_600_000 }))
  })
  assert.equal(series['turn_seconds_sum{door="web"}'], 2)
  assert.equal(series['turn_seconds_count{door="web"}'], 2)
})
