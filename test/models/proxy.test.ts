// Models behind the proxy of a company: every client goes through it, and says what is wrong with it.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { inspect } from 'node:util'
import type { Model } from '#core/model.ts'
import type { ProxySettings } from '#core/proxy.ts'
import { createAnthropicModel } from '#models/anthropic.ts'
import { createChatModel } from '#models/chat.ts'
import { createGoogleModel } from '#models/google.ts'
import { openModel } from '#models/open-model.ts'
import { listProviderModels } from '#models/provider-models.ts'
import { proxiedHost, proxyPassword, startConnectProxy } from '../net/connect-proxy.ts'
import { delta, serve } from './chat-server.ts'
import { until } from '../until.ts'
import { anthropicKey, saying as claudeSays, serveAnthropic } from './strict-anthropic.ts'
import { googleKey, saying as geminiSays, serveGoogle } from './strict-google.ts'
import { openaiKey, saying, serveOpenai } from './strict-openai.ts'
import { collect, fails, hello, listen, textsOf } from './wire.ts'

const auth = `Basic ${Buffer.from(`ada:${proxyPassword}`).toString('base64')}`
const place = `${proxiedHost}:443`
const base = `https://${proxiedHost}/v1`
const shared = { name: 'any-model', sleep: async () => {}, random: () => 1 }

type Client = {
  readonly start: (t: TestContext) => Promise<{ url: string; asked: { headers: NodeJS.Dict<string | string[]> }[] }>
  readonly open: (proxy: ProxySettings, limits?: { idleMs: number }) => Model
}
const clients: Readonly<Record<string, Client>> = {
  'chat completions': {
    start: (t) => serveOpenai(t, saying('Hel', 'lo')),
    open: (proxy, limits) =>
      createChatModel({ ...shared, provider: 'openai', baseUrl: base, apiKey: openaiKey, proxy, limits }),
  },
  Claude: {
    start: (t) => serveAnthropic(t, claudeSays([{ text: ['Hel', 'lo'] }])),
    open: (proxy, limits) => createAnthropicModel({ ...shared, baseUrl: base, apiKey: anthropicKey, proxy, limits }),
  },
  Gemini: {
    start: (t) => serveGoogle(t, geminiSays({ parts: [{ text: 'Hel' }] }, { parts: [{ text: 'lo' }], finish: 'STOP' })),
    open: (proxy, limits) => createGoogleModel({ ...shared, baseUrl: `${base}beta`, apiKey: googleKey, proxy, limits }),
  },
}
const refusals = [
  ['answers 407', 407, /: the proxy of HTTPS_PROXY refuses its user and password \(407\)\.$/, 1],
  ['answers 403', 403, /: the proxy of HTTPS_PROXY refuses this host \(403\); NO_PROXY names hosts .* it\.$/, 1],
  ['answers 502', 502, /: the proxy of HTTPS_PROXY could not reach this host \(502\);.* It was asked four times\.$/, 4],
  ['drops', 'drops', /: the proxy of HTTPS_PROXY cannot be reached \(ECONNRESET\)\. It was asked four times\.$/, 4],
] as const

