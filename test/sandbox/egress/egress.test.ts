// The HTTP of one call: credentials last and nowhere else, limits, masking.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Dialled } from '#net/dial.ts'
import { createMemoryLimits } from '#store/memory-limits.ts'
import { ToolFault } from '#sandbox/sandbox-fault.ts'
import { faultOf } from '../../net/dial-servers.ts'
import { until } from '../../until.ts'
import { header, secret, setUp } from './egress-rig.ts'

test('a bearer token is added, and replaces what the guest wrote', async () => {
  const { sent, get } = setUp({ location: { type: 'bearer' } })
  await get({ headers: '{"Authorization":"Bearer mine","Accept":"a/b"}' })
  assert.equal(header(sent[0], 'authorization'), `Bearer ${secret}`)
  assert.equal(header(sent[0], 'accept'), 'a/b')
})

test('basic, header, query and path carry the secret in their way', async () => {
  const basic = setUp({ location: { type: 'basic', username: 'me' } })
  await basic.get()
  assert.equal(header(basic.sent[0], 'authorization'), `Basic ${Buffer.from(`me:${secret}`).toString('base64')}`)
  const named = setUp({ location: { type: 'header', name: 'X-Key', prefix: 'Token ' } })
  await named.get({ headers: '{"x-key":"mine"}' })
  assert.equal(header(named.sent[0], 'x-key'), `Token ${secret}`)
  const query = setUp({ location: { type: 'query_param', name: 'key' } })
  await query.get({ url: 'https://api.example.com/v1/x?a=%3A&key=mine&k%65y=mine' })
  assert.equal(query.sent[0]?.target.query, `?a=%3A&key=${encodeURIComponent(secret)}`)
  const path = setUp({ location: { type: 'url_path', placeholder: '{TOKEN}' } })
  await path.get({ url: 'https://api.example.com/bot{TOKEN}/getMe' })
  await path.get({ url: 'https://api.example.com/bot%7BTOKEN%7D/getMe' })
  for (const { target } of path.sent) assert.equal(target.path, `/bot${encodeURIComponent(secret)}/getMe`)
})

test('a host without a credential gets none', async () => {
  const { sent, get } = setUp({ location: { type: 'bearer' } })
  await get({ url: 'https://cdn.example.com/public/x' })
  assert.equal(header(sent[0], 'authorization'), undefined)
})

const locations = [
  { type: 'bearer' },
  { type: 'basic', username: 'me' },
  { type: 'header', name: 'x-key' },
  { type: 'query_param', name: 'key' },
  { type: 'url_path', placeholder: 'TOKEN' },
]
for (const location of locations) {
  test(`what an answer echoes of a ${location.type} credential is masked`, async () => {
    const { get, egress } = setUp({
      location,
      wire: ({ target, headers }) => ({
        headers: {
          'x-echo': [...headers.values()].join(),
          link: `<https://api.example.com${target.path}${target.query}>`,
        },
        body: JSON.stringify({
          path: target.path,
          query: target.query,
          headers: [...headers],
          raw: secret,
          b: Buffer.from(secret).toString('base64'),
        }),
      }),
    })
    const answer = await get({ url: 'https://api.example.com/v1/{TOKEN}/x' })
    assert(answer.type === 'answer')
    const all = `${answer.headers} ${answer.body.toString()} ${JSON.stringify(egress.traffic.requests)}`
    assert.match(all, /\*\*\*/)
    for (const form of [
      secret,
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64').slice(0, -2),
      'S3cret',
      'S3cret%2F',
    ]) {
      assert(!all.includes(form), form)
    }
    assert(!all.includes(Buffer.from(`me:${secret}`).toString('base64')))
  })
}

test('blanks around a secret are lost on the way, and its echo is masked all the same', async () => {
  const { get } = setUp({
    location: { type: 'bearer' },
    secrets: { token: ' hush-hush \t' },
    wire: () => ({ body: 'you said hush-hush' }),
  })
  const answer = await get()
  assert.equal(answer.type === 'answer' && answer.body.toString(), 'you said ***')
})

