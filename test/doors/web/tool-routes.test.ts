// The routes of tools over an administration of fakes: who sees which, and what is told of each.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccessRow, ToolAdmin, ToolTrial, ToolView } from '#core/admin.ts'
import { operator, userId } from '#core/ids.ts'
import { toolRoutes } from '#doors/web/tool-routes.ts'

const plain: ToolView = {
  name: 'time',
  description: 'Tells the time.',
  source: 'built-in',
  enabled: true,
  schema: {},
  effects: 'read',
  verdict: { clean: 'allow', tainted: 'allow' },
  policy: [],
}
const access: AccessRow[] = [
  { kind: 'http', methods: ['GET'], host: 'a.example', path: '/' },
  { kind: 'secret', secret: 'token', hosts: ['a.example'], place: { type: 'bearer' } },
]
const actions = [
  { name: 'made_get', description: 'Gets.', schema: { type: 'object' }, context: { capability_id: 'get' } },
]
const made: ToolView = {
  ...plain,
  name: 'made',
  source: 'component',
  operatorOnly: true,
  about: { brief: 'Tells.', may: ['tell'], cannot: ['lie'] },
  access,
  capabilities: { version: '1' },
  actions,
  installedAt: Date.UTC(2026, 0, 31),
}
const shown = {
  ...plain,
  name: 'made',
  source: 'component',
  brief: 'Tells.',
  may: ['tell'],
  cannot: ['lie'],
  access,
  actions,
  installed_at: '2026-01-31T00:00:00.000Z',
  needs: 'sign_in',
}

type Request = { readonly user?: string; readonly params?: object; readonly body?: object }

/** Calls a route, and returns what it answers. */
async function call(admin: Partial<ToolAdmin>, which: string, { user, params = {}, body }: Request = {}) {
  const openSteps = (owner: string) =>
    Promise.resolve(new Map(owner === operator ? ([['made', 'sign_in']] as const) : []))
  const parts = { toolAdmin: admin as ToolAdmin, access: () => Promise.resolve({ openSteps }) }
  const row = toolRoutes(parts).find(({ method, path }) => `${method} ${path}` === which)
  const reply = { code: (status: number) => ({ send: () => status }) }
  const caller = { user: user === undefined ? operator : userId(user) }
  return row?.handle({ caller, params, query: {}, body } as never, reply as never)
}

test('a tool of the operator’s agent alone is in no other list, and its file in none', async () => {
  const list = () => Promise.resolve([plain, made])
  assert.deepEqual(await call({ list }, 'GET /api/tools'), { tools: [plain, shown] })
  assert.deepEqual(await call({ list }, 'GET /api/tools', { user: 'ada' }), { tools: [plain] })
})

test('a tool is switched and answered as it is then; one that is not there is not found', async () => {
  const set: unknown[] = []
  const enable = (name: string, enabled: boolean) => Promise.resolve((set.push([name, enabled]), name !== 'none'))
  const list = () => Promise.resolve([made, plain])
  const change = (name: string) =>
    call({ enable, list }, 'PATCH /api/tools/:name', { params: { name }, body: { enabled: false } })
  assert.deepEqual(await change('time'), plain)
  assert.deepEqual(set, [['time', false]])
  await assert.rejects(change('none'), { code: 'not_found' })
  await assert.rejects(change('gone'), { code: 'not_found' })
})

test('a tool is removed, or not found', async () => {
  const remove = (name: string) => Promise.resolve(name === 'made')
  const gone = (name: string) => call({ remove }, 'DELETE /api/tools/:name', { params: { name } })
  assert.equal(await gone('made'), 204)
  await assert.rejects(gone('none'), { code: 'not_found' })
})

test('a trial gets parameters and context as JSON, and tells all that happened', async () => {
  const trial: ToolTrial = {
    output: '1',
    error: null,
    logs: [{ level: 'info', message: 'x' }],
    requests: [{ method: 'GET', url: 'https://a.example/', status: 200 }],
    blocked: [{ method: 'GET', url: 'https://b.example/', reason: 'no' }],
  }
  const tried: unknown[] = []
  const run: ToolAdmin['test'] = (name, given) => {
    tried.push(given)
    return Promise.resolve(name === 'made' ? trial : undefined)
  }
  const test = (name: string, body: object) =>
    call({ test: run }, 'POST /api/tools/:name/test', { params: { name }, body })
  assert.deepEqual(await test('made', { params: { a: 1 }, context: { b: 2 } }), trial)
  assert.deepEqual(await test('made', {}), trial)
  assert.deepEqual(tried, [{ params: '{"a":1}', context: '{"b":2}' }, { params: '{}' }])
  await assert.rejects(test('none', {}), { code: 'not_found' })
})
