// The hold of one process on a channel.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHold, renewMs } from '#doors/channel/hold.ts'

test('a hold lasts from before it was asked for, and lapses by itself when the process stands still', async () => {
  let now = 0
  let free = true
  const leases = {
    takeDuty() {
      // The database answers late.
      now += 500
      return Promise.resolve(free)
    },
    leaveDuty: () => Promise.resolve(),
  }
  const hold = createHold({ leases, channel: 'telegram', owner: 'p', now: () => now })
  assert.equal(hold.held, false)
  assert.deepEqual([await hold.renew(), hold.held], [true, true])
  now = 11_999
  assert.equal(hold.held, true)
  now = 12_000
  assert.equal(hold.held, false)
  assert.deepEqual([await hold.renew(), hold.held], [true, true])
  free = false
  assert.deepEqual([await hold.renew(), hold.held], [false, false])
  free = true
  await hold.renew()
  await hold.leave()
  assert.equal(hold.held, false)
})

test('a process that waits has the channel within 15 seconds of the last sign of another', async () => {
  const asked: number[] = []
  const leases = {
    takeDuty(_duty: string, _owner: string, forMs: number) {
      asked.push(forMs)
      return Promise.resolve(true)
    },
    leaveDuty: () => Promise.resolve(),
  }
  await createHold({ leases, channel: 'telegram', owner: 'p' }).renew()
  const [holdMs = Infinity] = asked
  assert.ok(holdMs + renewMs <= 15_000, `${holdMs} + ${renewMs}`)
})
