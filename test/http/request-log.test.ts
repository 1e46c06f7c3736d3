// A line in the log for each request, under the id that its caller was told.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { logRequests } from '#http/request-log.ts'
import { reportFault } from '#http/reply.ts'
import { createServer } from '#lib/http.ts'
import { logTo } from '#lib/log.ts'
import { until } from '../until.ts'

type Line = Record<string, unknown>

async function openServer(t: TestContext) {
  const lines: Line[] = []
  const { promise: held, resolve: hold } = Promise.withResolvers<void>()
  const log = logTo((level, fields, msg) => lines.push({ level, msg, ...fields }), 'debug')
  const server = createServer((request, response) => {
    if (request.url === '/fault') reportFault(new AppError('database_unavailable', 'away'), request, log)
    if (request.url === '/held') hold()
    else response.writeHead(201).end()
  })
  logRequests(server, 'test', log)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as { port: number }
  const line = async (count: number): Promise<Line[]> => {
    await until(() => lines.length >= count)
    return lines
  }
  return { url: `http://127.0.0.1:${port}`, line, held }
}

test('each request has an id of its own, and a line without its query', async (t) => {
  const { url, line } = await openServer(t)
  const headers = { connection: 'close', 'x-request-id': 'of-the-caller' }
  const first = await fetch(`${url}/a?token=secret`, { headers })
  const second = await fetch(`${url}/${'b'.repeat(500)}`, { method: 'POST', headers })
  const lines = await line(2)
  const { ms, ...told } = lines[0] ?? {}
  assert.deepEqual(told, {
    level: 'info',
    msg: 'request',
    request: first.headers.get('x-request-id'),
    door: 'test',
    method: 'GET',
    path: '/a',
    status: 201,
  })
  assert.equal(typeof ms, 'number')
  assert.equal(String(lines[1]?.['path']).length, 200)
  assert.notEqual(first.headers.get('x-request-id'), second.headers.get('x-request-id'))
  assert.match(first.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
})

test('what went wrong is logged under the same id', async (t) => {
  const { url, line } = await openServer(t)
  await fetch(`${url}/fault`, { headers: { connection: 'close' } })
  const [fault, request] = await line(2)
  assert.equal(fault?.['msg'], 'request failed')
  assert.equal(fault?.['request'], request?.['request'])
})

test('a request that is given up has its line too', async (t) => {
  const { url, line, held } = await openServer(t)
  const leaving = new AbortController()
  const asked = fetch(`${url}/held`, { signal: leaving.signal })
  await held
  leaving.abort()
  await assert.rejects(asked)
  const [told] = await line(1)
  assert.deepEqual([told?.['cut'], told?.['status']], [true, 0])
})

test('what machines ask every few seconds is no news', async (t) => {
  const { url, line } = await openServer(t)
  await fetch(`${url}/api/health`, { headers: { connection: 'close' } })
  assert.equal((await line(1))[0]?.['level'], 'debug')
})
