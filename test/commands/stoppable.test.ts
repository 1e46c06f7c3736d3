// Work that Ctrl+C stops.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stoppable } from '#commands/stoppable.ts'

test('the first signal stops the work, the second ends the process, and behind the work none is taken', async (t) => {
  const { mock: exit } = t.mock.method(process, 'exit', () => undefined as never)
  const before = process.listenerCount('SIGHUP')
  const stopped = stoppable('stopped', async (signal) => {
    const stop = process.listeners('SIGHUP').at(-1)
    stop?.('SIGHUP')
    assert.deepEqual([signal.aborted, exit.callCount()], [true, 0])
    stop?.('SIGHUP')
    await Promise.reject(new Error('of the work'))
  })
  await assert.rejects(stopped, { code: 'interrupted', message: 'stopped' })
  assert.deepEqual([exit.callCount(), process.listenerCount('SIGHUP')], [1, before])
})
