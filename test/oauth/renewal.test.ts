// Renewals over a server that fails: how often it is asked, and what becomes of the claim.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operator } from '#core/ids.ts'
import type { RenewalOutcome, Secret } from '#core/secret.ts'
import { silentLog } from '#lib/log.ts'
import { createRenewals, type RenewalParts } from '#oauth/renewal.ts'
import { fake } from '../fake.ts'
import { until } from '../until.ts'

const hourMs = 3_600_000
const secret: Secret = {
  name: 'tool/things/token',
  owner: operator,
  value: 'old',
  renewal: { token: 'refresh', expiresAt: hourMs },
  updatedAt: 0,
}

/** Renewals of the secret at a server that is down. `settled` is what became of each claim. */
function failing(now: number, sourceOf?: RenewalParts['sourceOf']) {
  let [claims, clock] = [0, 0]
  const settled: RenewalOutcome[] = []
  const secrets = fake<RenewalParts['secrets']>({
    claimRenewal: () => Promise.resolve(++claims > 0),
    endRenewal: (_, outcome) => Promise.resolve(void settled.push(outcome)),
    find: () => Promise.resolve(secret),
  })
  const oauth = fake<NonNullable<Awaited<ReturnType<RenewalParts['sourceOf']>>>['oauth']>({
    tokenUrl: 'https://auth.example/token',
  })
  const renewals = createRenewals({
    secrets,
    sourceOf: sourceOf ?? (() => Promise.resolve({ name: 'things', oauth, client: { id: 'c' } })),
    dial: () => Promise.resolve({ type: 'answer', status: 503, headers: new Map(), body: Buffer.alloc(0) }),
    now: () => now,
    clock: () => clock,
    log: silentLog,
  })
  const pass = (ms: number): void => {
    clock += ms
  }
  return { renewals, settled, claims: () => claims, pass }
}

test('a server that cannot renew a token is asked once in thirty seconds while the token works', async () => {
  const { renewals, settled, claims, pass } = failing(hourMs - 60_000)
  for (const asked of [1, 2]) {
    assert.deepEqual(await renewals.currentValue(secret), { value: 'old' })
    await until(() => settled.length === asked)
    for (let call = 0; call < 5; call++) await renewals.currentValue(secret)
    pass(29_999)
    await renewals.currentValue(secret)
    assert.equal(claims(), asked)
    pass(1)
  }
})

test('a renewal that breaks gives its claim back: the next call need not wait until it lapses', async () => {
  const { renewals, settled } = failing(hourMs, () => Promise.reject(new Error('no such file')))
  await assert.rejects(renewals.currentValue(secret), /no such file/)
  assert.deepEqual(settled, [{ type: 'failed' }])
})
