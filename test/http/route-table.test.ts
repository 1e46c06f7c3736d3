// The table of routes: which row a path finds, and when the routes of a door are loaded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRouteTable } from '#http/route-table.ts'
import type { Route } from '#http/routes.ts'

function row(method: Route['method'], path: string, who: Route['who'] = 'user'): Route {
  return { method, path, who, summary: '', handle: () => undefined }
}

const rows = [
  row('GET', '/'),
  row('GET', '/api/threads'),
  row('GET', '/api/threads/:id'),
  row('POST', '/api/threads/delete'),
  row('GET', '/api/threads/:id/gates/:gate'),
  row('GET', '/api/tools/:name'),
  row('POST', '/api/tools/:name/test'),
  row('GET', '/memory'),
  row('GET', '/memory/*'),
  row('GET', '/memory/:name/versions'),
]
const found: readonly [request: string, path: string | undefined, params?: Readonly<Record<string, string>>][] = [
  ['GET /', '/'],
  ['GET /api/threads', '/api/threads'],
  ['HEAD /api/threads', '/api/threads'],
  ['POST /api/threads', undefined],
  ['GET /api/threads/', undefined],
  ['GET /api/threads/a%20b', '/api/threads/:id', { id: 'a b' }],
  ['GET /api/threads/a%2Fb', '/api/threads/:id', { id: 'a/b' }],
  ['POST /api/threads/delete', '/api/threads/delete'],
  ['GET /api/threads/delete', '/api/threads/:id', { id: 'delete' }],
  ['GET /api/threads/1/gates/2', '/api/threads/:id/gates/:gate', { id: '1', gate: '2' }],
  ['GET /api/threads/1/gates', undefined],
  ['GET /api%2Fthreads', undefined],
  ['GET /%61pi/threads', '/api/threads'],
  ['GET /memory', '/memory'],
  ['GET /memory/', '/memory/*', { '*': '' }],
  ['GET /memory/a/b%20c', '/memory/*', { '*': 'a/b c' }],
  ['GET /memory/a/versions', '/memory/:name/versions', { name: 'a' }],
  ['GET /memory/a/versions/1', '/memory/*', { '*': 'a/versions/1' }],
  ['GET /constructor', undefined],
  ['PROPFIND /api/threads', undefined],
]
for (const [request, path, params = {}] of found) {
  test(`${request} finds ${path ?? 'nothing'}`, () => {
    const table = createRouteTable()
    table.add({ routes: rows })
    const [method = '', url = ''] = request.split(' ')
    const answer = table.find(method, url)
    assert.equal(answer?.route.path, path)
    if (answer) assert.deepEqual(answer.params, params)
  })
}

test('a path names its methods, and HEAD with GET', () => {
  const table = createRouteTable()
  table.add({ routes: rows })
  assert.deepEqual(table.methodsOf('/api/threads/delete'), ['GET', 'HEAD', 'POST'])
  assert.deepEqual(table.methodsOf('/nowhere'), [])
  table.add({ routes: [{ ...row('GET', '/refused'), refuses: true }, row('POST', '/refused')] })
  assert.deepEqual(table.methodsOf('/refused'), ['POST'])
})

test('the same method and path twice is a bug', () => {
  const table = createRouteTable()
  table.add({ routes: rows })
  assert.throws(() => table.add({ routes: [row('GET', '/api/tools/:other')] }), /mounted twice/)
})

test('a route has the limit of bodies that it says, else one by who may call it', () => {
  const table = createRouteTable()
  const large = { ...row('POST', '/large', 'anyone'), maxBodyBytes: 1_000_000 }
  table.add({ routes: [large, row('POST', '/anyone', 'anyone'), row('POST', '/user')] })
  const limits = ['/large', '/anyone', '/user'].map((path) => table.find('POST', path)?.maxBodyBytes)
  assert.deepEqual(limits, [1_000_000, 16 * 1024, 64 * 1024])
})

