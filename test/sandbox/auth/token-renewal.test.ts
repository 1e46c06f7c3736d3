// Renewing tokens at a real server: early, by one of many, and ended only by its word.
import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import { AppError } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import type { SecretStore } from '#core/secret.ts'
import { readCapabilities } from '#sandbox/package/capabilities.ts'
import { until } from '../../until.ts'
import { type Issuer, openIssuer } from './issuer.ts'
import { ada, minuteMs, openAccess, takes } from './things-access.ts'

let issuer: Issuer
before(async () => {
  issuer = await openIssuer()
})
after(() => issuer.close())

const openRig = (t: TestContext, at: Issuer = issuer) => openAccess(t, at)

test('a token is renewed early, and by one process alone however many ask', async (t) => {
  const rig = await openRig(t)
  await rig.signIn()
  const first = await rig.value()
  const before = issuer.refreshes()
  rig.clock.now += 57 * minuteMs
  assert.equal(await rig.value(), first, 'three minutes before its end it is as it was')
  rig.clock.now += 2 * minuteMs
  const capabilities = readCapabilities(JSON.stringify(issuer.capabilities())).capabilities
  const tool = { name: 'things', capabilities }
  const processes = [rig.secrets(), rig.secrets(), rig.secrets()]
  const ask = () => processes.flatMap((each) => [1, 2].map(() => each.valueOf('things_token', tool, operator)))
  assert.deepEqual(new Set(await Promise.all(ask())), new Set([first]), 'nobody waits while it works')
  await until(async () => (await rig.value()) !== first)
  assert.equal(issuer.refreshes() - before, 1)
  const next = await rig.value()
  assert.equal(await takes(issuer, next), true)
})

test('a token that the server gave is kept though the database is away for a moment', async (t) => {
  const rig = await openRig(t)
  await rig.signIn()
  const first = await rig.value()
  rig.clock.now += 61 * minuteMs
  const real = { ...rig.store.secrets }
  let away = 2
  t.mock.method(rig.store.secrets, 'endRenewal', (...given: Parameters<SecretStore['endRenewal']>) => {
    if (given[1].type === 'renewed' && away-- > 0) return Promise.reject(new AppError('database_unavailable', 'away'))
    return real.endRenewal(...given)
  })
  const next = await rig.value()
  assert.notEqual(next, first)
  assert.equal(await takes(issuer, next), true)
})

test('where it has ended, everybody waits for the one that renews it', async (t) => {
  const rig = await openRig(t)
  await rig.signIn()
  const first = await rig.value()
  const before = issuer.refreshes()
  rig.clock.now += 61 * minuteMs
  const capabilities = readCapabilities(JSON.stringify(issuer.capabilities())).capabilities
  const values = await Promise.all(
    [rig.secrets(), rig.secrets(), rig.secrets()].map((each) =>
      each.valueOf('things_token', { name: 'things', capabilities }, operator),
    ),
  )
  assert.equal(issuer.refreshes() - before, 1)
  assert.equal(new Set(values).size, 1)
  assert.notEqual(values[0], first)
})

test('a refresh token is kept where the server sends no other, and replaced where it does', async (t) => {
  for (const rotate of [false, true]) {
    const own = await openIssuer({ rotate })
    t.after(() => own.close())
    const rig = await openRig(t, own)
    await rig.signIn()
    const token = async () => (await rig.store.secrets.find('tool/things/things_token', operator))?.renewal?.token
    const before = await token()
    assert.ok(before)
    rig.clock.now += 61 * minuteMs
    assert.equal(await takes(own, await rig.value()), true)
    assert.equal((await token()) === before, !rotate)
    rig.clock.now += 61 * minuteMs
    assert.equal(await takes(own, await rig.value()), true, 'and it renews again')
  }
})

test('a server in trouble ends no sign-in; its word that the grant is over does', async (t) => {
  const own = await openIssuer()
  t.after(() => own.close())
  const rig = await openRig(t, own)
  await rig.signIn()
  const first = await rig.value()
  own.breakRefresh(503)
  rig.clock.now += 59 * minuteMs
  assert.equal(await rig.value(), first, 'it works for a while yet')
  rig.clock.now += 2 * minuteMs
  await assert.rejects(rig.value(), /could not be renewed just now/)
  own.breakRefresh(undefined)
  assert.equal(await takes(own, await rig.value()), true)
  await own.revokeAll()
  rig.clock.now += 61 * minuteMs
  assert.equal(await rig.value(), undefined)
  assert.equal(await rig.store.secrets.find('tool/things/things_token', operator), undefined)
})

test('a user whose sign-in has ended is asked again, and does not go out under the operator’s', async (t) => {
  const theirs = await openIssuer()
  t.after(() => theirs.close())
  const rig = await openRig(t, theirs)
  await rig.signIn(ada)
  await rig.store.secrets.set('tool/things/things_token', 'of the operator')
  rig.clock.now += 61 * minuteMs
  assert.equal(await takes(theirs, await rig.value(ada)), true)
  await theirs.revokeAll()
  rig.clock.now += 61 * minuteMs
  assert.equal(await rig.value(ada), undefined)
  assert.equal(await rig.value(ada), undefined, 'and stays so')
  assert.equal((await rig.access.needs({ tool: 'things', owner: ada })).auth?.set, undefined)
  assert.equal(await rig.value(operator), 'of the operator')
  assert.deepEqual(await rig.store.secrets.values(ada), [])
  assert.equal(await rig.access.forget({ tool: 'things', owner: ada }, 'things_token'), true)
  assert.equal(await rig.value(ada), 'of the operator', 'by their own choice')
})

test('a token that the server refuses is renewed once, before its time', async (t) => {
  const rig = await openRig(t)
  await rig.signIn()
  const first = await rig.value()
  const next = await rig.value(operator, first)
  assert.notEqual(next, first)
  assert.equal(await takes(issuer, next), true)
})
