// What Claude and Gemini write reaches a door while they write it: a real service between a strict server and a client.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { atriumProcess, serve } from '../atrium.ts'
import { proxiedHost, startConnectProxy } from '../net/connect-proxy.ts'
import { newHome } from '../new-home.ts'
import { anthropicKey, messageEvents, saying, serveAnthropic } from './strict-anthropic.ts'
import { chunk, googleKey, serveGoogle } from './strict-google.ts'
import type { Reply } from './wire.ts'

const words = ['Three ', 'small ', 'words.']

const providers = [
  {
    name: 'anthropic',
    open: serveAnthropic,
    pieces: messageEvents([{ thinking: 'hm' }, { text: words }]),
    env: (url: string) => ({ LLM_BASE_URL: `${url}/v1`, ANTHROPIC_API_KEY: anthropicKey }),
  },
  {
    name: 'google',
    open: serveGoogle,
    pieces: words.map((text, at) => chunk({ parts: [{ text }], ...(at === 2 && { finish: 'STOP' }) })),
    env: (url: string) => ({ LLM_BASE_URL: `${url}/v1beta`, GEMINI_API_KEY: googleKey }),
  },
] as const

for (const { name, open, pieces, env } of providers) {
  test(`${name}: each piece is at the door before the next is written`, async (t) => {
    const home = newHome()
    t.after(home.remove)
    const seen = words.map(() => Promise.withResolvers<void>())
    const reply: Reply = async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      let written = 0
      for (const piece of pieces) {
        response.write(piece)
        if (words.some((word) => piece.includes(JSON.stringify(word)))) await seen[written++]?.promise
      }
      response.end()
    }
    const server = await open(t, reply)
    const service = await serve(home.path, { LLM_PROVIDER: name, ...env(server.url) })
    t.after(() => service.stop())
    const token = readFileSync(join(home.path, 'webui-token'), 'utf8').trim()
    const response = await fetch(`${service.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', input: 'speak', stream: true }),
      signal: AbortSignal.timeout(30_000),
    })
    let text = ''
    let told = 0
    for await (const some of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += some
      const deltas = text.split('event: response.output_text.delta').length - 1
      for (; told < deltas; told++) seen[told]?.resolve()
    }
    assert.equal(told, words.length)
    assert.match(text, /event: response\.completed/)
    assert.match(text, /Three small words\./)
    assert.equal(server.asked.length, 1)
  })
}

test('a command and a service reach their model through the proxy of the environment', async (t) => {
  const home = newHome()
  t.after(home.remove)
  const { url } = await serveAnthropic(t, saying([{ text: ['ready'] }]))
  const proxy = await startConnectProxy(t, Number(new URL(url).port))
  const certificate = join(home.path, 'authority.pem')
  writeFileSync(certificate, proxy.cert)
  const env = {
    LLM_PROVIDER: 'anthropic',
    LLM_BASE_URL: `https://${proxiedHost}/v1`,
    ANTHROPIC_API_KEY: anthropicKey,
    HTTPS_PROXY: proxy.url,
    NODE_EXTRA_CA_CERTS: certificate,
  }
  const answered = await atriumProcess(home.path, ['model', 'test', '--json'], { env })
  assert.match(answered.stdout, /"ready"/, answered.stderr)
  const service = await serve(home.path, { ...env, LOG_LEVEL: 'debug' })
  t.after(() => service.stop())
  proxy.mode = 407
  const refused = await atriumProcess(home.path, ['model', 'test'])
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /the proxy of HTTPS_PROXY refuses its user and password \(407\)/)
  assert.doesNotMatch(refused.stderr + service.output(), /hidden/)
})
