// A real service that is killed while a notification is on its way.
import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { serve } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { until } from '../until.ts'
import { scriptedEnv } from '../scripted-env.ts'

const token = 'operator-token-of-the-kill-test'

test('a message that a killed service was sending is unknown, and sent once more', async (t) => {
  const home = newHome()
  t.after(() => home.remove())
  const waiting: ServerResponse[] = []
  const server = createServer((request, response) => {
    request.resume()
    waiting.push(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const write = { name: 'workspace_write', args: { path: 'a.txt', content: 'hello' } }
  const env = scriptedEnv(home.path, [{ calls: [write] }])
  const start = () =>
    serve(home.path, {
      SERVICE_REBORN_WEBUI_TOKEN: token,
      ATRIUM_PRIVATE_HOSTS: host,
      ...env,
    })
  const killed = await start()
  const call = async (url: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
    return (await (await fetch(url + path, init)).json()) as Record<string, never>
  }
  const outbox = async (url: string) => {
    const rows: Record<string, string | number>[] = (await call(url, '/api/notifications/outbox'))['outbox'] ?? []
    return rows.map(({ event, state, tries }) => `${event} ${state} ${tries}`)
  }
  await call(killed.url, '/api/notifications/ways', { kind: 'ntfy', url: `http://${host}/topic` })
  await call(killed.url, '/api/chat/send', { message: 'hello' })
  await until(() => waiting.length === 1)
  killed.signal('SIGKILL')
  await killed.ended
  const service = await start()
  t.after(() => service.stop())
  await until(() => waiting.length === 2)
  assert.deepEqual(await outbox(service.url), ['needs_you unknown 2'])
  waiting[1]?.writeHead(200).end()
  await until(async () => (await outbox(service.url))[0] === 'needs_you sent 2')
  assert.equal(waiting.length, 2)
})
