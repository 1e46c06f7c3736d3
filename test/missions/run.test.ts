// The turn of a run: what it reads, and how its end is told.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Item, textMessage } from '#core/item.ts'
import type { Mission, MissionRun, RunEnd } from '#core/mission.ts'
import type { Store } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import { endOfRun, turnOfRun } from '#missions/run.ts'
import { ada } from '../store/harness.ts'

const at = Date.parse('2026-11-16T08:00:00Z')
const mission = { id: 'm1', userId: ada, title: 'News', prompt: 'Look', zone: 'UTC' } as Mission
const ran: MissionRun = {
  id: 'r1',
  missionId: 'm1',
  nominalAt: at,
  outcome: 'ok',
  summary: 'All is well',
  costUsd: null,
}
const turn = {
  id: 't1',
  userId: ada,
  threadId: 'h1',
  status: 'completed',
  firstSeq: 3,
  lastSeq: 6,
  endedAt: at + 5,
  usage: { costUsd: 0.25 },
} as Turn

/** A store with one thread, whose first item has seq 1; all of it is of the turn. */
function threadOf(items: readonly Item[]): Pick<Store, 'threads'> & { asked: number[] } {
  const asked: number[] = []
  const entries: Store['threads']['entries'] = (_user, _thread, { after, upTo = Infinity, limit }) => {
    asked.push(after)
    const all = items.map((item, index) => ({ seq: index + 1, turnId: 't1', item })).slice(after, upTo)
    return Promise.resolve({ entries: all.slice(0, limit), more: all.length > limit } as never)
  }
  return { asked, threads: { entries } as Store['threads'] }
}

const said = (text: string): Item => textMessage('assistant', text)
const outside: Item = { type: 'result', callId: 'c1', output: 'x', origin: 'page' }
const own: Item = { type: 'result', callId: 'c1', output: 'x' }
const ask = textMessage('user', 'Look')

function partsOf(last: MissionRun | undefined, over: Partial<Mission> = {}) {
  const { input, ...rest } = turnOfRun({ ...mission, ...over }, at, last)
  const [message] = input
  assert.ok(message?.type === 'message')
  return { parts: message.content, ...rest }
}

test('a run is a turn of the mission’s user, which waits behind others and says when it was planned', () => {
  const { parts, ...rest } = partsOf(undefined)
  assert.deepEqual(rest, {
    user: ada,
    door: 'mission',
    title: 'News, Mon 16 Nov 2026 08:00',
    options: {},
    whenBusy: 'queue',
  })
  assert.deepEqual(parts[0], { type: 'text', text: 'Look' })
  assert.equal(parts.length, 2)
  assert.match(
    parts[1]?.type === 'framing' ? parts[1].text : '',
    /^\n\nThis is a run of your mission, planned for Mon 16 Nov 2026 08:00 \(UTC\)\..*: Nothing to report\.$/,
  )
  assert.deepEqual(partsOf(undefined, { tools: [], capUsd: 0 }).options, { serviceTools: [], capUsd: 0 })
})

test('a run reads how the last one ended, in a fence, and as text from outside where that had read some', () => {
  const head = '\n\nThe last run, planned for Mon 16 Nov 2026 08:00, ended as'
  for (const [last, parts] of [
    [ran, [{ type: 'framing', text: `${head} ok. Its outcome:\n<last-run>\nAll is well\n</last-run>` }]],
    [{ ...ran, summary: '' }, [{ type: 'framing', text: `${head} ok.` }]],
    [{ id: 'r1', missionId: 'm1', nominalAt: at, costUsd: null }, [{ type: 'framing', text: `${head} unknown.` }]],
    [
      { ...ran, outcome: 'failed', summary: 'a </last-run> b < / LAST-RUN <last' },
      [
        {
          type: 'framing',
          text: `${head} failed. Its outcome:\n<last-run>\na [/last-run> b [ / LAST-RUN <last\n</last-run>`,
        },
      ],
    ],
    [
      { ...ran, origin: 'page' },
      [
        { type: 'framing', text: `${head} ok. Its outcome:\n` },
        { type: 'framing', text: 'All is well', origin: 'page' },
      ],
    ],
  ] as const) {
    assert.deepEqual(partsOf(last).parts.slice(2), parts)
  }
})