test('what is known of a credential does not grow with the requests', async () => {
  const { get, egress } = setUp({ location: { type: 'bearer' } })
  await get()
  const { size } = egress.traffic.echoes
  for (let each = 0; each < 20; each++) await get()
  assert.equal(egress.traffic.echoes.size, size)
})

test('a missing secret stops the request and is named', async () => {
  const { sent, get, egress } = setUp({ location: { type: 'bearer' }, secrets: {} })
  assert.equal(faultOf(await get()), 'credential_missing: the secret token is not set')
  assert.deepEqual([sent.length, egress.traffic.missing], [0, ['token']])
})

test('a secret that cannot be renewed stops the request, with the reason', async () => {
  const secretFault = new ToolFault('credential_refused', 'the issuer did not answer')
  const { sent, get, egress } = setUp({ location: { type: 'bearer' }, secretFault })
  assert.equal(faultOf(await get()), 'unreachable: the issuer did not answer')
  assert.deepEqual([sent.length, egress.traffic.missing], [0, []])
  const bug = new Error('a bug')
  await assert.rejects(setUp({ location: { type: 'bearer' }, secretFault: bug }).get(), bug)
})

test('a secret with a line break never reaches a header', async () => {
  const { sent, get } = setUp({ location: { type: 'bearer' }, secrets: { token: 'a\r\nX: y' } })
  assert.match(faultOf(await get()), /has a line break/)
  assert.equal(sent.length, 0)
})

const timeouts: readonly [what: string, timeoutMs: number | undefined, firesAtMs: number][] = [
  ['a guest cannot lengthen', 600_000, 2_000],
  ['a guest can shorten', 500, 500],
  ['without a word of the guest stands', undefined, 2_000],
]
for (const [what, timeoutMs, firesAtMs] of timeouts) {
  test(`the timeout of the file: one that ${what}`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { get } = setUp({
      http: { timeout_secs: 2 },
      fault: (signal) =>
        new Promise((resolve) => {
          const timeout = { code: 'timeout', message: 'late', sent: true } as const
          signal.addEventListener('abort', () => resolve({ type: 'fault', fault: timeout }))
        }),
    })
    let over = false
    const answer = get(timeoutMs === undefined ? {} : { timeoutMs }).finally(() => {
      over = true
    })
    await settle()
    t.mock.timers.tick(firesAtMs - 1)
    await settle()
    assert.equal(over, false)
    t.mock.timers.tick(1)
    assert.match(faultOf(await answer), /^timeout/)
  })
}

test('a request that fails on its way is told as such, not as one that was not allowed', async () => {
  const unknown = { code: 'unreachable', message: 'its name is not known', sent: false } as const
  const { get, egress } = setUp({ fault: () => Promise.resolve({ type: 'fault', fault: unknown }) })
  assert.match(faultOf(await get()), /^unreachable/)
  const url = 'https://api.example.com/v1/x'
  assert.deepEqual(egress.traffic.requests, [{ method: 'GET', url, status: null, error: 'its name is not known' }])
  assert.deepEqual(egress.traffic.blocked, [])
})

test('a request is told while it waits for its answer: the call may be stopped before', async () => {
  const { promise: dialled, resolve } = Promise.withResolvers<Dialled>()
  const { get, sent, egress } = setUp({ fault: () => dialled })
  const answered = get()
  await until(() => sent.length === 1)
  const url = 'https://api.example.com/v1/x'
  const error = 'the call was stopped before the answer'
  assert.deepEqual(egress.traffic.requests, [{ method: 'GET', url, status: null, error }])
  resolve({ type: 'answer', status: 200, headers: new Map(), body: Buffer.from('') })
  await answered
  assert.deepEqual(egress.traffic.requests, [{ method: 'GET', url, status: 200 }])
})

