// Grants that come with answers: kept, listed until they end, and taken back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operator, userId } from '#core/ids.ts'
import { ada, bob, decide, minuteMs, type Open, rejectsWith, turnAtApproval } from './harness.ts'

export function grantTests(open: Open): void {
  test('a grant is kept with its answer or not at all, listed until it ends, and taken back by its user', async (t) => {
    const { store, clock } = await open(t)
    const turn = await turnAtApproval(store)
    const grant = { tool: 'act', target: './a/', until: clock.now + minuteMs }
    await rejectsWith(store.turns.answer(ada, turn.threadId, decide('a9'), grant), 'not_found')
    assert.deepEqual(await store.grants.list(ada), [])
    await store.turns.answer(ada, turn.threadId, decide('a1'), grant)
    clock.now += 1
    await store.turns.answer(ada, turn.threadId, decide('a2'), { tool: 'act', clean: true })
    const [timed, lasting] = await store.grants.list(ada)
    assert.deepEqual(timed, { id: timed?.id, userId: ada, ...grant, by: 'ada', createdAt: clock.now - 1, uses: 0 })
    assert.deepEqual(lasting, {
      id: lasting?.id,
      userId: ada,
      tool: 'act',
      clean: true,
      by: 'ada',
      createdAt: clock.now,
      uses: 0,
    })
    for (let uses = 0; uses < 2; uses++) await store.grants.used(timed?.id ?? '')
    assert.deepEqual(await store.grants.list(ada), [{ ...timed, uses: 2 }, lasting])
    assert.deepEqual(await store.grants.list(bob), [])
    assert.equal(await store.grants.remove(bob, lasting?.id ?? ''), undefined)
    assert.equal(await store.grants.remove(operator, lasting?.id ?? ''), undefined)
    clock.now += minuteMs
    assert.deepEqual(await store.grants.list(ada), [lasting], 'an hour is over when it is over')
    assert.equal(await store.grants.remove(ada, lasting?.id ?? ''), ada)
    assert.equal(await store.grants.remove(ada, lasting?.id ?? ''), undefined)
    assert.deepEqual(await store.grants.list(ada), [])
  })

  test('a grant for a component ends when it is removed, and holds when it is updated', async (t) => {
    const { store } = await open(t)
    const turn = await turnAtApproval(store)
    const component = { sha256: 's', capabilities: '{}', description: 'd', schema: '{}' }
    for (const name of ['act', 'look']) await store.tools.put({ name, ...component }, new Uint8Array(1))
    await store.turns.answer(ada, turn.threadId, decide('a1'), { tool: 'act' })
    await store.turns.answer(ada, turn.threadId, decide('a2'), { tool: 'look' })
    const tools = async () => (await store.grants.list(ada)).map(({ tool }) => tool)
    await store.tools.put({ name: 'act', ...component, sha256: 'later' }, new Uint8Array(2))
    assert.deepEqual(await tools(), ['act', 'look'])
    assert.equal(await store.tools.remove('act'), true)
    assert.deepEqual(await tools(), ['look'])
    assert.equal(await store.tools.remove('act'), false)
  })

  test('a grant that ends does not count for longer because the clock was set back', async (t) => {
    const { store, clock } = await open(t)
    const turn = await turnAtApproval(store)
    await store.turns.answer(ada, turn.threadId, decide('a1'), { tool: 'act', until: clock.now + minuteMs })
    await store.turns.answer(ada, turn.threadId, decide('a2'), { tool: 'look' })
    const tools = async () => (await store.grants.list(ada)).map(({ tool }) => tool)
    clock.now -= minuteMs
    assert.deepEqual(await tools(), ['act', 'look'], 'clocks of replicas differ a little')
    clock.now -= 1
    assert.deepEqual(await tools(), ['look'])
  })

  test('the same grant again takes the place of the first; the operator reaches those of the channel', async (t) => {
    const { store, clock } = await open(t)
    const hooked = userId('webhook:x')
    const turn = await turnAtApproval(store, { user: hooked, door: 'webhook' })
    await store.turns.answer(operator, turn.threadId, decide('a1'), { tool: 'act', until: clock.now + 1 })
    await store.turns.answer(operator, turn.threadId, decide('a2'), { tool: 'act', clean: true })
    const grants = await store.grants.list(operator)
    assert.deepEqual(
      grants.map(({ userId: whose, until }) => [whose, until]),
      [[hooked, undefined]],
    )
    assert.deepEqual(await store.grants.list(hooked), grants)
    assert.equal(await store.grants.remove(operator, grants[0]?.id ?? ''), hooked)
  })

  test('the grants of a removed user go with them', async (t) => {
    const { store } = await open(t)
    const eve = await store.accounts.addUser('eve', { hash: 'h' })
    const turn = await turnAtApproval(store, { user: eve.id })
    await store.turns.answer(eve.id, turn.threadId, decide('a1'), { tool: 'act' })
    assert.deepEqual(await store.accounts.removeUser(eve.id), { grants: 1, secrets: 0 })
    assert.deepEqual(await store.grants.list(eve.id), [])
  })

  test('the operator lists grants of senders, the oldest first', async (t) => {
    const { store, clock } = await open(t)
    const { threadId } = await turnAtApproval(store, { user: userId('webhook:x'), door: 'webhook' })
    for (const callId of ['a1', 'a2']) {
      clock.now += 1
      await store.turns.answer(operator, threadId, decide(callId), { tool: callId })
    }
    assert.deepEqual(
      (await store.grants.list(operator)).map(({ tool }) => tool),
      ['a1', 'a2'],
    )
  })
}