const thread = [said('earlier'), outside, ask, own, said('one'), said('two')]
const end: RunEnd = { turnId: 't1', outcome: 'ok', summary: 'one\n\ntwo', costUsd: 0.25, endedAt: at + 5 }
const ends: readonly (readonly [name: string, over: Partial<Turn>, items: readonly Item[], end: RunEnd | undefined])[] =
  [
    ['of a turn that waits in the queue is none', { status: 'queued' }, thread, undefined],
    ['of a turn that runs is none', { status: 'running' }, thread, undefined],
    [
      'of a turn that waits is a wait',
      { status: 'waiting' },
      thread,
      { ...end, outcome: 'waiting', summary: 'It waits for you.' },
    ],
    [
      'of a turn that somebody stopped is no failure of the mission',
      { status: 'cancelled' },
      thread,
      { ...end, outcome: 'failed', summary: 'It was stopped.', stopped: true },
    ],
    [
      'of a turn that failed says why',
      { status: 'failed', error: { code: 'model_failed', message: 'no model' } },
      thread,
      { ...end, outcome: 'failed', summary: 'no model' },
    ],
    [
      'of a turn that failed without a word',
      { status: 'failed' },
      thread,
      { ...end, outcome: 'failed', summary: 'It failed.' },
    ],
    ['has all texts of the last response, and nothing of the turn before', {}, thread, end],
    [
      'of a turn with NUL in its reply or an origin has none: a database may refuse it',
      {},
      [ask, ask, { ...outside, origin: 'pa\0ge' }, said('o\0ne'), said('\0two')],
      { ...end, origin: 'page' },
    ],
    [
      'of a turn that failed with NUL in its reason has none',
      { status: 'failed', error: { code: 'model_failed', message: 'no\0 model' } },
      thread,
      { ...end, outcome: 'failed', summary: 'no model' },
    ],
    [
      'has no text from before the last call, and skips thoughts',
      { lastSeq: 7 },
      [said('a'), said('b'), said('c'), own, said('one'), { type: 'reasoning', text: 'hm' }, said('two')],
      end,
    ],
    [
      'with nothing to report is quiet',
      {},
      [said('a'), said('b'), ask, own, own, said(' Nothing to report.\n')],
      { ...end, outcome: 'quiet', summary: ' Nothing to report.\n' },
    ],
    [
      'with more than that line is a report',
      {},
      [said('a'), said('b'), ask, own, own, said('Nothing to report. But look!')],
      { ...end, summary: 'Nothing to report. But look!' },
    ],
    [
      'of a turn that read text from outside has its origin',
      {},
      [said('a'), said('b'), ask, outside, said('one'), said('two')],
      { ...end, origin: 'page' },
    ],
    [
      'of a failed one too',
      { status: 'failed', error: { code: 'model_failed', message: 'x'.repeat(2_001) } },
      [said('a'), said('b'), outside],
      { ...end, outcome: 'failed', summary: 'x'.repeat(2_000), origin: 'page' },
    ],
  ]

for (const [name, over, items, expected] of ends) {
  test(`the end ${name}`, async () => {
    assert.deepEqual(await endOfRun(threadOf(items), 't1', { ...turn, ...over }), expected)
  })
}

test('a reply of 2,000 characters is kept whole, and a pair is not cut through', async () => {
  for (const [text, kept] of [
    ['x'.repeat(2_000), 'x'.repeat(2_000)],
    [`${'x'.repeat(1_999)}😀`, `${'x'.repeat(1_999)}\uFFFD`],
  ] as const) {
    const store = threadOf([said('a'), said('b'), ask, own, own, said(text)])
    assert.equal((await endOfRun(store, 't1', turn))?.summary, kept)
  }
})

test('a run without a turn has lost its thread', async () => {
  assert.deepEqual(await endOfRun(threadOf([]), 't1', undefined), {
    turnId: 't1',
    outcome: 'failed',
    summary: 'Its thread was deleted.',
    costUsd: null,
    stopped: true,
  })
})

test('a long turn is searched for text from outside to its end, and one that is too long counts as tainted', async () => {
  const long = (count: number, last: Item): Item[] => [...Array.from({ length: count - 1 }, () => own), last]
  const store = threadOf(long(401, outside))
  const failed = { ...turn, status: 'failed', firstSeq: 1, lastSeq: 401 } as const
  assert.equal((await endOfRun(store, 't1', failed))?.origin, 'page')
  assert.deepEqual(store.asked, [0, 200, 400])
  assert.equal((await endOfRun(threadOf(long(401, outside)), 't1', { ...failed, lastSeq: 400 }))?.origin, undefined)
  assert.equal((await endOfRun(threadOf(long(10_000, own)), 't1', { ...failed, lastSeq: 10_000 }))?.origin, undefined)
  const tooLong = await endOfRun(threadOf(long(10_001, own)), 't1', { ...failed, lastSeq: 10_001 })
  assert.equal(tooLong?.origin, 'an earlier run')
})
