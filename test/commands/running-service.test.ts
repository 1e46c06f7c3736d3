// How commands find the service that runs on their home.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { atrium } from '../atrium.ts'
import { newHome } from '../new-home.ts'

test('a service that runs and cannot tell its status is not taken for none', async (t) => {
  const { path: home, remove } = newHome()
  t.after(remove)
  const service = createServer((_request, response) => {
    response.writeHead(503).end('{"error":{"code":"database_unavailable","message":"the database is away"}}')
  })
  t.after(() => service.close())
  await new Promise<void>((resolve) => service.listen(join(home, 'socket'), resolve))
  const { code, stdout, stderr } = await atrium(home, ['status'])
  assert.deepEqual([code, stdout], [1, ''])
  assert.equal(stderr, `error: a service runs on ${home}, but cannot tell its status: the database is away\n`)
})
