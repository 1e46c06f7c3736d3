// Requests to anywhere: who may be reached, what a redirect may do, what is bounded. Against a real server here.
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createDial, type Outgoing } from '#net/dial.ts'
import { createFetch, type Fetched, type FetchRequest, parseTarget } from '#net/fetch.ts'

type Seen = { line: string; headers: IncomingMessage['headers']; body: string }
const seen: Seen[] = []
const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8').on('data', (chunk: string) => {
    body += chunk
  })
  request.on('end', () => {
    const { method = '', url = '', headers } = request
    seen.push({ line: `${method} ${headers.host} ${url}`, headers, body })
    const [, status, location] = /^\/to\/(\d+)\/(.*)$/.exec(url) ?? []
    const hops = Number(/^\/hops\/(\d+)$/.exec(url)?.[1] ?? 0)
    if (location !== undefined) response.writeHead(Number(status), { location: decodeURIComponent(location) }).end()
    else if (hops > 0) response.writeHead(302, { location: `/hops/${hops - 1}` }).end()
    else if (url === '/bomb')
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(6 * 1024 * 1024)))
    else if (url === '/big') response.end(Buffer.alloc(5 * 1024 * 1024 + 1))
    else if (url === '/whole') response.end(Buffer.alloc(5 * 1024 * 1024))
    else if (url === '/slow') return
    else response.end(`${method} ${url}`)
  })
})
let port = 0
before(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  port = (server.address() as AddressInfo).port
})
after(() => {
  server.close()
  server.closeAllConnections()
})

/** Names of the tests and where they lead; the server answers to all of them that are on this machine. */
const addresses: Readonly<Record<string, string>> = {
  'inside.example': '127.0.0.1',
  'other.example': '127.0.0.1',
  'private.example': '10.0.0.7',
  'clouds.example': '169.254.169.254',
}
const dial = createDial({
  lookup: (host) => Promise.resolve(addresses[host] ? [{ address: addresses[host], family: 4 }] : []),
})

function fetchFrom(privateHosts: readonly string[], signal = AbortSignal.timeout(60_000)) {
  const fetch = createFetch({ dial, privateHosts })
  return (url: string, more: Partial<FetchRequest> = {}, sending?: Parameters<typeof fetch>[2]): Promise<Fetched> =>
    fetch({ method: 'GET', headers: new Map(), ...more, url: url.replace(':PORT', `:${port}`) }, signal, sending)
}

function textOf(fetched: Fetched): string {
  return fetched.type === 'answer' ? `${fetched.status} ${String(fetched.body)}` : fetched.message
}

const refused: readonly [url: string, why: RegExp][] = [
  ['http://127.0.0.1:PORT/', /127\.0\.0\.1 is a loopback address.*ATRIUM_PRIVATE_HOSTS/],
  ['http://localhost:PORT/', /loopback/],
  ['http://0x7f.1:PORT/', /127\.0\.0\.1 is a loopback/],
  ['http://2130706433:PORT/', /127\.0\.0\.1 is a loopback/],
  ['http://[::1]:PORT/', /loopback/],
  ['http://[::ffff:127.0.0.1]:PORT/', /loopback/],
  ['http://10.1.2.3/', /private/],
  ['http://192.168.0.1/', /private/],
  ['http://0.0.0.0:PORT/', /reserved/],
  ['http://169.254.1.1/', /link-local/],
  ['http://169.254.169.254/latest/meta-data', /metadata/],
  ['http://private.example/', /private\.example is at a private address.*ATRIUM_PRIVATE_HOSTS/],
  ['http://inside.example:PORT/', /inside\.example is at a loopback address/],
  ['http://nowhere.example/', /could not be reached: the name has no address/],
  ['ftp://files.example/', /scheme ftp: is not allowed/],
  ['file:///etc/passwd', /scheme file:/],
  ['http://user:word@inside.example/', /user name or password/],
  ['inside.example', /not of the form/],
  ['http://inside.example./', /ends with a dot/],
  ['http://inside.example/\n', /control character/],
  [`http://inside.example/${'a'.repeat(9_000)}`, /longer than/],
]
for (const [url, why] of refused) {
  test(`not reached: ${JSON.stringify(url.slice(0, 60))}`, async () => {
    const before = seen.length
    assert.match(textOf(await fetchFrom([])(url)), why)
    assert.equal(seen.length, before)
  })
}

