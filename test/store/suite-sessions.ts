// Sessions of browsers, and the codes that open them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operator, type UserId } from '#core/ids.ts'
import type { Open } from './harness.ts'
import { dayMs, minuteMs } from './harness.ts'

const idleMs = 60 * minuteMs

export function sessionTests(open: Open): void {
  test('a session is found until it ends, or lies unused for too long', async (t) => {
    const { store, clock } = await open(t)
    const { sessions } = store
    const user = await store.accounts.addUser('ada', { hash: 't1' })
    const endsAt = clock.now + dayMs
    await sessions.open({ hash: 's1', user: user.id, token: 't1', endsAt })
    const session = { user: user.id, name: 'ada', token: 't1', endsAt }
    assert.deepEqual(await sessions.find('s1', idleMs), { ...session, seenAt: clock.now })
    assert.equal(await sessions.find('s2', idleMs), undefined)
    clock.now += idleMs - 1
    assert.ok(await sessions.find('s1', idleMs))
    await sessions.touch('s1')
    clock.now += 1
    assert.equal((await sessions.find('s1', idleMs))?.seenAt, clock.now - 1)
    clock.now += idleMs
    assert.equal(await sessions.find('s1', idleMs), undefined, 'unused for too long')
    assert.ok(await sessions.find('s1', dayMs))
    clock.now = endsAt
    await sessions.touch('s1')
    assert.equal(await sessions.find('s1', idleMs), undefined, 'at its end')
  })

  test('a sign-in while the clock is ahead ends no session for good, but those that ended 30 days before', async (t) => {
    const { store, clock } = await open(t)
    const { sessions } = store
    const at = clock.now
    const signInAt = async (hash: string, time: number): Promise<boolean> => {
      clock.now = time
      await sessions.open({ hash, user: operator, endsAt: time + dayMs })
      clock.now = at
      return (await sessions.find('s1', idleMs)) !== undefined
    }
    assert.equal(await signInAt('s1', at), true)
    assert.equal(await signInAt('s2', at + 31 * dayMs), true)
    assert.equal(await signInAt('s3', at + 31 * dayMs + 1), false)
  })

  test('a session ends with its token, with its user, and when it is closed', async (t) => {
    const { store, clock } = await open(t)
    const { sessions, accounts } = store
    const endsAt = clock.now + dayMs
    const found = async (...hashes: string[]) =>
      (await Promise.all(hashes.map(async (hash) => ((await sessions.find(hash, idleMs)) ? [hash] : [])))).flat()
    const open2 = (hash: string, user: UserId, token?: string) =>
      sessions.open({ hash, user, endsAt, ...(token !== undefined && { token }) })
    const ada = await accounts.addUser('ada', { hash: 't1', expiresAt: clock.now + minuteMs })
    await accounts.addToken('ada', { hash: 't2' })
    const bob = await accounts.addUser('bob', { hash: 't3' })
    for (const [hash, token] of [
      ['a1', 't1'],
      ['a2', 't2'],
      ['a3', undefined],
    ] as const)
      await open2(hash, ada.id, token)
    await open2('b1', bob.id, 't3')
    await open2('o1', operator, 'theirs')
    await open2('o2', operator)
    const all = ['a1', 'a2', 'a3', 'b1', 'o1', 'o2']
    assert.deepEqual(await found(...all), all)
    assert.deepEqual((await sessions.find('o1', idleMs))?.name, 'operator')
    clock.now += minuteMs
    assert.deepEqual(await found(...all), ['a2', 'a3', 'b1', 'o1', 'o2'], 'the token has expired')
    await sessions.close('o1')
    await sessions.closeAll(bob.id)
    assert.deepEqual(await found(...all), ['a2', 'a3', 'o2'])
    await accounts.shutOut('ada')
    assert.deepEqual(await found(...all), ['o2'])
    await assert.rejects(
      accounts.addToken('ada', { hash: 't2' }),
      { code: 'invalid_input', message: /^ada is being removed: add the user anew once/ },
      'there is no way back in',
    )
    await open2('a4', ada.id)
    await accounts.removeUser(ada.id)
    assert.deepEqual(await found('a4'), [])
  })

  test('a user keeps the newest hundred sessions', async (t) => {
    const { store, clock } = await open(t)
    for (let at = 0; at <= 100; at++) {
      clock.now++
      await store.sessions.open({ hash: `s${at}`, user: operator, endsAt: clock.now + dayMs })
    }
    assert.equal(await store.sessions.find('s0', idleMs), undefined)
    assert.ok(await store.sessions.find('s1', idleMs))
    assert.ok(await store.sessions.find('s100', idleMs))
  })

  test('a code is taken once, in its time, and the newest twenty are kept', async (t) => {
    const { store, clock } = await open(t)
    const { sessions } = store
    const add = (hash: string) => sessions.addCode({ hash, token: 't', endsAt: clock.now + minuteMs })
    await add('c1')
    const left = { minMs: 0, maxMs: minuteMs }
    assert.equal(await sessions.hasCode('c1', left), true)
    assert.equal(await sessions.hasCode('c1', { ...left, minMs: minuteMs }), false, 'not for a minute more')
    const take = (hash: string) => sessions.takeCode(hash, minuteMs)
    const taken = await Promise.all([take('c1'), take('c1')])
    assert.deepEqual(
      taken.filter((each) => each !== undefined),
      [{ token: 't' }],
    )
    assert.equal(await take('c1'), undefined)
    assert.equal(await sessions.hasCode('c1', left), false, 'it is used')
    await add('c2')
    clock.now += minuteMs
    assert.equal(await take('c2'), undefined, 'its time is over')
    for (let at = 0; at <= 20; at++) {
      clock.now++
      await add(`d${at}`)
    }
    assert.equal(await take('d0'), undefined)
    assert.deepEqual(await take('d1'), { token: 't' })
  })

  test('codes of a clock that was ahead neither work once it is set back, nor keep others from it', async (t) => {
    const { store, clock } = await open(t)
    const { sessions } = store
    const left = { minMs: 0, maxMs: minuteMs }
    const add = (hash: string) => sessions.addCode({ hash, token: 't', endsAt: clock.now + minuteMs })
    const right = clock.now
    clock.now += dayMs
    for (let at = 0; at < 20; at++) await add(`c${at}`)
    clock.now = right
    assert.equal(await sessions.hasCode('c0', left), false)
    assert.equal(await sessions.takeCode('c1', minuteMs), undefined)
    await add('d1')
    assert.equal(await sessions.hasCode('d1', left), true)
    clock.now -= minuteMs
    await add('d2')
    assert.equal(await sessions.hasCode('d2', left), true)
    assert.deepEqual(await sessions.takeCode('d1', minuteMs), { token: 't' }, 'clocks of replicas differ')
  })
}
