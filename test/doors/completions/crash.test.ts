// A real service, killed in mid-stream: a retry with the same key is the same turn.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { serve, type Serving } from '../../atrium.ts'
import { newHome } from '../../new-home.ts'

test('killed in mid-stream, then asked again with the same key: one turn, one answer, one thread', async (t) => {
  const home = newHome()
  t.after(() => home.remove())
  const script = (chunkDelayMs: number): void =>
    writeFileSync(
      join(home.path, 'script.json'),
      JSON.stringify({ replies: [{ when: '', text: 'one two three', chunkDelayMs }] }),
    )
  const start = (): Promise<Serving> =>
    serve(home.path, { LLM_PROVIDER: 'scripted', LLM_SCRIPT: join(home.path, 'script.json') })
  const send = (url: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${readFileSync(join(home.path, 'webui-token'), 'utf8').trim()}`,
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify({ model: 'atrium', ...body }),
    })
  const hi = { stream: true, messages: [{ role: 'user', content: 'hi' }] }
  script(60_000)
  const first = await start()
  const cut = await send(first.url, hi, { 'idempotency-key': 'k' })
  const reader = cut.body?.getReader()
  for (let text = ''; !text.includes('one'); ) text += Buffer.from((await reader?.read())?.value ?? []).toString()
  first.signal('SIGKILL')
  await first.ended
  script(0)
  const second = await start()
  t.after(() => second.stop())
  const again = await send(second.url, hi, { 'idempotency-key': 'k' })
  const text = await again.text()
  assert.equal(again.headers.get('x-atrium-turn'), cut.headers.get('x-atrium-turn'))
  const said = text.match(/"content":"[^"]*"/g)?.join('') ?? ''
  assert.equal(said.replaceAll(/"content":"([^"]*)"/g, '$1'), 'one two three')
  const history = [...hi.messages, { role: 'assistant', content: 'one two three' }, { role: 'user', content: 'more' }]
  const next = await send(second.url, { messages: history })
  assert.equal(next.status, 200)
  assert.equal(next.headers.get('x-atrium-thread'), cut.headers.get('x-atrium-thread'))
})