test('a host that the operator lists is reached, by its port or by any; another is not', async () => {
  assert.equal(textOf(await fetchFrom([`127.0.0.1:${port}`])('http://127.0.0.1:PORT/a')), '200 GET /a')
  assert.equal(textOf(await fetchFrom(['inside.example'])('http://inside.example:PORT/b')), '200 GET /b')
  assert.match(textOf(await fetchFrom(['127.0.0.1:1'])('http://127.0.0.1:PORT/a')), /loopback/)
  assert.match(textOf(await fetchFrom(['inside.example'])('http://other.example:PORT/b')), /loopback/)
})

test('a metadata service is never reached, listed or not', async () => {
  const fetch = fetchFrom(['169.254.169.254', 'clouds.example'])
  const address = /metadata address.*; metadata services are never reached$/
  for (const reach of [fetch, fetchFrom([])]) {
    assert.match(textOf(await reach('http://169.254.169.254/')), address)
    assert.match(textOf(await reach('http://clouds.example/')), address)
  }
})

test('redirects are followed five times and no more, the last address is told', async () => {
  const fetch = fetchFrom(['inside.example'])
  const five = await fetch('http://inside.example:PORT/hops/5')
  assert.equal(textOf(five), '200 GET /hops/0')
  assert.equal(five.type === 'answer' && five.url, `http://inside.example:${port}/hops/0`)
  assert.equal(textOf(await fetch('http://inside.example:PORT/hops/6')), 'more than 5 redirects')
})

test('each request that goes out is told, those of redirects too; one that is blocked is not', async () => {
  const fetch = fetchFrom(['inside.example'])
  const sent: string[] = []
  const told = (each: { method: string; host: string }) => sent.push(`${each.method} ${each.host}`)
  const there = encodeURIComponent(`http://other.example:${port}/x`)
  await fetch(`http://inside.example:PORT/to/303/${encodeURIComponent('/hops/0')}`, { method: 'POST' }, told)
  await fetch(`http://inside.example:PORT/to/302/${there}`, {}, told)
  await fetch('http://127.0.0.1:PORT/', {}, told)
  const host = `inside.example:${port}`
  // A name is sought before anybody knows that it is private.
  assert.deepEqual(sent, [`POST ${host}`, `GET ${host}`, `GET ${host}`, `GET other.example:${port}`])
})

test('every hop is judged anew', async () => {
  const fetch = fetchFrom(['inside.example'])
  for (const [location, why] of [
    ['http://169.254.169.254/x', /metadata/],
    [`http://127.0.0.1:${port}/x`, /loopback/],
    [`http://other.example:${port}/x`, /loopback/],
    ['http://private.example/', /private/],
    ['file:///etc/passwd', /a redirect was not followed: the scheme file:/],
    ['http://a:b@inside.example/', /a redirect was not followed: the URL carries/],
  ] as const) {
    const from = seen.length
    assert.match(textOf(await fetch(`http://inside.example:PORT/to/302/${encodeURIComponent(location)}`)), why)
    assert.equal(seen.length, from + 1)
  }
})

test('what was meant for one origin does not go to another', async () => {
  const fetch = fetchFrom(['inside.example', 'other.example'])
  const headers = new Map([
    ['authorization', 'Bearer x'],
    ['x-own', '1'],
    ['accept', 'text/plain'],
  ])
  const away = encodeURIComponent(`http://other.example:${port}/end`)
  await fetch(`http://inside.example:PORT/to/302/${away}`, { headers })
  const last = seen.at(-1)
  assert.deepEqual(
    [last?.headers.authorization, last?.headers['x-own'], last?.headers.accept],
    [undefined, undefined, 'text/plain'],
  )
  await fetch('http://inside.example:PORT/to/302/%2Fend', { headers })
  assert.equal(seen.at(-1)?.headers.authorization, 'Bearer x')
})

test('a body is sent again only where it was sent before', async () => {
  const fetch = fetchFrom(['inside.example', 'other.example'])
  const post = { method: 'POST', headers: new Map([['content-type', 'text/plain']]), body: Buffer.from('data') }
  assert.equal(textOf(await fetch('http://inside.example:PORT/to/303/%2Fend', post)), '200 GET /end')
  assert.deepEqual([seen.at(-1)?.body, seen.at(-1)?.headers['content-type']], ['', undefined])
  assert.equal(textOf(await fetch('http://inside.example:PORT/to/307/%2Fend', post)), '200 POST /end')
  assert.equal(seen.at(-1)?.body, 'data')
  const away = encodeURIComponent(`http://other.example:${port}/end`)
  assert.equal(textOf(await fetch(`http://inside.example:PORT/to/307/${away}`, post)), '307 ')
  assert.match(seen.at(-1)?.line ?? '', /^POST inside\.example/)
})

