// One request on the wire, against real servers on this machine: what is refused, pinned and bounded.
import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { test } from 'node:test'
import type { Dialled } from '#net/dial.ts'
import { watchJoins } from '../joined.ts'
import { crumbs, dial, faultOf, portOf, to, useDialServers } from './dial-servers.ts'

const { cert, local, plain, proxy, secure, seen } = useDialServers()

test('a loopback address that was allowed literally is reached', async () => {
  const answer = await dial(to(local('/v1/a%3ab?x=%2F&y=ü'), { method: 'POST', body: Buffer.from('hi') }))
  assert(answer.type === 'answer')
  assert.deepEqual([answer.status, answer.body.toString()], [201, 'got POST /v1/a%3ab?x=%2F&y=%C3%BC'])
  assert.equal(answer.headers.get('set-cookie'), 'a=1, b=2')
  assert.deepEqual([seen.at(-1)?.headers['accept-encoding'], seen.at(-1)?.headers['content-length']], ['identity', '2'])
  assert.equal(seen.at(-1)?.headers.host, `127.0.0.1:${portOf(plain)}`)
})

test('localhost must be this machine', async () => {
  assert.equal((await dial(to(`http://localhost:${portOf(plain)}/`))).type, 'answer')
  const elsewhere = (): Promise<LookupAddress[]> => Promise.resolve([{ address: '8.8.8.8', family: 4 }])
  assert.match(faultOf(await dial(to(`http://localhost:${portOf(plain)}/`), { lookup: elsewhere })), /^blocked: /)
})

test('a request is written only if it may be once the connection stands', async () => {
  const url = `https://a.example:${portOf(secure)}/guarded`
  const proxied = { httpsProxy: `http://127.0.0.1:${portOf(proxy)}` }
  for (const [request, parts] of [
    [to(local('/guarded')), {}],
    [to(url, { listed: true }), { ca: [cert] }],
    [to(url), { ca: [cert], proxy: proxied }],
  ] as const) {
    const before = seen.length
    const body = { method: 'POST', body: Buffer.from('hi') }
    const refused = await dial({ ...request, ...body, mayWrite: () => false }, parts)
    assert.deepEqual([refused.type === 'fault' && refused.fault.sent, seen.length], [false, before])
    const answer = await dial({ ...request, ...body, mayWrite: () => true }, parts)
    assert.equal(answer.type === 'answer' && answer.body.toString(), 'got POST /guarded')
  }
})

const inside = [
  '127.0.0.1',
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '224.0.0.1',
]
for (const address of [
  ...inside,
  '::1',
  'fe80::1',
  'fc00::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  '::127.0.0.1',
]) {
  test(`a name that resolves to ${address} is refused`, async () => {
    const lookup = (): Promise<LookupAddress[]> => Promise.resolve([{ address, family: address.includes(':') ? 6 : 4 }])
    assert.match(faultOf(await dial(to('https://rebind.example/'), { lookup })), /^blocked: rebind.example is at a/)
  })
}

test('a fault says whether bytes may have reached the server', async () => {
  const sentOf = async (dialled: Promise<Dialled>): Promise<boolean> => {
    const done = await dialled
    assert(done.type === 'fault')
    return done.fault.sent
  }
  const none = (): Promise<LookupAddress[]> => Promise.resolve([])
  assert.deepEqual(
    await Promise.all([
      sentOf(dial(to('https://169.254.169.254/'))),
      sentOf(dial(to('https://nowhere.example/'), { lookup: none })),
      sentOf(dial(to('http://127.0.0.1:1/'))),
      sentOf(dial(to(local('/cut')))),
      sentOf(dial(to(local('/slow')), {}, 500)),
      sentOf(dial(to(local('/big')))),
    ]),
    [false, false, false, true, true, true],
  )
})

test('a server that cannot be reached is named with its port, unless it is the usual one', async () => {
  assert.match(
    faultOf(await dial(to('http://127.0.0.1:1/'))),
    /^unreachable: 127\.0\.0\.1:1 could not be reached: ECONNREFUSED$/,
  )
})

test('https to a server that speaks plain http says so', async () => {
  const plain = local('/').replace('http:', 'https:')
  assert.match(
    faultOf(await dial(to(plain))),
    /127\.0\.0\.1:\d+ could not be reached: it does not speak https \(\w+\)$/,
  )
})

