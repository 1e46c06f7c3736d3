// How many rows each list has, unless asked and at most; and how large the bodies of routes may be.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '#core/ids.ts'
import { chatRoutes } from '#doors/web/chat-routes.ts'
import { jobRoutes } from '#doors/web/job-routes.ts'
import { mcpRoutes } from '#doors/web/mcp-routes.ts'
import { memoryRoutes } from '#doors/web/memory-routes.ts'
import { missionRoutes } from '#doors/web/mission-routes.ts'
import { notificationRoutes } from '#doors/web/notification-routes.ts'
import { queueRoutes } from '#doors/web/queue-routes.ts'
import { skillUpload } from '#doors/web/skill-routes.ts'
import { threadFileRoutes } from '#doors/web/thread-file-routes.ts'
import { threadRoutes } from '#doors/web/thread-routes.ts'
import { toolRoutes } from '#doors/web/tool-routes.ts'
import { usageRoutes } from '#doors/web/usage-routes.ts'
import { defaultMaxBodyBytes } from '#http/body.ts'
import type { Route } from '#http/routes.ts'

type Asked = { readonly limit?: number; readonly maxBytes?: number }
/** What the parts of a door are asked for. */
let asked: unknown[] = []
const ask = (answer: unknown) => (_user: unknown, second: unknown, third?: unknown) => {
  asked.push(third ?? second)
  return Promise.resolve(answer)
}
const noRows = ask({ rows: [] })
const thread = { id: newId(), title: '', createdAt: 0, updatedAt: 0, lastSeq: 0, state: 'idle' }
const entries = ask({ entries: [] })
const conversation = () => Promise.resolve({ variants: [] })
const get = () => Promise.resolve(thread)
const threads = { list: noRows, search: ask([]), get, queued: ask([]), entries, conversation }

function rowsOf(): Route[] {
  const parts = {
    turns: { list: noRows },
    threads,
    documents: { list: ask([]), search: ask([]) },
    missions: () => Promise.resolve({ runs: noRows }),
    notifications: () => Promise.resolve({ outbox: noRows }),
    usage: { list: (_: unknown, days: number) => ask([])(undefined, { limit: days }) },
    accounts: {},
  } as never
  return [jobRoutes, missionRoutes, notificationRoutes, memoryRoutes, threadRoutes, usageRoutes].flatMap((make) =>
    make(parts),
  )
}

/** Calls a route with a query, and returns what it asked for. */
async function askedBy(path: string, query: Readonly<Record<string, string>>): Promise<Asked[]> {
  asked = []
  const row = rowsOf().find((each) => each.method === 'GET' && each.path === path)
  const request = { caller: { user: 'ada' }, params: { id: newId() }, query }
  await row?.handle(request as never, {} as never)
  return asked as Asked[]
}

for (const [path, few, most, query = {}, name = 'limit'] of [
  ['/api/jobs', 20, 100],
  ['/api/missions/:id/runs', 20, 100],
  ['/api/notifications/outbox', 50, 200],
  // One more, to know whether there is a next page.
  ['/api/memory', 11, 101],
  ['/api/memory', 10, 100, { q: 'words' }],
  ['/api/threads', 50, 200],
  ['/api/threads', 50, 50, { q: 'words' }],
  ['/api/usage', 30, 366, {}, 'days'],
] as const) {
  test(`${path}?${new URLSearchParams(query).toString()} has ${few} rows, and at most ${most}`, async () => {
    const limits = async (more: object) => (await askedBy(path, { ...query, ...more })).map(({ limit }) => limit)
    assert.deepEqual([await limits({}), await limits({ [name]: '9999' })], [[few], [most]])
  })
}

test('a page of a thread has 200 items, at most 500 and 4 MiB, and 50 queued messages of 1 MiB', async () => {
  const queued = { limit: 50, maxBytes: 1_048_576 }
  const page = (limit: number) => ({ after: 0, limit, maxBytes: 4_194_304 })
  assert.deepEqual(await askedBy('/api/threads/:id', {}), [queued, page(200)])
  assert.deepEqual(await askedBy('/api/threads/:id', { limit: '9999' }), [queued, page(500)])
})

test('a hundred threads are deleted at once, and one more is refused', async () => {
  const removeAll = (_user: unknown, ids: readonly string[]) => Promise.resolve(ids.length)
  const row = threadRoutes({ threads: { removeAll } as never }).find(({ path }) => path === '/api/threads/delete')
  const remove = async (count: number) => {
    const body = { ids: Array.from({ length: count }, newId) }
    return row?.handle({ caller: { user: 'ada' }, params: {}, query: {}, body } as never, {} as never)
  }
  assert.deepEqual([await remove(1), await remove(100)], [{ deleted: 1 }, { deleted: 100 }])
  for (const count of [0, 101]) await assert.rejects(remove(count), { code: 'invalid_input', param: 'ids' })
})

test('a body has 64 KB, and more only where files, documents and messages are sent', () => {
  assert.equal(defaultMaxBodyBytes, 65_536)
  const parts = {} as never
  const routes = [chatRoutes, queueRoutes, memoryRoutes, mcpRoutes, toolRoutes, threadFileRoutes, threadRoutes]
  const rows = [...routes.flatMap((make) => make(parts)), ...skillUpload(parts).routes]
  const mib = 1_048_576
  const large = rows.flatMap(({ method, path, maxBodyBytes: bytes }) =>
    bytes === undefined ? [] : [[`${method} ${path}`, bytes / mib]],
  )
  assert.deepEqual(Object.fromEntries(large), {
    'POST /api/chat': 14,
    'POST /api/chat/send': 14,
    'PATCH /api/threads/:id/queued/:turn': 14,
    'PUT /api/memory/documents/*': 14,
    'POST /api/mcp/:name/test': 14,
    'POST /api/tools/:name/test': 14,
    'POST /api/threads/import': 14,
    'POST /api/skills': 14,
  })
})
