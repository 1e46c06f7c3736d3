// Grants in memory: how long they are believed, whose they are, and what is counted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Grant } from '#core/grant.ts'
import { operator } from '#core/ids.ts'
import { createGrants } from '#turns/grant-cache.ts'
import { ada, bob } from '../store/harness.ts'

const grant = (id: string, userId = ada): Grant => ({ id, userId, tool: 'act', by: 'ada', createdAt: 0, uses: 0 })

function open() {
  const clock = { now: 1_000 }
  const stored: { grants: readonly Grant[] | Error } = { grants: [grant('g1')] }
  const [reads, used]: [string[], string[]] = [[], []]
  const store = {
    list(user: string): Promise<readonly Grant[]> {
      reads.push(user)
      return stored.grants instanceof Error ? Promise.reject(stored.grants) : Promise.resolve(stored.grants)
    },
    used: (id: string) => Promise.resolve(void used.push(id)),
  }
  const grants = createGrants({ store, now: () => clock.now })
  const ids = (user = ada) => grants.of(user).map(({ id }) => id)
  return { clock, store, stored, reads, used, grants, ids }
}

test('grants are read once for three seconds, and then again', async () => {
  const { clock, reads, stored, grants, ids } = open()
  await grants.open(ada)
  clock.now += 2_999
  stored.grants = []
  await grants.open(ada)
  assert.deepEqual([reads, ids()], [[ada], ['g1']])
  clock.now += 1
  await grants.open(ada)
  assert.deepEqual([reads, ids()], [[ada, ada], []])
})

test('grants are read again in time, also if the clock was set back', async (t) => {
  let passed = 0
  t.mock.method(performance, 'now', () => passed)
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 0, 2) })
  const { store, reads } = open()
  const grants = createGrants({ store })
  await grants.open(ada)
  t.mock.timers.setTime(Date.UTC(2026, 0, 1))
  passed += 3_000
  await grants.open(ada)
  assert.deepEqual(reads, [ada, ada])
})

test('a grant counts for its own user alone, and the operator’s list has those of others', async () => {
  const { stored, grants, ids } = open()
  stored.grants = [grant('own', operator), grant('of bob', bob)]
  await grants.open(operator)
  assert.deepEqual([ids(operator), ids(bob)], [['own'], []])
})

test('where grants cannot be read none is believed', async () => {
  const { clock, stored, grants, ids } = open()
  await grants.open(ada)
  clock.now += 3_000
  stored.grants = new Error('away')
  await assert.rejects(grants.open(ada), /away/)
  assert.deepEqual(ids(), [])
})

test('a change is read at once where the user is known, and not where nobody asked', async () => {
  const { reads, stored, grants, ids } = open()
  grants.forget(ada)
  assert.deepEqual(reads, [])
  await grants.open(ada)
  stored.grants = [grant('g1'), grant('g2')]
  grants.forget(ada)
  await grants.open(ada)
  assert.deepEqual([reads.length, ids()], [2, ['g1', 'g2']])
  stored.grants = []
  grants.forgetAll()
  await grants.open(ada)
  assert.deepEqual([reads.length, ids()], [3, []])
})

test('a call is counted once, by a grant that is known', async () => {
  const { used, grants } = open()
  await grants.open(ada)
  const [known] = grants.of(ada)
  assert.ok(known)
  for (const call of ['c1', 'c1', 'c2']) grants.used(ada, known, call)
  grants.used(ada, grant('g1'), 'c3')
  grants.used(bob, known, 'c4')
  assert.deepEqual(used, ['g1', 'g1'])
})
