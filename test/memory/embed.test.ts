// The client of an embedding server: what it sends, what it takes, and how it tells a fault.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { ErrorCode } from '#core/errors.ts'
import { createEmbed } from '#memory/embed.ts'
import { proxiedHost, startConnectProxy } from '../net/connect-proxy.ts'
import { startEmbedder, vectorOf } from './embedder.ts'

const key = 'k-sekret-1234'
const { signal } = new AbortController()

function clientOf(t: TestContext, baseUrl: string) {
  const parts = { model: 'concepts', baseUrl, key: () => Promise.resolve(key), keyName: 'EMBEDDING_API_KEY' }
  const client = createEmbed(parts)
  t.after(() => client.close())
  return client
}

test('each text gets its own vector, whatever the order of the answer', async (t) => {
  const embedder = await startEmbedder(t)
  const { embed } = clientOf(t, embedder.baseUrl)
  const texts = ['a dog', 'the sea', 'nothing']
  const vectors = await embed(texts, signal)
  assert.deepEqual(
    vectors.map((vector) => [...vector]),
    texts.map((text) => vectorOf(text)),
  )
  assert.deepEqual(embedder.asked, [{ texts, model: 'concepts', key: `Bearer ${key}` }])
})

test('half a character is not sent: the server would refuse all of the texts', async (t) => {
  const embedder = await startEmbedder(t)
  await clientOf(t, embedder.baseUrl).embed(['cut \ud83d'], signal)
  assert.deepEqual(embedder.asked[0]?.texts, ['cut \ufffd'])
})

test('the server is asked for numbers, with the key where there is one', async (t) => {
  const bodies: unknown[] = []
  const server = createServer((request, response) => {
    void Array.fromAsync(request).then((parts) => {
      bodies.push([request.headers.authorization, JSON.parse(Buffer.concat(parts as Buffer[]).toString())])
      response.end('{"data":[{"embedding":[1]}]}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  await clientOf(t, baseUrl).embed(['a'], signal)
  const keyless = createEmbed({ model: 'concepts', baseUrl, key: () => Promise.resolve(''), keyName: 'K' })
  t.after(() => keyless.close())
  await keyless.embed(['a'], signal)
  const body = { model: 'concepts', input: ['a'], encoding_format: 'float' }
  assert.deepEqual(bodies, [
    [`Bearer ${key}`, body],
    [undefined, body],
  ])
})

/** Two good vectors, and something beside them. */
const beside = (more: string) => `{"data":[{"embedding":[1]},{"embedding":[1]}],"more":${more}}`
const answers: readonly [what: string, status: number, body: string, code: ErrorCode, told: RegExp][] = [
  ['a wrong key', 401, `{"error":"bad key ${key}"}`, 'model_unauthorized', /set EMBEDDING_API_KEY.*bad key \*\*\*/],
  ['a key in another spelling', 401, `no ${btoa(key)}`, 'model_unauthorized', /It said: no \*\*\*.{0,4}$/],
  ['an unknown model', 404, '', 'model_unknown', /knows no embedding model "concepts"/],
  ['a text that is not taken', 413, 'too long', 'model_refused', /\(413\)/],
  ['too many requests', 429, '', 'model_rate_limited', /\(429\)/],
  ['a fault of the server', 503, 'x'.repeat(9_000), 'model_failed', /^.{1,400}$/],
  ['a redirect', 307, '', 'model_failed', /\(307\)/],
  ['no JSON', 200, '<html>', 'model_failed', /check the base URL/],
  ['too few vectors', 200, '{"data":[{"embedding":[1]}]}', 'model_failed', /not with 2 embeddings/],
  ['vectors of two lengths', 200, '{"data":[{"embedding":[1]},{"embedding":[1,2]}]}', 'model_failed', /one length/],
  ['empty vectors', 200, '{"data":[{"embedding":[]},{"embedding":[]}]}', 'model_failed', /one length/],
  ['no numbers', 200, '{"data":[{"embedding":["a"]},{"embedding":["b"]}]}', 'model_failed', /one length/],
  ['more values than vectors have', 200, beside(`[${'0,'.repeat(40_000)}0]`), 'model_failed', /check the base URL/],
  ['a heap of brackets', 200, beside(`${'['.repeat(100)}${']'.repeat(100)}`), 'model_failed', /check the base URL/],
  ['an answer without end', 200, ' '.repeat(17 * 1024 * 1024), 'model_unreachable', /cannot be asked/],
]
for (const [what, status, body, code, told] of answers) {
  test(`${what} is told as ${code}, without the key`, async (t) => {
    const server = createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(status, { location: '/elsewhere' }).end(body))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.after(() => server.close())
    const { embed } = clientOf(t, `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`)
    await assert.rejects(embed(['a', 'b'], signal), (error: Error & { code?: string }) => {
      assert.equal(error.code, code)
      assert.match(error.message, told)
      assert(!error.message.includes(key))
      return true
    })
  })
}

test('a batch of the longest vectors is taken', async (t) => {
  const data = Array.from({ length: 32 }, (_, index) => ({
    object: 'embedding',
    index,
    embedding: Array(16_384).fill(1),
  }))
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end(JSON.stringify({ data, usage: { total_tokens: 1 } })))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { embed } = clientOf(t, `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`)
  const vectors = await embed(Array<string>(32).fill('a'), signal)
  assert.deepEqual([vectors.length, vectors[0]?.length], [32, 16_384])
})

test('a server that is not there is told, and a request ends with its signal', async (t) => {
  const embedder = await startEmbedder(t)
  const away = clientOf(t, 'http://127.0.0.1:1/v1')
  await assert.rejects(away.embed(['a'], signal), { code: 'model_unreachable', message: /ECONNREFUSED/ })
  embedder.mode = 'hangs'
  const stop = new AbortController()
  const waiting = clientOf(t, embedder.baseUrl).embed(['a'], stop.signal)
  stop.abort()
  await assert.rejects(waiting, { code: 'model_unreachable', message: /did not answer in time/ })
})

test('the server is asked through the proxy, which is named when it refuses', async (t) => {
  const embedder = await startEmbedder(t)
  const proxy = await startConnectProxy(t, Number(new URL(embedder.baseUrl).port))
  const baseUrl = `https://${proxiedHost}/v1`
  const open = () => {
    const client = createEmbed({
      model: 'concepts',
      baseUrl,
      key: async () => key,
      keyName: 'K',
      proxy: proxy.settings,
    })
    t.after(() => client.close())
    return client
  }
  assert.equal((await open().embed(['a dog'], signal)).length, 1)
  assert.equal(proxy.asked[0]?.place, `${proxiedHost}:443`)
  proxy.mode = 407
  await assert.rejects(open().embed(['a dog'], signal), {
    code: 'model_unreachable',
    message:
      'model.example cannot be asked for embeddings (the proxy of HTTPS_PROXY refuses its user and password (407))',
  })
})
