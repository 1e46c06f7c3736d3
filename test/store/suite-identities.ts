// People by issuer and subject, and sign-ins that work once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Open } from './harness.ts'

const issuer = 'https://login.example.com'

export function identityTests(open: Open): void {
  test('a person is found by issuer and subject; a name that is taken is never taken over', async (t) => {
    const { store } = await open(t)
    const { identities, accounts } = store
    const made = await accounts.addUser('ann', { hash: 'h' })
    assert.equal(await identities.find({ issuer, subject: 'ann' }), undefined)
    const ann = await identities.enrol({ issuer, subject: 'ann' }, ['ann', 'ann 2'])
    assert.equal(ann.name, 'ann 2')
    assert.notEqual(ann.id, made.id)
    assert.deepEqual(await identities.find({ issuer, subject: 'ann' }), ann)
    assert.deepEqual(await identities.enrol({ issuer, subject: 'ann' }, ['other']), ann)
    assert.equal(await identities.find({ issuer: `${issuer}/`, subject: 'ann' }), undefined)
    const third = await identities.enrol({ issuer, subject: 'third' }, ['ann', 'ann 2'])
    assert.match(third.name, /^ann [0-9a-f]{8}$/)
    const long = 'x'.repeat(64)
    const names = []
    for (const subject of ['long', 'longer']) names.push((await identities.enrol({ issuer, subject }, [long])).name)
    assert.equal(names[0], long)
    assert.match(names[1] ?? '', /^x{55} [0-9a-f]{8}$/, 'no name is longer')
    assert.match((await identities.enrol({ issuer, subject: 'nameless' }, [])).name, /^somebody [0-9a-f]{8}$/)
    const both = await Promise.all([1, 2].map(() => identities.enrol({ issuer, subject: 'twin' }, ['twin', 'twin 2'])))
    assert.equal(both[0]?.id, both[1]?.id)
    assert.equal((await accounts.listUsers()).length, 7)
  })

  test('whoever is shut out or removed is nobody’s identity any more', async (t) => {
    const { store } = await open(t)
    const { identities, accounts } = store
    const identity = { issuer, subject: 'ann' }
    const { id } = await identities.enrol(identity, ['ann'])
    assert.equal(await identities.has(id), true)
    await accounts.shutOut('ann')
    assert.equal(await identities.find(identity), undefined)
    assert.equal(await identities.has(id), false)
    const again = await identities.enrol(identity, ['ann', 'ann 2'])
    await accounts.removeUser(again.id)
    assert.equal(await identities.find(identity), undefined)
    assert.notEqual((await identities.enrol(identity, ['ann 2'])).id, again.id)
  })

  test('a sign-in is taken once, in time, and there are only so many', async (t) => {
    const { store, clock } = await open(t)
    const { identities } = store
    const endsAt = clock.now + 1_000
    await identities.begin({ state: 's1', browser: 'b1', endsAt })
    await identities.begin({ state: 's2', browser: 'b2', endsAt })
    assert.deepEqual(await identities.take('s1'), { browser: 'b1' })
    assert.equal(await identities.take('s1'), undefined)
    assert.equal(await identities.take('unknown'), undefined)
    clock.now += 1_000
    assert.equal(await identities.take('s2'), undefined)
    const later = clock.now + 1_000
    for (const state of ['slot1', 'slot2', 'slop1']) await identities.begin({ state, browser: state, endsAt: later })
    assert.equal(await identities.take('slot1'), undefined, 'one replaced the other')
    assert.deepEqual(await identities.take('slot2'), { browser: 'slot2' })
    assert.deepEqual(await identities.take('slop1'), { browser: 'slop1' }, 'four digits are a place')
  })
}
