// What is news, and for whom.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operator, userId } from '#core/ids.ts'
import type { Mission, SettledMission } from '#core/mission.ts'
import type { Door } from '#core/doors.ts'
import type { TurnStatus } from '#core/turn-status.ts'
import { mayBeNews, newsOfMission, newsOfTurn, readerOf } from '#reach/events.ts'
import { ada } from '../store/harness.ts'

const turn = (status: TurnStatus, ms: number, door: Door = 'web') => {
  return { id: 't1', threadId: 'h1', door, status, createdAt: 1_000, endedAt: 1_000 + ms }
}

for (const [status, ms, door, event] of [
  ['completed', 60_000, 'web', undefined],
  ['completed', 60_001, 'web', 'finished'],
  ['completed', 90_000, 'responses', 'finished'],
  ['failed', 5, 'web', 'failed'],
  ['cancelled', 90_000, 'web', undefined],
  ['completed', 90_000, 'mission', undefined],
  ['failed', 90_000, 'mission', undefined],
  ['running', 90_000, 'web', undefined],
  ['queued', 90_000, 'web', undefined],
] as const) {
  test(`a turn of door ${door} that is ${status} after ${ms} ms is ${event ?? 'no news'}`, () => {
    const rested = turn(status, ms, door)
    assert.equal(mayBeNews(rested), event !== undefined)
    const news = newsOfTurn(rested, {}, ['c1'])
    const expected = { event, subject: 'turn t1', threadId: 'h1', turnId: 't1', door }
    assert.deepEqual(news, event === undefined ? [] : [expected])
  })
}

test('each gate of a turn that waits is news, also of a mission and of a temporary thread', () => {
  for (const door of ['web', 'mission'] as const) {
    const news = newsOfTurn(turn('waiting', 0, door), { temporary: true }, ['c1', 'c2'])
    assert.deepEqual(
      news.map(({ event, subject, callId }) => [event, subject, callId]),
      [
        ['needs_you', 'gate c1', 'c1'],
        ['needs_you', 'gate c2', 'c2'],
      ],
    )
  }
})

test('the end of a temporary thread, and one that waits for its client, is no news', () => {
  assert.deepEqual(newsOfTurn(turn('completed', 90_000), { temporary: true }, []), [])
  assert.deepEqual(newsOfTurn(turn('completed', 90_000), { endsOpen: true }, []), [])
})

test('the operator is told of senders without an account, every other user of their own', () => {
  assert.equal(readerOf({ userId: ada, door: 'web' }), ada)
  assert.equal(readerOf({ userId: userId('webhook:shop'), door: 'webhook' }), operator)
})

const mission = { id: 'm1', userId: ada, title: 'News' } as Mission
const run = { id: 't1', threadId: 'h1' }

for (const [settled, expected] of [
  [{ outcome: 'ok', turn: run }, ['finished', 'run t1']],
  [{ outcome: 'failed', turn: run }, ['failed', 'run t1']],
  [{ outcome: 'failed', turn: run, paused: true }, ['failed', 'run t1, paused']],
  [{ outcome: 'failed', at: 5, paused: true }, ['failed', 'mission m1 at 5, paused']],
  [{ outcome: 'failed', at: 5 }, ['failed', 'mission m1 at 5']],
  [{ outcome: 'quiet', turn: run }, undefined],
  [{ outcome: 'waiting', turn: run }, undefined],
  [{ outcome: 'stopped', turn: run }, undefined],
] as const satisfies [Partial<SettledMission>, unknown][]) {
  test(`a mission's run with ${JSON.stringify(settled)} is ${expected?.[0] ?? 'no news'}`, () => {
    const [news] = newsOfMission({ mission, paused: false, ...settled })
    assert.deepEqual(news && [news.event, news.subject], expected)
    if (news) assert.equal(news.missionId, 'm1')
  })
}
