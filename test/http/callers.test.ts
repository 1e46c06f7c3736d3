// Every route by every caller: a stranger, two users, the operator; by bearer token and by cookie. A route without a row fails.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hexOf } from '#core/ids.ts'
import { openHouse, operatorToken } from '../doors/web/house.ts'

/** What Ada, whose things the paths name, gets; then Bob; then the operator. One number stands for all three. */
type Row = { readonly all: number | readonly [ada: number, bob: number, operator: number]; readonly body?: unknown }

/** In the order in which they are tried: what erases comes last. */
const table: Readonly<Record<string, Row>> = {
  'GET /api/health': { all: 200 },
  'GET /api/ready': { all: 200 },
  'POST /api/login': { all: 400, body: {} },
  'GET /metrics': { all: [403, 403, 200] },
  'GET /api/session': { all: 200 },
  'GET /api/status': { all: 200 },
  'GET /api/usage': { all: 200 },
  'GET /api/openapi.json': { all: 200 },
  'POST /api/chat': { all: 200, body: { message: 'hi' } },
  'POST /api/chat/send': { all: 202, body: { message: 'hi' } },
  'GET /api/chat/ws': { all: 426 },
  'GET /ws': { all: 426 },
  'GET /api/jobs': { all: 200 },
  'GET /api/jobs/:id': { all: [200, 404, 404] },
  'POST /api/jobs/:id/cancel': { all: [200, 404, 404] },
  'GET /api/threads': { all: 200 },
  'GET /api/threads/:id': { all: [200, 404, 404] },
  'PATCH /api/threads/:id': { all: [200, 404, 404], body: { title: 'A' } },
  'POST /api/threads/delete': { all: 200, body: { ids: ['0197a000-0000-7000-8000-000000000000'] } },
  'GET /api/threads/:id/find': { all: [200, 404, 404] },
  'GET /api/threads/:id/export': { all: [200, 404, 404] },
  'POST /api/threads/import': { all: 201, body: { format: 'atrium-thread', version: 1, title: 'A', items: [] } },
  'POST /api/threads/:id/fork': { all: [201, 404, 404], body: { before_seq: 1 } },
  'PATCH /api/threads/:id/queued/:turn': { all: [409, 404, 404], body: { message: 'x' } },
  'DELETE /api/threads/:id/queued/:turn': { all: [409, 404, 404] },
  'POST /api/threads/:id/stop': { all: [200, 404, 404] },
  'GET /api/models': { all: 200 },
  'GET /api/gates': { all: 200 },
  'GET /api/gates/answered': { all: 200 },
  'POST /api/threads/:id/gates/:gate': { all: 404, body: { action: 'deny' } },
  'GET /api/grants': { all: 200 },
  'DELETE /api/grants/:id': { all: 404 },
  'GET /api/turns/:id/receipt': { all: [200, 404, 404] },
  'GET /api/memory': { all: 200 },
  'GET /api/memory/documents/*': { all: [200, 404, 404] },
  'GET /api/memory/history/*': { all: [200, 404, 404] },
  'POST /api/memory/history/*': { all: 404, body: { revision: 1 } },
  'PUT /api/memory/documents/*': { all: [200, 201, 201], body: { content: 'x' } },
  'DELETE /api/memory/documents/*': { all: 204 },
  'GET /api/missions': { all: 200 },
  'POST /api/missions': { all: 400, body: { prompt: 'x', schedule: 'never' } },
  'POST /api/missions/preview': { all: 200, body: { schedule: '@daily' } },
  'GET /api/missions/:id': { all: [200, 404, 404] },
  'PATCH /api/missions/:id': { all: [200, 404, 404], body: { title: 'Other' } },
  'POST /api/missions/:id/run': { all: 404 },
  'GET /api/missions/:id/runs': { all: [200, 404, 404] },
  'DELETE /api/missions/:id': { all: [204, 404, 404] },
  'GET /api/notifications': { all: 200 },
  'PATCH /api/notifications': { all: 200, body: { quiet: null } },
  'POST /api/notifications/ways': { all: 400, body: { kind: 'fax' } },
  'PATCH /api/notifications/ways/:id': { all: [200, 404, 404], body: { content: true } },
  'POST /api/notifications/ways/:id/test': { all: [200, 404, 404] },
  'DELETE /api/notifications/ways/:id': { all: [204, 404, 404] },
  'GET /api/notifications/outbox': { all: 200 },
  'GET /api/me': { all: 200 },
  'PATCH /api/me': { all: 200, body: { zone: 'UTC' } },
  'GET /api/tools': { all: 200 },
  'DELETE /api/tools/:name': { all: [403, 403, 404] },
  'PATCH /api/tools/:name': { all: [403, 403, 404], body: { enabled: true } },
  'POST /api/tools/:name/test': { all: [403, 403, 404], body: {} },
  'GET /api/tools/:name/auth': { all: 404 },
  'POST /api/tools/:name/auth': { all: 404, body: {} },
  'POST /api/tools/:name/setup': { all: 404, body: {} },
  'DELETE /api/tools/:name/secrets/:secret': { all: 404 },
  'GET /api/tools/oauth/callback': { all: 400 },
  'GET /api/mcp': { all: [403, 403, 200] },
  'POST /api/mcp': { all: [403, 403, 400], body: {} },
  'DELETE /api/mcp/:name': { all: [403, 403, 404] },
  'PATCH /api/mcp/:name/tools/:tool': { all: [403, 403, 404], body: { effect: 'off' } },
  'POST /api/mcp/:name/review': { all: [403, 403, 404], body: {} },
  'POST /api/mcp/:name/test': { all: [403, 403, 404], body: {} },
  'POST /api/mcp/:name/auth': { all: [403, 403, 400], body: {} },
  'GET /api/mcp/oauth/callback': { all: 400 },
  'GET /api/skills': { all: 200 },
  'POST /api/skills': { all: 415, body: {} },
  'GET /api/skills/:name': { all: 404 },
  'PATCH /api/skills/:name': { all: 404, body: { enabled: true } },
  'POST /api/skills/:name/review': { all: 404, body: {} },
  'DELETE /api/skills/:name': { all: 404 },
  'GET /api/senders': { all: [403, 403, 200] },
  'GET /api/shares': { all: 200 },
  'GET /api/settings': { all: [403, 403, 200] },
  'PATCH /api/settings': { all: [403, 403, 200], body: {} },
  'POST /api/settings/test': { all: [403, 403, 200] },
  'POST /api/settings/connection/test': { all: [403, 403, 400], body: {} },
  'POST /api/settings/connection/models': { all: [403, 403, 200], body: { provider: 'ollama' } },
  'GET /api/users': { all: [403, 403, 200] },
  'POST /api/users': { all: [403, 403, 400], body: {} },
  'GET /api/users/:name/tokens': { all: [403, 403, 200] },
  'POST /api/users/:name/tokens': { all: [403, 403, 201], body: {} },
  'DELETE /api/users/:name/tokens/:id': { all: [403, 403, 404] },
  ...responses('/api/v1'),
  ...responses('/v1'),
  'DELETE /api/v1/responses/:id': { all: [200, 404, 404] },
  'DELETE /v1/responses/:id': { all: 404 },
  'DELETE /api/threads/:id': { all: [204, 404, 404] },
  'DELETE /api/v1/conversations/:id': { all: 404 },
  'DELETE /v1/conversations/:id': { all: 404 },
  'DELETE /api/users/:name': { all: [403, 403, 200] },
  'POST /api/logout': { all: 204 },
}

