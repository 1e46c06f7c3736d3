// Turns that the last run has left go on, on a full disk once there is room.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, type ErrorCode } from '#core/errors.ts'
import { silentLog } from '#lib/log.ts'
import { continueTurns } from '#turns/continue-turns.ts'
import { until } from '../until.ts'

const lease = { owner: 'o', epoch: 1 }

/** A store that fails so long as it has a fault. */
function open(fault?: ErrorCode) {
  const state = { fault, tries: 0, woken: 0 }
  const recover = (): Promise<number> => {
    state.tries++
    return state.fault ? Promise.reject(new AppError(state.fault, 'no')) : Promise.resolve(1)
  }
  const start = () =>
    continueTurns({ store: { turns: { recover } }, runner: { wake: () => void state.woken++ }, lease, log: silentLog })
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

test('a service that stops on a full disk waits no longer', async () => {
  const { state, start } = open('disk_full')
  const stop = await start()
  await stop()
  const { tries } = state
  assert.equal(state.woken, 0)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(state.tries, tries)
})

test('a database that does not answer ends the start', async () => {
  await assert.rejects(open('database_unavailable').start(), { code: 'database_unavailable' })
})
