// Secrets on both databases: whose they are, which are shared, and who renews one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operator, userId } from '#core/ids.ts'
import { createSeal } from '#lib/seal.ts'
import type { Open } from './harness.ts'
import { ada } from './harness.ts'

const forMs = 60_000

export function secretTests(open: Open): void {
  test('a secret of a user is neither the operator\u2019s nor another user\u2019s', async (t) => {
    const { store } = await open(t)
    await store.secrets.set('tool/a/key', 'of all')
    await store.secrets.set('tool/a/key', 'of ada', { owner: ada })
    assert.equal(await store.secrets.get('tool/a/key'), 'of all')
    assert.equal(await store.secrets.get('tool/a/key', ada), 'of ada')
    assert.equal(await store.secrets.get('tool/a/key', userId('bob')), undefined)
    const all = { owner: operator, value: 'of all' }
    const hers = { owner: ada, value: 'of ada' }
    assert.deepEqual(
      (await store.secrets.values()).toSorted((a, b) => a.value.localeCompare(b.value)),
      [hers, all],
    )
    assert.deepEqual(await store.secrets.values(ada), [hers])
    assert.deepEqual(await store.secrets.values(operator), [all])
    assert.equal(await store.secrets.remove('tool/a/key', ada), true)
    assert.equal(await store.secrets.get('tool/a/key'), 'of all')
  })

  test('a secret that repeats itself is refused: no text could be searched for it', async (t) => {
    const { store } = await open(t)
    await store.secrets.set('tool/a/key', 'before')
    const value = `${'a'.repeat(30_000)}b${'a'.repeat(30_000)}`
    await assert.rejects(store.secrets.set('tool/a/key', value), /tool\/a\/key repeats itself too much/)
    assert.equal(await store.secrets.get('tool/a/key'), 'before')
  })

  test('secrets that belong together are set together or not at all', async (t) => {
    const { store } = await open(t)
    const renewal = { token: 'refresh', expiresAt: 5 }
    const both = [
      { name: 'mcp/a/client', value: 'id' },
      { name: 'mcp/a/token', value: 'access', renewal },
    ]
    await store.secrets.setTogether(both, operator)
    assert.equal(await store.secrets.get('mcp/a/client'), 'id')
    const token = await store.secrets.find('mcp/a/token', operator)
    assert.deepEqual([token?.value, token?.renewal], ['access', renewal])
    const changed = [
      { name: 'mcp/a/client', value: 'new' },
      { name: 'mcp/a/token', value: `${'a'.repeat(30_000)}b${'a'.repeat(30_000)}` },
    ]
    await assert.rejects(store.secrets.setTogether(changed, operator), { code: 'invalid_input' })
    assert.equal(await store.secrets.get('mcp/a/client'), 'id')
  })

  test('a user who is removed takes their secrets along', async (t) => {
    const { store } = await open(t)
    const user = await store.accounts.addUser('cleo', { hash: 'h' })
    await store.secrets.set('tool/a/key', 'of cleo', { owner: user.id })
    assert.deepEqual(await store.accounts.removeUser(user.id), { grants: 0, secrets: 1 })
    assert.deepEqual(await store.secrets.values(), [])
  })

  test('for a user who is removed at the same moment nothing stays stored', async (t) => {
    const { store } = await open(t)
    for (let round = 0; round < 5; round++) {
      const { id: owner } = await store.accounts.addUser('cleo', { hash: 'h' })
      await store.secrets.set('tool/a/key', 'one', { owner })
      const writes = [
        store.secrets.set('tool/b/key', 'two', { owner }),
        store.accounts.removeUser(owner),
        store.secrets.set('tool/c/key', 'three', { owner }),
        store.secrets.share('tool/d/key', 'tool/a/key', owner),
      ]
      await Promise.allSettled(round % 2 === 0 ? writes : writes.toReversed())
      assert.deepEqual([await store.secrets.values(), await store.secrets.list(owner)], [[], []])
      await assert.rejects(store.secrets.set('tool/a/key', 'late', { owner }), { code: 'not_found' })
    }
  })

  test('a shared secret follows the other, is listed, and ends with it', async (t) => {
    const { store } = await open(t)
    await store.secrets.set('tool/a/key', 'one', { owner: ada })
    await store.secrets.share('tool/b/key', 'tool/a/key', ada)
    assert.equal(await store.secrets.get('tool/b/key', ada), 'one')
    assert.equal(await store.secrets.get('tool/b/key'), undefined)
    await store.secrets.set('tool/a/key', 'two', { owner: ada })
    assert.equal(await store.secrets.get('tool/b/key', ada), 'two')
    assert.deepEqual(
      (await store.secrets.list(ada)).map(({ name, sameAs }) => [name, sameAs]),
      [
        ['tool/a/key', undefined],
        ['tool/b/key', 'tool/a/key'],
      ],
    )
    assert.equal(await store.secrets.remove('tool/b/key', ada), true)
    assert.equal(await store.secrets.get('tool/a/key', ada), 'two')
    await store.secrets.share('tool/b/key', 'tool/a/key', ada)
    await store.secrets.remove('tool/a/key', ada)
    assert.deepEqual(await store.secrets.list(ada), [])
  })

  test('a share follows where its origin becomes a share, and nothing is shared of what is lent', async (t) => {
    const { store } = await open(t)
    const { secrets } = store
    for (const tool of ['a', 'b', 'd']) await secrets.set(`tool/${tool}/key`, `of ${tool}`, { owner: ada })
    await secrets.share('tool/c/key', 'tool/b/key', ada)
    await secrets.share('tool/b/key', 'tool/a/key', ada)
    for (const tool of ['b', 'c']) assert.equal(await secrets.get(`tool/${tool}/key`, ada), 'of a')
    for (const origin of ['tool/b/key', 'tool/d/key', 'tool/none/key'])
      await assert.rejects(secrets.share('tool/d/key', origin, ada), { code: 'invalid_input' })
    assert.equal(await secrets.get('tool/d/key', ada), 'of d')
    // Each of the other at once: one of them comes first, and both still have a value.
    const both = [secrets.share('tool/a/key', 'tool/d/key', ada), secrets.share('tool/d/key', 'tool/a/key', ada)]
    const ends = await Promise.allSettled(both)
    assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 1)
    const values = await Promise.all(['a', 'b', 'c', 'd'].map((tool) => secrets.get(`tool/${tool}/key`, ada)))
    assert.equal(new Set(values).size, 1, String(values))
  })

  test('a tool that goes takes the secrets of everybody along, and what others had of it', async (t) => {
    const { store } = await open(t)
    await store.secrets.set('tool/a/key', 'one')
    await store.secrets.set('tool/a/key', 'two', { owner: ada })
    await store.secrets.share('tool/b/key', 'tool/a/key', ada)
    await store.secrets.set('tool/ab/key', 'three')
    await store.secrets.removeBelow('tool/a/')
    assert.deepEqual(await store.secrets.values(), [{ owner: operator, value: 'three' }])
    assert.deepEqual(await store.secrets.list(ada), [])
  })

  test('one of many renews a secret; whoever set it anew meanwhile keeps theirs', async (t) => {
    const { store, clock } = await open(t)
    const renewal = { token: 'r1', expiresAt: 7 }
    await store.secrets.set('tool/a/key', 'one', { owner: ada, renewal })
    const secret = await store.secrets.find('tool/a/key', ada)
    assert.ok(secret)
    assert.deepEqual(secret, { name: 'tool/a/key', owner: ada, value: 'one', renewal, updatedAt: clock.now })
    const claims = await Promise.all([1, 2, 3].map(() => store.secrets.claimRenewal(secret, forMs)))
    assert.equal(claims.filter(Boolean).length, 1)
    await store.secrets.endRenewal(secret, { type: 'failed' })
    assert.equal(await store.secrets.claimRenewal(secret, -1), true, 'one that was given up is free again')
    assert.equal(await store.secrets.claimRenewal(secret, forMs), true, 'one that has run out is free again')
    await store.secrets.endRenewal(secret, { type: 'renewed', value: 'two', renewal: { token: 'r2' } })
    const next = await store.secrets.find('tool/a/key', ada)
    assert.ok(next)
    assert.deepEqual([next.value, next.renewal], ['two', { token: 'r2' }])
    assert.equal(await store.secrets.claimRenewal(secret, forMs), false, 'it is another secret by now')
    await store.secrets.endRenewal(secret, { type: 'ended' })
    assert.equal(await store.secrets.get('tool/a/key', ada), 'two')
    assert.deepEqual((await store.secrets.values(ada)).map(({ value }) => value).toSorted(), ['r2', 'two'])
    await store.secrets.endRenewal(next, { type: 'ended' })
    assert.equal(await store.secrets.get('tool/a/key', ada), undefined)
  })

  test('a clock that is wrong neither ends the renewal of another process nor keeps that of one that is gone', async (t) => {
    const { store, clock } = await open(t)
    await store.secrets.set('tool/a/key', 'one', { owner: ada, renewal: { token: 'r1' } })
    const secret = await store.secrets.find('tool/a/key', ada)
    assert.ok(secret)
    assert.equal(await store.secrets.claimRenewal(secret, forMs), true)
    if (store.backend === 'postgres') {
      clock.now += 2 * forMs
      assert.equal(await store.secrets.claimRenewal(secret, forMs), false, 'a replica whose clock is ahead')
      return
    }
    clock.now -= 2 * forMs
    assert.equal(await store.secrets.claimRenewal(secret, forMs), true, 'after a restart with the right time')
  })

  test('every secret is sealed anew under another key, and the key before opens none of them', async (t) => {
    const { store } = await open(t)
    await store.secrets.set('a', 'one')
    await store.secrets.set('tool/a/key', 'two', { owner: ada, renewal: { token: 'r' } })
    await store.secrets.share('tool/b/key', 'tool/a/key', ada)
    assert.equal(await store.secrets.reseal(createSeal('1'.repeat(64))), 2)
    assert.equal(await store.secrets.get('a', operator), undefined)
    assert.equal((await store.secrets.find('tool/b/key', ada))?.ended, true)
    assert.deepEqual(await store.secrets.values(), [])
    const closed = [
      { name: 'tool/a/key', owner: ada },
      { name: 'a', owner: operator },
    ]
    assert.deepEqual(await store.secrets.unopenable(), closed)
    await assert.rejects(store.secrets.reseal(createSeal('2'.repeat(64))), { code: 'invalid_config' })
    await store.secrets.set('a', 'anew')
    assert.equal(await store.secrets.get('a', operator), 'anew')
    assert.deepEqual(await store.secrets.unopenable(), closed.slice(0, 1))
  })
}
