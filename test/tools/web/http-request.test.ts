// http_request: what it sends, what it tells, what it refuses, and which of its calls change something.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { effectsOf } from '#core/tool.ts'
import { createLeakScan } from '#safety/leaks.ts'
import { createHttpRequest } from '#tools/web/http-request.ts'
import { openSite, run } from '../rig.ts'

async function open(t: TestContext) {
  const site = await openSite(t, (request, response) => {
    const { method, url, headers, body } = request
    if (url === '/binary') response.writeHead(200, { 'content-type': 'image/gif' }).end(Buffer.from([0x47, 0, 1, 2]))
    else if (url === '/greek')
      response.writeHead(200, { 'content-type': 'text/plain; charset=iso-8859-7' }).end(Buffer.from([0xe1, 0xe2]))
    else if (url === '/none') response.writeHead(204).end()
    else if (url === '/long') response.end('x'.repeat(100_005))
    else if (url === '/moved') response.writeHead(302, { location: '/end' }).end()
    else if (url === '/wrong') response.writeHead(422, { 'content-type': 'application/json' }).end('{"error":"no"}')
    else {
      const answer = { method, body, type: headers['content-type'], own: headers['x-own'], host: headers.host }
      response
        .writeHead(200, { 'content-type': 'application/json', etag: '"1"', 'set-cookie': 'a=b' })
        .end(JSON.stringify(answer))
    }
  })
  return { ...site, tool: createHttpRequest({ ...site, scan: () => createLeakScan() }) }
}

test('a request goes out as it was written, the answer comes back with its status and useful headers', async (t) => {
  const { tool, url } = await open(t)
  const headers = { 'Content-Type': 'application/json', 'X-Own': ' 1 ' }
  const from: unknown[] = []
  const sent: unknown[] = []
  const args = { method: 'POST', url: `${url}/a?b=%2Fc`, headers, body: '{"n": 1.0}' }
  const text = await run(tool, args, {
    markUntrusted: (origin) => from.push(origin),
    reportUse: (use) => sent.push(...(use.sent ?? [])),
  })
  const [head, body = ''] = text.split('\n\n')
  assert.equal(head, 'HTTP 200\ncontent-type: application/json\netag: "1"')
  assert.deepEqual(JSON.parse(body), {
    method: 'POST',
    body: '{"n": 1.0}',
    type: 'application/json',
    own: '1',
    host: new URL(url).host,
  })
  assert.deepEqual(from, [`${url}/a?b=%2Fc`])
  assert.deepEqual(sent, [{ method: 'POST', host: new URL(url).host }])
})

test('answers of every kind are told', async (t) => {
  const { tool, url } = await open(t)
  const get = (path: string, method = 'GET') => run(tool, { method, url: `${url}/${path}` })
  assert.match(await get('binary'), /\n\n\(4 bytes of image\/gif: not text\)$/)
  assert.match(await get('greek'), /\n\nαβ$/)
  assert.match(await get('none'), /^HTTP 204[^]*\n\n\(no body\)$/)
  assert.match(await get('long'), /x\n\[cut: 5 more characters\]$/)
  assert.match(await get('moved'), new RegExp(`^HTTP 200\nAddress: ${url}/end\n`))
  assert.match(await get('wrong'), /^HTTP 422\n[^]*\{"error":"no"\}$/)
  assert.match(await get('a', 'HEAD'), /^HTTP 200\n[^]*etag: "1"$/)
})

test('only what is no GET or HEAD changes something', () => {
  const tool = createHttpRequest({
    fetch: () => Promise.reject(new Error('not here')),
    refusal: () => undefined,
    scan: () => createLeakScan(),
  })
  const effects = (method: unknown) => effectsOf(tool, JSON.stringify({ method, url: 'https://a.example' }))
  for (const method of ['GET', 'HEAD', 'get']) assert.equal(effects(method), 'read')
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'GET ', 'GETX', null, 5, ['GET']]) {
    assert.equal(effects(method), 'write')
  }
  assert.equal(effectsOf(tool, 'nonsense'), 'write')
  assert.deepEqual([tool.repeatable, tool.untrusted], [false, true])
})

const refused: readonly [args: Record<string, unknown>, why: RegExp][] = [
  [{ url: 'SITE' }, /^method is missing$/],
  [{ method: 'GET' }, /^url is missing$/],
  [{ method: 'get', url: 'SITE' }, /^method must be one of GET, HEAD, POST/],
  [{ method: 'CONNECT', url: 'SITE' }, /^method must be one of/],
  [{ method: 'GET', url: 'SITE', body: 'x' }, /^body: is not allowed with GET$/],
  [{ method: 'POST', url: 'SITE', body: { a: 1 } }, /^body must be a text$/],
  [{ method: 'POST', url: 'SITE', body: 'x'.repeat(1024 * 1024 + 1) }, /^body: is over 1048576 bytes$/],
  [{ method: 'GET', url: 'SITE', headers: 'a: b' }, /^headers must be an object of texts$/],
  [{ method: 'GET', url: 'SITE', headers: { a: 1 } }, /^headers must be an object of texts$/],
  [{ method: 'GET', url: 'SITE', headers: { 'a b': 'c' } }, /^headers: has a name that cannot be sent: "a b"$/],
  [{ method: 'GET', url: 'SITE', headers: { a: 'b\r\nhost: c' } }, /^headers: has a value for a that cannot be sent$/],
  [{ method: 'GET', url: 'SITE', headers: { Host: 'other.example' } }, /^headers: may not set Host$/],
  [{ method: 'GET', url: 'SITE', headers: { 'X-HTTP-Method-Override': 'DELETE' } }, /^headers: may not set/],
  [{ method: 'GET', url: 'SITE', headers: { 'transfer-encoding': 'chunked' } }, /^headers: may not set/],
  [
    { method: 'GET', url: 'SITE', timeout: 5 },
    /^timeout is not a parameter; the parameters are method, url, headers, body$/,
  ],
  [{ method: 'GET', url: 'nowhere' }, /^url: the URL is not of the form/],
  [{ method: 'GET', url: 'http://169.254.169.254/' }, /failed: .*metadata/],
  [
    { method: 'GET', url: 'SITE', headers: { authorization: `Bearer ghp_${'a1B2'.repeat(9)}` } },
    /carries a secret \(bearer-header\)/,
  ],
  [{ method: 'POST', url: 'SITE', body: `key=sk-${'a1B2'.repeat(8)}` }, /carries a secret \(openai-key\)/],
]
for (const [args, why] of refused) {
  test(`refused, and nothing is sent: ${JSON.stringify(args).slice(0, 100)}`, async (t) => {
    const { tool, url, seen } = await open(t)
    await assert.rejects(run(tool, JSON.stringify(args).replace('SITE', url)), { message: why })
    assert.deepEqual(seen, [])
  })
}
