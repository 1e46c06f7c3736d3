// The end of a sign-in on this machine: one request is taken, all others are refused.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { type TestContext, test } from 'node:test'
import { openCallback } from '#commands/callback.ts'

async function open(t: TestContext) {
  const callback = await openCallback()
  t.after(() => callback.close())
  const { port, origin } = new URL(callback.redirectUri)
  const ask = async (
    path: string,
    { method = 'GET', host = `127.0.0.1:${port}` } = {},
  ): Promise<number | undefined> => {
    const sent = request(`${origin}${path}`, { method, headers: { host } }).end()
    const [response] = (await once(sent, 'response')) as [{ statusCode?: number; resume(): void }]
    response.resume()
    return response.statusCode
  }
  return { callback, ask }
}

test('only the browser that comes back with the state of this sign-in ends it', async (t) => {
  const { callback, ask } = await open(t)
  assert.equal(await ask('/callback?state=good&code=1'), 400, 'no sign-in is under way yet')
  const returned = callback.returned('good')
  for (const [path, options] of [
    ['/callback?state=other&code=2', {}],
    ['/callback?code=3', {}],
    ['/elsewhere?state=good&code=4', {}],
    ['/callback?state=good&code=5', { method: 'POST' }],
    ['/callback?state=good&code=6', { host: 'evil.example' }],
  ] as const)
    assert.equal(await ask(path, options), 400, path)
  assert.equal(await ask('/callback?state=good&code=7'), 200)
  assert.equal(await returned, `${callback.redirectUri}?state=good&code=7`)
})
