// What Claude and Gemini write reaches a door while they write it: a real service between a strict server and a client.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { serve } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { anthropicKey, messageEvents, serveAnthropic } from './strict-anthropic.ts'
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