function responses(prefix: string): Record<string, Row> {
  return {
    [`POST ${prefix}/responses`]: { all: 200, body: { model: 'm', input: 'hi' } },
    [`POST ${prefix}/chat/completions`]: {
      all: 200,
      body: { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
    },
    [`POST ${prefix}/responses/compact`]: { all: 400, body: { model: 'm' } },
    [`GET ${prefix}/responses`]: { all: 405 },
    [`POST ${prefix}/responses/input_tokens`]: { all: 200, body: { model: 'm', input: 'hi' } },
    [`GET ${prefix}/responses/:id`]: { all: [200, 404, 404] },
    [`POST ${prefix}/responses/:id/cancel`]: { all: [200, 404, 404] },
    [`GET ${prefix}/responses/:id/input_items`]: { all: [200, 404, 404] },
    [`POST ${prefix}/conversations`]: { all: 200, body: {} },
    [`GET ${prefix}/conversations/:id`]: { all: [200, 404, 404] },
    [`POST ${prefix}/conversations/:id`]: { all: [200, 404, 404], body: { metadata: {} } },
    [`GET ${prefix}/conversations/:id/items`]: { all: [200, 404, 404] },
    [`POST ${prefix}/conversations/:id/items`]: {
      all: [200, 404, 404],
      body: { items: [{ role: 'user', content: 'hi' }] },
    },
    [`GET ${prefix}/conversations/:id/items/:item`]: { all: 404 },
    [`DELETE ${prefix}/conversations/:id/items/:item`]: { all: 404 },
    [`GET ${prefix}/models`]: { all: 200 },
    [`GET ${prefix}/models/*`]: { all: 404 },
  }
}

test('every route answers each caller as the table says, by token and by cookie', async (t) => {
  const { gateway, call, addUser } = await openHouse(t)
  const named = (await gateway.routes()).map(({ method, path }) => `${method} ${path}`)
  assert.deepEqual(named.toSorted(), Object.keys(table).toSorted(), 'each route has a row, each row a route')
  const [ada, bob] = [await addUser('ada'), await addUser('bob')]
  const { thread_id, turn_id } = (await call('POST', '/api/chat', { token: ada, body: { message: 'hello' } })).json
  await call('PUT', '/api/memory/documents/note.md', { token: ada, body: { content: 'mine' } })
  const planned = { prompt: 'x', schedule: '@daily' }
  const mission = (await call('POST', '/api/missions', { token: ada, body: planned })).json
  const topic = { kind: 'ntfy', url: 'https://ntfy.test/topic' }
  const way = (await call('POST', '/api/notifications/ways', { token: ada, body: topic })).json
  const pathOf = (path: string): string => {
    if (path.includes('/responses/')) return path.replace(':id', `resp_${hexOf(turn_id)}${hexOf(thread_id)}`)
    if (path.includes('/conversations/')) return path.replace(':id', `conv_${thread_id}`)
    if (path.endsWith('/missions/:id/run')) return path.replace(':id', thread_id)
    if (path.endsWith('/find')) return `${path.replace(':id', thread_id)}?q=hello`
    if (path.includes('/ways/')) return path.replace(':id', way.id)
    const id = path.includes('/threads/') ? thread_id : path.includes('/missions/') ? mission.id : turn_id
    return path
      .replace(':id', id)
      .replace(':gate', 'call_x')
      .replace(':turn', turn_id)
      .replace(':name', 'eve')
      .replace('*', 'note.md')
  }
  const cookieOf = async (token: string): Promise<string> => {
    const answer = await call('POST', '/api/login', { token: null, body: { token } })
    return answer.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  }
  await addUser('eve')
  const [adas, bobs] = [{ cookie: await cookieOf(ada) }, { cookie: await cookieOf(bob) }]
  const open = ['/api/health', '/api/ready', '/api/login', '/api/tools/oauth/callback', '/api/mcp/oauth/callback']
  for (const [route, { all, body }] of Object.entries(table)) {
    const [method = '', path = ''] = route.split(' ')
    const url = pathOf(path)
    const given = body === undefined ? {} : { body }
    const [own, foreign, operator] = typeof all === 'number' ? [all, all, all] : all
    if (!open.includes(path)) {
      assert.equal((await call(method, url, { token: null, ...given })).status, 401, `${route}: a stranger`)
      const forged = { cookie: 'atrium_session=x' }
      assert.equal(
        (await call(method, url, { token: null, headers: forged, ...given })).status,
        401,
        `${route}: a forged cookie`,
      )
      const elsewhere = { ...adas, origin: 'http://evil.example' }
      const misled = await call(method, url, { token: null, headers: elsewhere, ...given })
      if (method !== 'GET') assert.equal(misled.status, 403, `${route}: a page elsewhere`)
    }
    assert.equal(
      (await call(method, url, { token: null, headers: bobs, ...given })).status,
      foreign,
      `${route}: Bob by cookie`,
    )
    // What Bob's cookie made, his token finds there.
    const again = foreign === 201 && method === 'PUT' ? 200 : route.startsWith('DELETE /api/memory') ? 404 : foreign
    assert.equal((await call(method, url, { token: bob, ...given })).status, again, `${route}: Bob`)
    assert.equal(
      (await call(method, url, { token: operatorToken, ...given })).status,
      operator,
      `${route}: the operator`,
    )
    assert.equal((await call(method, url, { token: ada, ...given })).status, own, `${route}: Ada`)
  }
})
