// Secrets under another key, and what a renewal makes of them. Two stores over one database, each with a key of its own.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { operator } from '#core/ids.ts'
import { createSeal } from '#lib/seal.ts'
import { createSecretStore } from '#store/secret-store.ts'
import { ada } from './harness.ts'
import { openMemorySqlite } from './memory-store.ts'

const next = createSeal('1'.repeat(64))

function open(t: TestContext) {
  const sql = openMemorySqlite()
  t.after(() => sql.close())
  const clock = { now: 1_000 }
  const now = (): number => clock.now
  return {
    clock,
    secrets: createSecretStore({ sql, seal: createSeal('0'.repeat(64)), now }),
    resealed: createSecretStore({ sql, seal: next, now }),
  }
}

test('every value and refresh token that is sealed anew opens under the next key, for its owner', async (t) => {
  const { secrets, resealed } = open(t)
  await secrets.set('key', 'of all')
  await secrets.set('key', 'of ada', { owner: ada, renewal: { token: 'r', expiresAt: 7 } })
  await secrets.share('shared', 'key', ada)
  assert.equal(await secrets.reseal(next), 2)
  const at = { updatedAt: 1_000 }
  const hers = { name: 'key', owner: ada, value: 'of ada', renewal: { token: 'r', expiresAt: 7 }, ...at }
  assert.deepEqual(await resealed.find('key', operator), { name: 'key', owner: operator, value: 'of all', ...at })
  assert.deepEqual(await resealed.find('key', ada), hers)
  assert.deepEqual(await resealed.find('shared', ada), hers, 'a share appears as what it refers to')
  assert.deepEqual(await resealed.unopenable(), [])
})

test('a renewed secret is a later one, also within the same millisecond or by a clock that went back', async (t) => {
  const { secrets, clock } = open(t)
  await secrets.set('key', 'one', { owner: ada, renewal: { token: 'r' } })
  let updatedAt = 1_000
  const renew = async (): Promise<number | undefined> => {
    await secrets.endRenewal({ name: 'key', owner: ada, updatedAt }, { type: 'renewed', value: 'two', renewal: {} })
    updatedAt = (await secrets.find('key', ada))?.updatedAt ?? 0
    return updatedAt
  }
  assert.equal(await renew(), 1_001)
  clock.now = 500
  assert.equal(await renew(), 1_002)
  clock.now = 9_000
  assert.equal(await renew(), 9_000)
})

test('a sign-in that has ended leaves a mark for its user, who must sign in again, and nothing for the operator', async (t) => {
  const { secrets } = open(t)
  const ended = { type: 'ended' } as const
  for (const owner of [ada, operator]) {
    await secrets.set('key', 'one', { owner, renewal: { token: 'r' } })
    await secrets.endRenewal({ name: 'key', owner, updatedAt: 1_000 }, ended)
    assert.equal(await secrets.get('key', owner), undefined)
    assert.deepEqual([await secrets.list(owner), await secrets.values(owner)], [[], []])
  }
  const mark = { name: 'key', owner: ada, value: '', ended: true, updatedAt: 1_001 }
  assert.deepEqual([await secrets.find('key', ada), await secrets.find('key', operator)], [mark, undefined])
  await assert.rejects(secrets.share('other', 'key', ada), { code: 'invalid_input' })
  assert.equal(await secrets.remove('key', ada), true)
})

test('the name of a tool is meant letter by letter when its secrets are removed', async (t) => {
  const { secrets } = open(t)
  for (const name of ['tool/a_b/key', 'tool/axb/key', 'tool/50%/key', 'tool/500/key', 'tool/c\\d/key'])
    await secrets.set(name, name)
  for (const prefix of ['tool/a_b/', 'tool/50%/', 'tool/c\\d/']) await secrets.removeBelow(prefix)
  assert.deepEqual(
    (await secrets.list()).map(({ name }) => name),
    ['tool/500/key', 'tool/axb/key'],
  )
})