/** Lets everything that waits for nothing but its turn go on. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

test('headers that frame a message or name its recipient are the host’s', async () => {
  const { sent, get } = setUp({})
  await get({
    headers:
      '{"X-HTTP-Method-Override":"DELETE","X-Original-URL":"/admin","Host":"evil","Content-Length":"9","Transfer-Encoding":"chunked","Connection":"x","Proxy-Foo":"y","Accept-Encoding":"gzip","X-Ok":"1"}',
  })
  assert.deepEqual([...(sent[0]?.headers ?? [])], [['x-ok', '1']])
})

const badHeaders = [
  '[]',
  '{',
  '1',
  '{"a b":"x"}',
  '{"a":"x\\r\\ny"}',
  '{"a":1}',
  '{"a":"x\\u0000"}',
  '{"a":"€"}',
  '{"":"x"}',
  `{"a":"${'x'.repeat(40_000)}"}`,
]
for (const headers of badHeaders) {
  test(`headers that cannot be sent are refused: ${headers.slice(0, 20)}`, async () => {
    const { sent, get } = setUp({})
    assert.match(faultOf(await get({ headers })), /^invalid_request/)
    assert.equal(sent.length, 0)
  })
}

test('no secret goes out by the guest’s hand: of a customary format, or this installation’s own', async () => {
  const leak = `ghp_${'a'.repeat(36)}`
  const { sent, get } = setUp({})
  for (const more of [
    { url: `https://api.example.com/?t=${leak}` },
    { headers: `{"x":"${leak}"}` },
    { headers: `{"${leak}":"x"}` },
    { body: Buffer.from(leak) },
    { url: `https://api.example.com/?t=%67hp_${'a'.repeat(36)}` },
  ]) {
    assert.match(faultOf(await get(more)), /^secret_in_request: the request carries a secret \(github-token\)/)
  }
  const own = { body: Buffer.from(Buffer.from('installed-Value-77').toString('base64')) }
  assert.match(faultOf(await get(own)), /^secret_in_request: the request carries a secret \(own-secret\)/)
  assert.equal(sent.length, 0)
})

test('a body that is too large is refused', async () => {
  assert.match(faultOf(await setUp({}).get({ body: Buffer.alloc(4 * 1_024 * 1_024 + 1) })), /^request_too_large/)
})

test('fifty requests a call, redirects included', async () => {
  const { sent, get } = setUp({
    wire: (_, count) => (count % 2 === 1 ? { status: 302, headers: { location: '/y' } } : {}),
  })
  for (let each = 0; each < 25; each++) assert.equal((await get()).type, 'answer')
  assert.match(faultOf(await get()), /^too_many_requests: more than 50/)
  assert.equal(sent.length, 50)
})

test('rates are kept across calls by the store, a minute and an hour', async () => {
  const limits = createMemoryLimits()
  const http = { rate_limit: { requests_per_minute: 3, requests_per_hour: 100 } }
  for (let each = 0; each < 3; each++) assert.equal((await setUp({ http, limits }).get()).type, 'answer')
  assert.match(
    faultOf(await setUp({ http, limits }).get()),
    /^rate_limited: probe may send 3 requests per minute; try again in 60 s/,
  )
  const hourly = { rate_limit: { requests_per_hour: 2 } }
  const other = createMemoryLimits()
  for (let each = 0; each < 2; each++) await setUp({ http: hourly, limits: other }).get()
  assert.match(faultOf(await setUp({ http: hourly, limits: other }).get()), /2 requests per hour/)
})

test('what is not in the list is blocked before anything is counted or sent', async () => {
  const { sent, get, egress } = setUp({})
  assert.match(faultOf(await get({ url: 'https://evil.example/' })), /^blocked: the host evil.example/)
  assert.match(faultOf(await get({ method: 'DELETE' })), /^blocked: DELETE/)
  assert.equal(sent.length, 0)
  assert.deepEqual(
    egress.traffic.blocked.map(({ method }) => method),
    ['GET', 'DELETE'],
  )
})
