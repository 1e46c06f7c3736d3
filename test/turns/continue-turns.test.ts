// Turns that the last run has left go on, on a full disk once there is room.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, type ErrorCode } from '#core/errors.ts'
import { logTo } from '#lib/log.ts'
import { continueTurns } from '#turns/continue-turns.ts'
import { until } from '../until.ts'

const lease = { owner: 'o', epoch: 1 }

/** A store that fails so long as it has a fault, and has so many turns. */
function open(fault?: ErrorCode, turns = 1) {
  const state = { fault, tries: 0, woken: 0, lines: [] as string[], ready: Promise.resolve() }
  const recover = async (): Promise<number> => {
    state.tries++
    await state.ready
    if (state.fault) throw new AppError(state.fault, 'no')
    return turns
  }
  const log = logTo((level, _fields, message) => state.lines.push(`${level} ${message}`), 'info')
  const start = () =>
    continueTurns({ store: { turns: { recover } }, runner: { wake: () => void state.woken++ }, lease, log })
  return { state, start }
}

test('turns of the last run are queued before the start goes on', async () => {
  const { state, start } = open()
  await start()
  assert.deepEqual([state.tries, state.woken], [1, 1])
})

test('a full disk does not keep the service from its start: the turns wait for room', async () => {
  const { state, start } = open('disk_full')
  const stop = await start()
  assert.equal(state.woken, 0)
  state.fault = undefined
  await until(() => state.woken === 1)
  await stop()
})

test('a service that stops on a full disk waits no longer, and reports nothing more', async () => {
  const { state, start } = open('disk_full')
  const stop = await start()
  const told = state.lines.length
  await stop()
  const { tries } = state
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual([state.tries, state.woken, state.lines.length], [tries, 0, told])
})

test('a stop waits for the attempt that is under way: the store is closed after it', async () => {
  const { state, start } = open('disk_full')
  const stop = await start()
  const ready = Promise.withResolvers<void>()
  state.ready = ready.promise
  await until(() => state.tries === 2)
  let stopped = false
  const stopping = stop().then(() => (stopped = true))
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(stopped, false)
  ready.resolve()
  await stopping
})

test('a fault of another kind ends the wait and is reported', async () => {
  const { state, start } = open('disk_full')
  const stop = await start()
  state.fault = 'internal'
  await until(() => state.lines.at(-1) === 'error could not continue the turns of the last run')
  assert.equal(state.woken, 0)
  await stop()
})

for (const [turns, lines] of [
  [0, []],
  [1, ['info continuing turns of the last run']],
] as const) {
  test(`a start that continues ${turns} turns reports ${lines.length === 0 ? 'nothing' : 'them'}`, async () => {
    const { state, start } = open(undefined, turns)
    await start()
    assert.deepEqual(state.lines, lines)
  })
}

test('a database that does not answer ends the start', async () => {
  await assert.rejects(open('database_unavailable').start(), { code: 'database_unavailable' })
})
