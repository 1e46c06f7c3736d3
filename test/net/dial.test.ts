// One request on the wire, against real servers on this machine: what is refused, pinned, bounded, tunnelled.
import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect as connectTo } from 'node:net'
import { after, before, test } from 'node:test'
import { setImmediate as tick } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { addressKind } from '#net/addresses.ts'
import { createDial, type Dialled, type DialParts, type Outgoing } from '#net/dial.ts'
import { proxyFor } from '#net/proxy.ts'
import { readUrl } from '#safety/urls.ts'
import { watchJoins } from '../joined.ts'
import { createCertificate } from './certificate.ts'

const { key, cert } = createCertificate('a.example')
const seen: { url: string | undefined; headers: IncomingMessage['headers'] }[] = []
const crumbs = 'crumb '.repeat(100)
const tunnels: { place: string | undefined; auth: string | undefined }[] = []

function answerAll(request: IncomingMessage, response: ServerResponse): void {
  seen.push({ url: request.url, headers: request.headers })
  if (request.url === '/slow') return
  if (request.url === '/big') response.end(Buffer.alloc(3_000_000))
  else if (request.url === '/bomb')
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(3_000_000)))
  else if (request.url === '/gzip') response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('packed'))
  else if (request.url === '/br')
    response.writeHead(200, { 'content-encoding': 'br' }).end(brotliCompressSync('packed'))
  else if (request.url === '/x-gzip') response.writeHead(200, { 'content-encoding': 'X-GZIP' }).end(gzipSync('packed'))
  else if (request.url === '/deflate')
    response.writeHead(200, { 'content-encoding': 'deflate' }).end(deflateSync('packed'))
  else if (request.url === '/broken') response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip')
  else if (request.url === '/parts') response.write('one ', () => setImmediate(() => response.end('two')))
  else if (request.url === '/crumbs') void sendCrumbs(response)
  else if (request.url === '/drip') response.write('x')
  else if (request.url === '/odd') response.writeHead(200, { 'content-encoding': 'zz' }).end('x')
  else if (request.url === '/inherited') response.writeHead(200, { 'content-encoding': 'constructor' }).end('x')
  else if (request.url === '/switch')
    response.socket?.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')
  else if (request.url === '/cut')
    response.writeHead(200, { 'content-length': '10' }).write('x', () => response.destroy())
  else response.writeHead(201, { 'set-cookie': ['a=1', 'b=2'] }).end(`got ${request.method} ${request.url}`)
}

/** Sends each byte as a chunk of its own, which comes alone. */
async function sendCrumbs(response: ServerResponse): Promise<void> {
  for (const crumb of crumbs) {
    response.write(crumb)
    await tick()
  }
  response.end()
}

const plain = createServer(answerAll)
const secure = createTlsServer({ key, cert }, answerAll)
const proxy = createServer()
proxy.on('connect', (request, socket) => {
  tunnels.push({ place: request.url, auth: request.headers['proxy-authorization'] })
  if (request.url?.startsWith('refused.')) {
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    return
  }
  const onward = connectTo(portOf(secure), '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    onward.pipe(socket).pipe(onward)
  })
  for (const end of [onward, socket]) end.on('error', () => {})
})

before(async () => {
  for (const server of [plain, secure, proxy]) await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
})
after(() => {
  for (const server of [plain, secure, proxy]) {
    server.close()
    server.closeAllConnections()
  }
})

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

function to(url: string, more: Partial<Outgoing> = {}): Outgoing {
  const target = readUrl(url)
  assert(typeof target !== 'string', url)
  return { method: 'GET', target, headers: new Map(), ...more }
}

async function dial(request: Outgoing, parts: Partial<DialParts> = {}, timeoutMs = 30_000): Promise<Dialled> {
  const lookup = (): Promise<LookupAddress[]> => Promise.resolve([{ address: '127.0.0.1', family: 4 }])
  const bounds = { maxBytes: 1_000_000, signal: AbortSignal.timeout(timeoutMs) }
  return createDial({ lookup, ...parts })(request, bounds)
}

function faultOf(dialled: Dialled): string {
  assert(dialled.type === 'fault', 'it was answered')
  return `${dialled.fault.code}: ${dialled.fault.message}`
}

const local = (path: string): string => `http://127.0.0.1:${portOf(plain)}${path}`

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

test('a fault of the network is named by its code; other words, which may quote the request, are not told', async () => {
  const failing = (reason: unknown) => () => Promise.reject(reason)
  const told = async (reason: unknown): Promise<string> =>
    faultOf(await dial(to('https://a.example/'), { lookup: failing(reason) }))
  assert.equal(await told(new Error('key 123')), 'unreachable: a.example could not be reached: the connection failed')
  assert.match(await told(Object.assign(new Error('key 123'), { code: 'ETIMEOUT' })), /reached: ETIMEOUT$/)
  assert.match(await told(Object.assign(new Error('key 123'), { code: 7 })), /reached: the connection failed$/)
  assert.match(await told(Object.assign(new Error('x'), { code: 'ENODATA' })), /its name is unknown$/)
  assert.match(await told('key 123'), /reached: unknown$/)
  const none = (): Promise<LookupAddress[]> => Promise.resolve([])
  assert.match(faultOf(await dial(to('https://a.example/'), { lookup: none })), /reached: the name has no address$/)
})