test('a fault of the network is named by its code; other words, which may quote the request, are not told', async () => {
  const failing = (reason: unknown) => () => Promise.reject(reason)
  const told = async (reason: unknown): Promise<string> =>
    faultOf(await dial(to('https://a.example/'), { lookup: failing(reason) }))
  assert.equal(await told(new Error('key 123')), 'unreachable: a.example could not be reached: the connection failed')
  assert.match(await told(Object.assign(new Error('key 123'), { code: 'ETIMEOUT' })), /reached: ETIMEOUT$/)
  assert.match(await told(Object.assign(new Error('key 123'), { code: 7 })), /reached: the connection failed$/)
  assert.match(await told(Object.assign(new Error('x'), { code: 'ENODATA' })), /its name is unknown$/)
  assert.match(await told('key 123'), /reached: unknown$/)
  assert.match(
    await told(Object.assign(new Error('x'), { code: 'SELF_SIGNED_CERT_IN_CHAIN' })),
    /reached: its certificate is from an unknown authority \(SELF_SIGNED_CERT_IN_CHAIN\);.* in NODE_EXTRA_CA_CERTS$/,
  )
  const none = (): Promise<LookupAddress[]> => Promise.resolve([])
  assert.match(faultOf(await dial(to('https://a.example/'), { lookup: none })), /reached: the name has no address$/)
})

test('an answer in parts is read in their order; one that stops in the middle is a timeout', async () => {
  const answer = await dial(to(local('/parts')))
  assert(answer.type === 'answer')
  assert.equal(answer.body.toString(), 'one two')
  for (const path of ['/drip', '/drip-without-length'])
    assert.match(faultOf(await dial(to(local(path)), {}, 500)), /^timeout: /, path)
})

test('an answer in chunks of one byte is held in few pieces', async (t) => {
  const joins = watchJoins(t)
  const answer = await dial(to(local('/crumbs')))
  assert(answer.type === 'answer')
  assert.equal(answer.body.toString(), crumbs)
  assert(joins.mostPieces() <= 3, `${joins.mostPieces()} pieces`)
})

test('a body goes out with its length, whatever the method', async () => {
  await dial(to(local('/x'), { method: 'DELETE', body: Buffer.from('gone') }))
  assert.equal(seen.at(-1)?.headers['content-length'], '4')
  assert.equal(seen.at(-1)?.headers['transfer-encoding'], undefined)
})

test('one private address among public ones is enough to refuse a name', async () => {
  const lookup = (): Promise<LookupAddress[]> =>
    Promise.resolve([
      { address: '93.184.216.34', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ])
  assert.match(faultOf(await dial(to('https://mixed.example/'), { lookup })), /^blocked: /)
})

test('a name is resolved once, and that address is the one connected to', async () => {
  let asked = 0
  const lookup = (): Promise<LookupAddress[]> => {
    asked++
    return Promise.resolve([{ address: asked === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }])
  }
  assert.equal((await dial(to(`http://localhost:${portOf(plain)}/`), { lookup })).type, 'answer')
  assert.equal(asked, 1)
})

test('a resolver that never answers is a timeout', async () => {
  const lookup = (): Promise<never> => new Promise(() => {})
  assert.match(faultOf(await dial(to('https://slow.example/'), { lookup }, 50)), /^timeout: /)
})

test('a cloud metadata address is refused even when it is written literally', async () => {
  assert.match(faultOf(await dial(to('https://169.254.169.254/'))), /^blocked: .*metadata/)
})

test('an answer that is too long is refused, also when it was packed', async () => {
  for (const path of ['/big', '/bomb']) assert.match(faultOf(await dial(to(local(path)))), /^response_too_large/)
})

test('a packed answer is unpacked', async () => {
  for (const path of ['/gzip', '/x-gzip', '/deflate', '/br']) {
    const answer = await dial(to(local(path)))
    assert(answer.type === 'answer')
    assert.deepEqual([answer.body.toString(), answer.headers.has('content-encoding')], ['packed', false])
  }
  assert.match(faultOf(await dial(to(local('/odd')))), /unknown content encoding/)
  assert.match(faultOf(await dial(to(local('/inherited')))), /unknown content encoding/)
  assert.match(faultOf(await dial(to(local('/broken')))), /^unreachable: .*Z_DATA_ERROR/)
})

test('a server that changes the protocol instead of answering does not hang the request', async () => {
  assert.match(faultOf(await dial(to(local('/switch')))), /^unreachable: /)
})

test('a server that does not answer is a timeout, one that breaks off or is not there is unreachable', async () => {
  assert.match(faultOf(await dial(to(local('/slow')), {}, 100)), /^timeout: /)
  assert.match(faultOf(await dial(to(local('/cut')))), /^unreachable: /)
  assert.match(faultOf(await dial(to('http://127.0.0.1:1/'))), /^unreachable: .*ECONNREFUSED/)
  const lookup = (): Promise<never> => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }))
  assert.match(faultOf(await dial(to('https://nowhere.example/'), { lookup })), /its name is unknown/)
})