test('errors have the shape of the nearest prefix, with or without a route', () => {
  const table = createRouteTable()
  const faultBody = () => ({ own: true })
  table.add({ routes: [row('GET', '/things')], prefixes: ['/v1', '/api/v1'], faultBody })
  table.add({ routes: [row('GET', '/api/other')] })
  for (const path of ['/v1', '/v1/things', '/api/v1/nowhere']) assert.equal(table.faultBodyOf(path), faultBody, path)
  for (const path of ['/', '/v10', '/api/other', '/api']) assert.equal(table.faultBodyOf(path), undefined, path)
})

test('errors have the shape of a door that is not loaded yet', () => {
  const table = createRouteTable()
  const faultBody = () => ({ own: true })
  const load = () => Promise.reject(new Error('was loaded'))
  table.addLater(['/api', '/ws'], load)
  table.addLater(['/v1', '/api/v1'], load, faultBody)
  for (const path of ['/v1', '/v1/things', '/api/v1/nowhere']) assert.equal(table.faultBodyOf(path), faultBody, path)
  for (const path of ['/', '/api', '/api/other', '/ws']) assert.equal(table.faultBodyOf(path), undefined, path)
})

test('the routes of a door are loaded once, by the first request to its prefix', async () => {
  const table = createRouteTable()
  const loaded: string[] = []
  const door = (name: string, prefixes: readonly string[]) =>
    table.addLater(prefixes, () => {
      loaded.push(name)
      return Promise.resolve(() => [{ prefixes, routes: [row('GET', '/things')] }])
    })
  table.add({ routes: [row('GET', '/api/health')] })
  door('web', ['/api', '/ws'])
  door('v1', ['/api/v1', '/v1'])
  assert.equal(await table.load('/elsewhere'), false)
  assert.deepEqual(loaded, [])
  assert.equal(table.find('GET', '/v1/things'), undefined)
  assert.deepEqual(await Promise.all([table.load('/v1/things'), table.load('/api/v1/nowhere')]), [true, true])
  assert.equal(table.find('GET', '/api/v1/things')?.route.path, '/api/v1/things')
  assert.equal(await table.load('/v1/things'), false)
  assert.deepEqual(loaded, ['v1'])
  assert.equal(await table.load('/api/v10'), true)
  assert.deepEqual(loaded, ['v1', 'web'])
})

test('a door is loaded, made and served in different turns of the event loop', async () => {
  const table = createRouteTable()
  let turn = 0
  let ticking = setImmediate(function tick() {
    turn++
    ticking = setImmediate(tick)
  })
  const turns: number[] = []
  table.addLater(['/api'], () => {
    turns.push(turn)
    return Promise.resolve(() => {
      turns.push(turn)
      return [{ routes: rows.slice(1, 2) }]
    })
  })
  await table.load('/api/threads')
  turns.push(turn)
  clearImmediate(ticking)
  assert.deepEqual([turns.length, new Set(turns).size], [3, 3])
})

test('a load that failed is tried again by the next request', async () => {
  const table = createRouteTable()
  let fault: Error | undefined = new Error('no file')
  table.addLater(['/api'], () =>
    fault ? Promise.reject(fault) : Promise.resolve(() => [{ routes: rows.slice(1, 2) }]),
  )
  await assert.rejects(table.load('/api/threads'), /no file/)
  fault = undefined
  assert.equal(await table.load('/api/threads'), true)
  assert.equal(table.find('GET', '/api/threads')?.route.path, '/api/threads')
})

test('all routes are named, those of doors that no request has loaded too', async () => {
  const table = createRouteTable()
  table.add({ routes: [row('GET', '/api/health')] })
  table.addLater(['/v1'], () => Promise.resolve(() => [{ prefixes: ['/v1'], routes: [row('GET', '/things')] }]))
  assert.deepEqual(
    (await table.routes()).map(({ path }) => path),
    ['/api/health', '/v1/things'],
  )
})
