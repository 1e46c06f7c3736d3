// The end of a turn, as doors show it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Turn } from '#core/turn.ts'
import { readEnd } from '#turns/job-outcome.ts'

async function ask(turn: Partial<Turn>) {
  const asked: object[] = []
  const threads = {
    entries(_user: unknown, _thread: unknown, range: object) {
      asked.push(range)
      return Promise.resolve({ entries: [{ turnId: 'before' }, { turnId: 't' }], more: false })
    },
  } as unknown as Parameters<typeof readEnd>[0]
  const whole = { id: 't', status: 'completed', firstSeq: 3, lastSeq: 30, ...turn } as Turn
  const entries = await readEnd(threads, whole)
  return { asked, turns: entries.map(({ turnId }) => turnId) }
}

test('the last eight rows are read, none of them from before the turn', async () => {
  assert.deepEqual(await ask({}), { asked: [{ after: 22, upTo: 30, limit: 8 }], turns: ['t'] })
  assert.deepEqual((await ask({ firstSeq: 28 })).asked, [{ after: 27, upTo: 30, limit: 8 }])
})

test('of a turn that did not complete nothing is read', async () => {
  for (const status of ['queued', 'running', 'waiting', 'failed', 'cancelled'] as const) {
    assert.deepEqual(await ask({ status }), { asked: [], turns: [] }, status)
  }
})
