// The links that sign the operator in: printed by the start, and by `atrium login` while a service runs.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { atrium, serve } from '../atrium.ts'
import { newHome } from '../new-home.ts'

const home = newHome()
after(home.remove)

async function follow(link: string): Promise<Response> {
  const { origin, pathname, hash } = new URL(link)
  assert.deepEqual([pathname, hash.startsWith('#code=')], ['/login', true])
  const body = JSON.stringify({ code: hash.slice('#code='.length) })
  return fetch(`${origin}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body,
  })
}

test('the start and `atrium login` print links that work once; a session outlives a restart, but not its token', async () => {
  const alone = await atrium(home.path, ['login'])
  assert.deepEqual([alone.code, /no service runs on .*: start one/.test(alone.stderr)], [1, true])
  const service = await serve(home.path, { GATEWAY_HOST: '0.0.0.0' })
  const printed = /sign in +(\S+)/.exec(service.output())?.[1] ?? ''
  assert.match(printed, /^http:\/\/127\.0\.0\.1:\d+\/login#code=atr_[\w-]{22}$/)
  const [first, again] = [await follow(printed), await follow(printed)]
  assert.deepEqual([first.status, again.status], [200, 401])
  const { link } = JSON.parse((await atrium(home.path, ['login', '--json'])).stdout) as { link: string }
  assert.notEqual(link, printed)
  assert.equal((await follow(link)).status, 200)
  const cookie = first.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const session = (url: string) => fetch(`${url}/api/session`, { headers: { cookie } })
  assert.equal((await session(service.url.replace('0.0.0.0', '127.0.0.1'))).status, 200)
  await service.stop()
  const next = await serve(home.path)
  assert.equal((await session(next.url)).status, 200, 'after a restart')
  await next.stop()
  const replaced = await serve(home.path, { SERVICE_REBORN_WEBUI_TOKEN: 'another-lasting-token-0123456789' })
  assert.equal((await session(replaced.url)).status, 401, 'its token was replaced')
  await replaced.stop()
})

test('behind a proxy, links lead to the address that the operator named', async (t) => {
  const own = newHome()
  t.after(own.remove)
  const origins = 'https://agent.example.com,https://other.example.com'
  const service = await serve(own.path, { GATEWAY_ALLOWED_ORIGINS: origins })
  t.after(() => service.stop())
  assert.match(service.output(), /sign in +https:\/\/agent\.example\.com\/login#code=atr_/)
  const { stdout } = await atrium(own.path, ['login'])
  assert.match(stdout, /^https:\/\/agent\.example\.com\/login#code=atr_[\w-]{22}$/m)
})
