// Redirects within one call: followed inside the allowlist, with no more rights, and a bounded number of times.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultOf } from '../../net/dial-servers.ts'
import { header, secret, setUp } from './egress-rig.ts'

test('a redirect within the origin keeps the credential', async () => {
  const { sent, get } = setUp({
    location: { type: 'bearer' },
    wire: (_, count) => (count === 1 ? { status: 302, headers: { location: '/v2/y?z=1' } } : { body: 'there' }),
  })
  const answer = await get()
  assert(answer.type === 'answer')
  assert.equal(answer.body.toString(), 'there')
  assert.deepEqual(
    [sent[1]?.target.path, sent[1]?.target.query, header(sent[1], 'authorization')],
    ['/v2/y', '?z=1', `Bearer ${secret}`],
  )
})

test('a redirect may be relative to the folder of the address', async () => {
  const folder = `/${'a'.repeat(8_000)}/`
  const locations = [folder, 'b', '?c']
  const { sent, get } = setUp({
    wire: (_, count) => {
      const location = locations[count - 1]
      return location === undefined ? {} : { status: 302, headers: { location } }
    },
  })
  await get()
  assert.deepEqual(
    sent.slice(1).map(({ target }) => `${target.path}${target.query}`),
    [folder, `${folder}b`, `${folder}b?c`],
  )
})

test('a redirect to another allowed origin loses the credential and the guest’s own', async () => {
  const { sent, get } = setUp({
    location: { type: 'header', name: 'x-key' },
    wire: (_, count) => (count === 1 ? { status: 307, headers: { location: 'https://cdn.example.com/public/y' } } : {}),
  })
  await get({ headers: '{"authorization":"mine","cookie":"a=b","accept":"x/y"}' })
  assert.deepEqual([...(sent[1]?.headers.keys() ?? [])], ['accept'])
})

test('a redirect to another origin loses the credential even where that origin has one of its own', async () => {
  const { sent, get } = setUp({
    location: { type: 'bearer' },
    patterns: ['api.example.com', 'cdn.example.com'],
    wire: (_, count) => (count === 1 ? { status: 307, headers: { location: 'https://cdn.example.com/public/y' } } : {}),
  })
  await get()
  assert.deepEqual(
    sent.map((request) => header(request, 'authorization')),
    [`Bearer ${secret}`, undefined],
  )
})

const outside = [
  'https://evil.example/',
  '//evil.example/x',
  'http://api.example.com/v1/x',
  'https://cdn.example.com/private/x',
  'https://api.example.com:8443/',
  'https://user@api.example.com/',
  'http://169.254.169.254/latest',
  'file:///etc/passwd',
  '/v1/../../x',
  '..',
  'javascript:alert(1)',
]
for (const location of outside) {
  test(`a redirect to ${location} is not followed`, async () => {
    const { sent, get, egress } = setUp({ wire: () => ({ status: 302, headers: { location } }) })
    assert.match(faultOf(await get()), /^blocked: a redirect was not followed/)
    assert.deepEqual([sent.length, egress.traffic.blocked.length], [1, 1])
  })
}

test('a redirect that carries the credential away is refused', async () => {
  for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')]) {
    const { sent, get } = setUp({
      location: { type: 'bearer' },
      wire: () => ({ status: 302, headers: { location: `https://cdn.example.com/public/?k=${form}` } }),
    })
    assert.match(faultOf(await get()), /a redirect carries a credential/)
    assert.equal(sent.length, 1)
  }
})

test('redirects end', async () => {
  const { sent, get } = setUp({ wire: () => ({ status: 302, headers: { location: '/again' } }) })
  assert.match(faultOf(await get()), /more than 5 redirects/)
  assert.equal(sent.length, 6)
})

test('a POST that is redirected by 303 becomes a GET without its body', async () => {
  const { sent, get } = setUp({ wire: (_, count) => (count === 1 ? { status: 303, headers: { location: '/y' } } : {}) })
  await get({ method: 'post', body: Buffer.from('x'), headers: '{"content-type":"a/b"}' })
  assert.deepEqual(
    sent.map(({ method, body }) => [method, body?.toString()]),
    [
      ['POST', 'x'],
      ['GET', undefined],
    ],
  )
  assert.equal(header(sent[1], 'content-type'), undefined)
})