test('an answer of 5 MiB is read, a byte more and a bomb are not', async () => {
  const fetch = fetchFrom(['inside.example'])
  const whole = await fetch('http://inside.example:PORT/whole')
  assert.equal(whole.type === 'answer' && whole.body.length, 5 * 1024 * 1024)
  for (const path of ['big', 'bomb']) {
    assert.equal(textOf(await fetch(`http://inside.example:PORT/${path}`)), 'the answer is over 5242880 bytes')
  }
})

test('a request ends with its caller, and after 30 seconds', async (t) => {
  const stop = new AbortController()
  const waiting = fetchFrom(['inside.example'], stop.signal)('http://inside.example:PORT/slow')
  stop.abort()
  assert.match(textOf(await waiting), /did not answer in time/)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { promise, resolve } = Promise.withResolvers<AbortSignal>()
  const fetch = createFetch({
    privateHosts: [],
    dial: async (_request: Outgoing, { signal }) => {
      resolve(signal)
      await new Promise((done) => signal.addEventListener('abort', done))
      return { type: 'fault', fault: { code: 'timeout', message: 'late', sent: true } }
    },
  })
  const late = fetch({ method: 'GET', url: 'https://a.example/', headers: new Map() }, new AbortController().signal)
  await promise
  t.mock.timers.tick(29_999)
  assert.equal((await promise).aborted, false)
  t.mock.timers.tick(1)
  assert.equal(textOf(await late), 'late')
})

test('an address is read as browsers read it', () => {
  assert.deepEqual(parseTarget('HTTPS://Bücher.example:443/a/../b?c=d#e'), {
    scheme: 'https',
    host: 'xn--bcher-kva.example',
    port: 443,
    path: '/b',
    query: '?c=d',
  })
})

test('an address is refused by each of its parts alone, and taken up to its limit', () => {
  const longest = `http://a.example/${'x'.repeat(8_192 - 'http://a.example/'.length)}`
  const plain = { scheme: 'http', host: 'a.example', port: 80, query: '' }
  assert.deepEqual(parseTarget(longest), { ...plain, path: longest.slice('http://a.example'.length) })
  assert.match(JSON.stringify(parseTarget(`${longest}x`)), /longer than 8192/)
  assert.match(JSON.stringify(parseTarget('http://user@a.example/')), /user name/)
  assert.match(JSON.stringify(parseTarget('http://:word@a.example/')), /user name or password/)
  assert.deepEqual(parseTarget('http://a.example:443/'), { ...plain, port: 443, path: '/' })
})

const hops: readonly [status: number, method: string, next: string][] = [
  [301, 'GET', 'GET /end'],
  [302, 'GET', 'GET /end'],
  [303, 'GET', 'GET /end'],
  [307, 'GET', 'GET /end'],
  [308, 'GET', 'GET /end'],
  [300, 'GET', 'GET /to'],
  [305, 'GET', 'GET /to'],
  [201, 'POST', 'POST /to'],
  [302, 'HEAD', 'HEAD /end'],
  [301, 'POST', 'GET /end'],
  [303, 'PUT', 'GET /end'],
  [308, 'PUT', 'PUT /end'],
]
for (const [status, method, next] of hops) {
  test(`${status} to ${method} leads to ${next}`, async () => {
    await fetchFrom(['inside.example'])(`http://inside.example:PORT/to/${status}/%2Fend`, { method })
    const [verb, , path = ''] = seen.at(-1)?.line.split(' ') ?? []
    assert.equal(`${verb} ${path.slice(0, next.split(' ')[1]?.length)}`, next)
  })
}

test('a redirect to what is no address is not followed', async () => {
  const away = encodeURIComponent('http://[')
  assert.match(
    textOf(await fetchFrom(['inside.example'])(`http://inside.example:PORT/to/302/${away}`)),
    /a redirect was not followed: its URL cannot be read/,
  )
})

test('of the headers those that tell nothing of the sender go to another origin; of a body that is left its own go', async () => {
  const fetch = fetchFrom(['inside.example', 'other.example'])
  const names = ['accept', 'accept-language', 'content-type', 'user-agent', 'cookie', 'x-content']
  const headers = new Map(names.map((name) => [name, 'a/b']))
  const away = encodeURIComponent(`http://other.example:${port}/end`)
  await fetch(`http://inside.example:PORT/to/302/${away}`, { headers })
  assert.deepEqual(
    names.filter((name) => seen.at(-1)?.headers[name]),
    names.slice(0, 4),
  )
  await fetch('http://inside.example:PORT/to/303/%2Fend', { method: 'POST', headers, body: Buffer.from('x') })
  assert.deepEqual(
    names.filter((name) => seen.at(-1)?.headers[name]),
    names.filter((name) => name !== 'content-type'),
  )
})
