// Where the turn of a history starts if its first place cannot be used any more.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, type ErrorCode } from '#core/errors.ts'
import { userId } from '#core/ids.ts'
import { startPlanned } from '#doors/openai/start-planned.ts'
import type { StartTurn } from '#turns/turns.ts'

const turn: StartTurn = { user: userId('ann'), door: 'responses', input: [], options: {}, whenBusy: 'refuse' }
const goneOn = new AppError('conversation_busy', 'gone on')

/** The threads that a start was tried in, and its outcome, with these faults one after the other. */
async function tried(faults: readonly Error[], { found = true, forks = false } = {}) {
  const threads: (string | undefined)[] = []
  let lookUps = 0
  const plan = () => {
    const fork = forks && { forks: { threadId: 'a', beforeSeq: 3 } }
    const start = { ...turn, threadId: `look-up ${++lookUps}`, ...fork }
    const apart = () => Promise.resolve({ ...turn, threadId: 'apart' })
    return Promise.resolve(found ? { start, apart } : { start })
  }
  const begin = ({ threadId }: StartTurn) => {
    const fault = faults[threads.push(threadId) - 1]
    return fault ? Promise.reject(fault) : Promise.resolve('started')
  }
  const outcome = await startPlanned(plan, begin).catch((error: unknown) => error)
  return { threads, outcome }
}

test('a history whose thread has gone on is looked up again, and then starts a thread of its own', async () => {
  assert.deepEqual(await tried([]), { threads: ['look-up 1'], outcome: 'started' })
  assert.deepEqual(await tried([goneOn]), { threads: ['look-up 1', 'look-up 2'], outcome: 'started' })
  const twice = await tried([goneOn, goneOn])
  assert.deepEqual(twice, { threads: ['look-up 1', 'look-up 2', 'apart'], outcome: 'started' })
})

const faults: readonly [code: ErrorCode, param: string | undefined, forks: boolean, own: boolean][] = [
  ['too_large', undefined, true, true],
  ['not_found', undefined, true, true],
  ['not_found', undefined, false, true],
  ['invalid_input', 'before_seq', true, true],
  ['invalid_input', 'input', true, false],
  ['storage_full', undefined, true, false],
  // The message itself is too large.
  ['too_large', undefined, false, false],
]
test('a history starts a thread of its own when its thread is gone, too large or has moved on', async () => {
  for (const [code, param, forks, own] of faults) {
    const fault = new AppError(code, 'no', param === undefined ? {} : { param })
    const { threads, outcome } = await tried([fault], { forks })
    assert.deepEqual(threads, own ? ['look-up 1', 'apart'] : ['look-up 1'], code)
    assert.equal(outcome, own ? 'started' : fault)
  }
  const bug = new Error('a bug')
  assert.equal((await tried([bug])).outcome, bug)
})

test('a turn whose thread was named is refused while the thread is busy', async () => {
  assert.deepEqual(await tried([goneOn], { found: false }), { threads: ['look-up 1'], outcome: goneOn })
})