for (const [name, { start, open }] of Object.entries(clients)) {
  test(`${name} goes through the proxy, which reads nothing of it`, async (t) => {
    const { url, asked } = await start(t)
    const proxy = await startConnectProxy(t, Number(new URL(url).port))
    const model = open(proxy.settings)
    let calls = 0
    // A tunnel is free for the next call once the end of the answer has come.
    await until(async () => {
      assert.equal(textsOf(await collect(model)).join(''), 'Hello')
      return ++calls > proxy.asked.length
    })
    assert.deepEqual(proxy.asked[0], { place, auth })
    assert.equal(asked.length, calls)
    assert.deepEqual([asked[0]?.headers['host'], asked[0]?.headers['proxy-authorization']], [proxiedHost, undefined])
  })

  for (const [what, mode, said, tries] of refusals) {
    test(`${name}: a proxy that ${what} is told, without its credentials`, async (t) => {
      const proxy = await startConnectProxy(t, 9)
      proxy.mode = mode
      const error = await fails(collect(open(proxy.settings)))
      assert.equal(error.code, 'model_unreachable')
      assert.match(error.message, said)
      assert.equal(proxy.asked.length, tries)
      assert.doesNotMatch(inspect(error, { depth: 9 }), /hidden|word@|Basic/)
    })
  }

  test(`${name}: a turn that is stopped closes its tunnel`, async (t) => {
    const begun = Promise.withResolvers<void>()
    const { port } = await listen(t, async () => begun.resolve())
    const proxy = await startConnectProxy(t, port)
    const stop = new AbortController()
    const asking = assert.rejects(collect(open(proxy.settings), hello, stop.signal), { name: 'AbortError' })
    await begun.promise
    stop.abort()
    await asking
    await proxy.closed
  })

  test(`${name}: a server or a proxy that is silent ends the call`, async (t) => {
    let reached = 0
    const proxy = await startConnectProxy(t, (await listen(t, async () => void reached++)).port)
    // A busy machine may not have come so far in the time: then in twice of it.
    const endsOnceReached = (count: () => number): Promise<void> => {
      let idleMs = 25
      const before = count()
      return until(async () => {
        const { code } = await fails(collect(open(proxy.settings, { idleMs: (idleMs *= 2) })))
        assert.equal(code, 'model_timeout')
        return count() > before
      })
    }
    await endsOnceReached(() => reached)
    await proxy.closed
    proxy.mode = 'hangs'
    await endsOnceReached(() => proxy.asked.length)
  })
}

test('what a model writes comes through the proxy while it writes', async (t) => {
  const seen = Promise.withResolvers<void>()
  const { port } = await serve(t, async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(delta({ content: 'Hel' }))
    await seen.promise
    response.end(delta({ content: 'lo' }, 'stop'))
  })
  const proxy = await startConnectProxy(t, port)
  const texts: string[] = []
  const model = createChatModel({ ...shared, provider: 'openai-compatible', baseUrl: base, proxy: proxy.settings })
  for await (const batch of model.stream(hello, new AbortController().signal)) {
    texts.push(...textsOf(batch))
    seen.resolve()
  }
  assert.deepEqual(texts, ['Hel', 'lo'])
})

test('a proxy that wants a user says where to write it', async (t) => {
  const proxy = await startConnectProxy(t, 9)
  proxy.mode = 407
  const httpsProxy = new URL(proxy.url).origin
  const model = createChatModel({
    ...shared,
    provider: 'openai',
    baseUrl: base,
    apiKey: openaiKey,
    proxy: { httpsProxy },
  })
  const { message } = await fails(collect(model))
  assert.match(
    message,
    /HTTPS_PROXY wants a user and a password \(407\); set it to http:\/\/user:password@host:port\.$/,
  )
})

test('a server that takes no proxy is reached as ever: plain http, and this machine', async (t) => {
  const { url } = await serveOpenai(t, saying('hi'))
  const proxy = await startConnectProxy(t, Number(new URL(url).port), 'localhost')
  const choice = { provider: 'openai', name: 'gpt-4o', apiKey: openaiKey } as const
  for (const baseUrl of [`${url}/v1`, `https://localhost:${proxy.securePort}/v1`]) {
    const secret = () => Promise.resolve(undefined)
    const model = await openModel({ ...choice, baseUrl }, { secret, proxy: proxy.settings })
    assert.deepEqual(textsOf(await collect(model)), ['hi'])
  }
  assert.deepEqual(proxy.asked, [])
})

test('the models of a provider are listed through the proxy', async (t) => {
  const { port } = await listen(t, async (_, response) => void response.end('{"data":[{"id":"a"}]}'))
  const proxy = await startConnectProxy(t, port)
  const access = { provider: 'openai', baseUrl: base, apiKey: 'k', proxy: proxy.settings } as const
  assert.deepEqual(await listProviderModels(access), ['a'])
  assert.deepEqual(proxy.asked, [{ place, auth }])
  proxy.mode = 403
  const { code, message } = await fails(listProviderModels(access))
  assert.equal(code, 'model_unreachable')
  assert.match(message, /^model\.example was not reached: the proxy of HTTPS_PROXY refuses this host \(403\)/)
})
