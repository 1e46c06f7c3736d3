// Duties: work that one of all processes does.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Open } from './harness.ts'

const forMs = 60_000

export function dutyTests(open: Open): void {
  test('one process of all has a duty, and another once it leaves the duty, lets it run out or is gone', async (t) => {
    const { store } = await open(t)
    const { leases } = store
    const take = (owner: string, ms = forMs): Promise<boolean> => leases.takeDuty('vectors', owner, ms)
    const [one, two] = [await leases.join('one'), await leases.join('two')]
    assert.deepEqual([await take('one'), await take('one')], [true, true], 'it is taken again by whoever has it')
    // On SQLite there is one process, which has the home.
    if (store.backend === 'sqlite') {
      assert.deepEqual(
        [one, two],
        ['one', 'two'].map((owner) => ({ owner, epoch: 1 })),
      )
      assert.deepEqual([await take('two'), await leases.beat(one), await leases.alive()], [true, true, 0])
      return
    }
    assert.equal(await take('two'), false)
    await leases.leaveDuty('vectors', 'two')
    assert.equal(await take('two'), false, 'nobody leaves what another has')
    await leases.leaveDuty('vectors', 'one')
    assert.deepEqual([await take('two'), await take('one')], [true, false])
    await take('two', -1)
    assert.equal(await take('one'), true, 'it had run out')
    await leases.leave(one)
    assert.equal(await take('two'), true, 'the process was gone')
    await leases.leave(two)
    assert.equal(await take('three'), true)
    assert.equal(await take('four'), true, 'a process that never joined keeps nothing')
  })

  test('PostgreSQL tells its own time', async (t) => {
    const { store } = await open(t)
    const time = await store.leases.databaseTime()
    if (store.backend === 'sqlite') assert.equal(time, undefined)
    else assert.equal(new Date(time ?? 0).getUTCFullYear(), new Date().getUTCFullYear())
  })
}