test('an answer in parts is read in their order; one that stops in the middle is a timeout', async () => {
  const answer = await dial(to(local('/parts')))
  assert(answer.type === 'answer')
  assert.equal(answer.body.toString(), 'one two')
  assert.match(faultOf(await dial(to(local('/drip')), {}, 500)), /^timeout: /)
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

test('kinds of address', () => {
  const kinds = {
    '8.8.8.8': 'public',
    '2606:4700::1111': 'public',
    '168.63.129.16': 'metadata',
    'fd00:ec2::254': 'metadata',
  }
  for (const [address, kind] of Object.entries(kinds)) assert.equal(addressKind(address), kind, address)
  for (const address of ['fe80::1%eth0', 'nonsense', '2001:db8::1', '2001::1', 'ff02::1', '255.255.255.255']) {
    assert.notEqual(addressKind(address), 'public', address)
  }
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

const through = (): Partial<DialParts> => ({ proxy: { httpsProxy: `http://u:p%40@127.0.0.1:${portOf(proxy)}` } })

test('a proxy gets CONNECT and nothing else; TLS is with the target itself', async () => {
  const answer = await dial(to('https://a.example/x?q=1'), { ...through(), ca: [cert] })
  assert(answer.type === 'answer', JSON.stringify(answer))
  assert.equal(answer.body.toString(), 'got GET /x?q=1')
  assert.deepEqual(tunnels.at(-1), { place: 'a.example:443', auth: `Basic ${Buffer.from('u:p@').toString('base64')}` })
  assert.equal(seen.at(-1)?.headers['proxy-authorization'], undefined)
  assert.equal(seen.at(-1)?.headers.host, 'a.example')
  await dial(to('https://a.example:8443/'), { proxy: { httpsProxy: `127.0.0.1:${portOf(proxy)}` }, ca: [cert] })
  assert.deepEqual(tunnels.at(-1), { place: 'a.example:8443', auth: undefined })
  assert.equal(seen.at(-1)?.headers.host, 'a.example:8443')
  // A literal address goes the same way; the certificate is of a name.
  await dial(to('https://93.184.216.34/'), { ...through(), ca: [cert] })
  assert.equal(tunnels.at(-1)?.place, '93.184.216.34:443')
})

test('a certificate of nobody, or of another name, is refused through the proxy too', async () => {
  assert.match(faultOf(await dial(to('https://a.example/'), through())), /^unreachable: .*SELF_SIGNED|DEPTH_ZERO/)
  assert.match(faultOf(await dial(to('https://b.example/'), { ...through(), ca: [cert] })), /ERR_TLS_CERT_ALTNAME/)
})

test('a proxy that refuses is told', async () => {
  assert.match(faultOf(await dial(to('https://refused.example/'), through())), /the proxy refused .*403/)
  const away = { proxy: { httpsProxy: 'http://127.0.0.1:1' } }
  assert.match(faultOf(await dial(to('https://a.example/'), away)), /^unreachable: .*ECONNREFUSED/)
  // Its certificate is nobody's.
  const secured = { proxy: { httpsProxy: `https://127.0.0.1:${portOf(secure)}` } }
  assert.match(faultOf(await dial(to('https://a.example/'), secured)), /SELF_SIGNED|DEPTH_ZERO/)
})

const choices: readonly [url: string, noProxy: string, proxied: boolean][] = [
  ['https://a.example/', '', true],
  ['https://a.example/', 'a.example', false],
  ['https://x.a.example/', 'a.example', false],
  ['https://x.a.example/', '.a.example', false],
  ['https://xa.example/', 'a.example', true],
  ['https://a.example/', 'b.example, *', false],
  ['https://a.example/', 'a.example:8443', true],
  ['https://a.example:8443/', 'a.example:8443', false],
  ['https://10.0.0.5/', '10.0.0.5', false],
  ['https://127.0.0.1/', '', false],
  ['http://a.example/', '', false],
  ['https://a.example/', 'a:b:c', true],
  ['https://[2606:4700::1111]/', '[2606:4700::1111]:443', false],
  ['http://localhost/', '', false],
]
for (const [url, noProxy, proxied] of choices) {
  test(`${url} with NO_PROXY=${noProxy} goes ${proxied ? 'through the proxy' : 'directly'}`, () => {
    assert.equal(
      proxyFor(to(url).target, { httpsProxy: 'proxy.example:3128', noProxy })?.href ?? '',
      proxied ? 'http://proxy.example:3128/' : '',
    )
  })
}
