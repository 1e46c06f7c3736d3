// Renewals against a token endpoint that says what the test wants: again and again, and when they are due.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { operator } from '#core/ids.ts'
import { silentLog } from '#lib/log.ts'
import type { Dial } from '#net/dial.ts'
import { createToolSecrets } from '#sandbox/auth/tool-secrets.ts'
import { readCapabilities } from '#sandbox/package/capabilities.ts'
import { until } from '../../until.ts'
import { seal } from './access-over.ts'
import { openMemoryStore } from '../../store/memory-store.ts'

const minuteMs = 60_000
const capabilityFile = {
  version: '1.0.0',
  wit_version: '0.3.0',
  http: {
    allowlist: [{ host: 'things.example', methods: ['GET'] }],
    credentials: {
      main: { secret_name: 'things_token', location: { type: 'bearer' }, host_patterns: ['things.example'] },
    },
  },
  auth: {
    secret_name: 'things_token',
    oauth: {
      authorization_url: 'https://things.example/auth',
      token_url: 'https://things.example/token',
      client_id: 'a-tool',
    },
  },
}

/** A secret that is stored now and lives so long, and what the token endpoint was sent. */
async function open(t: TestContext, lifeMs: number) {
  const clock = { now: 1_800_000_000_000 }
  const now = (): number => clock.now
  const store = openMemoryStore({ seal, now })
  t.after(() => store.close())
  const { capabilities } = readCapabilities(JSON.stringify(capabilityFile))
  assert.ok(capabilities)
  const sent: (string | null)[] = []
  const dial: Dial = ({ body }) => {
    sent.push(new URLSearchParams(String(body)).get('refresh_token'))
    const answer = { access_token: `value ${sent.length}`, expires_in: lifeMs / 1_000 }
    return Promise.resolve({
      type: 'answer',
      status: 200,
      headers: new Map(),
      body: Buffer.from(JSON.stringify(answer)),
    })
  }
  const name = 'tool/things/things_token'
  await store.secrets.set(name, 'value 0', { renewal: { token: 'the first', expiresAt: clock.now + lifeMs } })
  const secrets = createToolSecrets({
    secrets: store.secrets,
    environment: () => undefined,
    capabilitiesOf: () => Promise.resolve(capabilities),
    dial,
    now,
    log: silentLog,
  })
  return {
    clock,
    sent,
    value: () => secrets.valueOf('things_token', { name: 'things', capabilities }, operator),
    stored: () => store.secrets.find(name, operator),
  }
}

test('a refresh token that the server sends once is used for every renewal', async (t) => {
  const { clock, sent, value, stored } = await open(t, 60 * minuteMs)
  assert.equal(await value(), 'value 0')
  for (const at of [1, 2, 3]) {
    clock.now += 61 * minuteMs
    assert.equal(await value(), `value ${at}`)
    assert.equal((await stored())?.renewal?.token, 'the first')
  }
  assert.deepEqual(sent, ['the first', 'the first', 'the first'])
})

const due: readonly [lifeMs: number, ageMs: number, renews: boolean][] = [
  // Two minutes before the end, or in the last quarter of a short life.
  [60 * minuteMs, 58 * minuteMs - 1, false],
  [60 * minuteMs, 58 * minuteMs, true],
  [4 * minuteMs, 3 * minuteMs - 1, false],
  [4 * minuteMs, 3 * minuteMs, true],
]
for (const [lifeMs, ageMs, renews] of due) {
  test(`a token of ${lifeMs} ms is ${renews ? 'renewed' : 'left alone'} after ${ageMs} ms, and still used`, async (t) => {
    const { clock, sent, value, stored } = await open(t, lifeMs)
    clock.now += ageMs
    assert.equal(await value(), 'value 0')
    if (renews) await until(async () => (await stored())?.value === 'value 1')
    else assert.deepEqual(sent, [])
  })
}

test('a token is good up to its end and not at it', async (t) => {
  const { clock, value } = await open(t, 4 * minuteMs)
  clock.now += 4 * minuteMs
  assert.equal(await value(), 'value 1')
})
