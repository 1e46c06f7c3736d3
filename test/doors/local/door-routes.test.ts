// The routes of the local door: what each of them calls, with which arguments, and what it answers.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { type TestContext, test } from 'node:test'
import { callService } from '#commands/service-client.ts'
import { AppError } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import { type LocalParts, openLocalDoor } from '#doors/local/door.ts'
import { findSocket, takeSocket } from '#home/socket.ts'
import { silentLog } from '#lib/log.ts'
import { newHome } from '../../new-home.ts'
import { until } from '../../until.ts'
import { type Called, fakeParts } from './parts.ts'

async function openDoor(t: TestContext, parts: Partial<LocalParts> = {}) {
  const home = newHome()
  const called: Called[] = []
  const door = await openLocalDoor(fakeParts({ socket: takeSocket(home.path), ...parts }, called))
  t.after(async () => {
    await door.close(0)
    home.remove()
  })
  const socket = findSocket(home.path) ?? ''
  const post = (path: string, body: object) => callService(socket, { method: 'POST', path, body })
  return { door, called, socket, post }
}

const pruned = { threads: 0, turns: 0, items: 0 }
const secret = { tool: 'mail', secret: 'token', owner: operator, by: 'operator' }
const cases: readonly (readonly [what: string, path: string, body: object, called: Called, answer: unknown])[] = [
  ['threads before a day', '/prune', { before: 7 }, ['prune', { before: 7, dryRun: false }], pruned],
  ['a count alone', '/prune', { before: 7, dryRun: true }, ['prune', { before: 7, dryRun: true }], pruned],
  ['no flag but true', '/prune', { before: 7, dryRun: 'yes' }, ['prune', { before: 7, dryRun: false }], pruned],
  [
    'the next part',
    '/prune',
    { before: 7, next: { user: 'u', archived: true, turn: 't' } },
    ['prune', { before: 7, dryRun: false, next: { user: 'u', archived: true, turn: 't' } }],
    pruned,
  ],
  [
    'the next part, of threads that are not archived',
    '/prune',
    { before: 7, next: { user: 'u', turn: 't' } },
    ['prune', { before: 7, dryRun: false, next: { user: 'u', archived: false, turn: 't' } }],
    pruned,
  ],
  ['a secret of a tool', '/signed-in', { tool: 'mail', secret: 'token' }, ['signedIn', secret], { closed: 2 }],
  [
    'a secret of a server',
    '/signed-in',
    { tool: 'mail', secret: 'token', of: 'mcp' },
    ['signedIn', { ...secret, of: 'mcp' }],
    { closed: 2 },
  ],
  ['a grant', '/grants/remove', { id: 'g' }, ['revoke', operator, 'g'], { removed: 'g' }],
]

for (const [what, path, body, expected, answer] of cases) {
  test(`POST ${path} passes on ${what}`, async (t) => {
    const { called, post } = await openDoor(t)
    assert.deepEqual(await post(path, body), answer)
    assert.deepEqual(called, [expected])
  })
}

const faults: readonly (readonly [path: string, body: object, says: RegExp])[] = [
  ['/prune', null as never, /before must be a number/],
  ['/prune', {}, /before must be a number/],
  ['/prune', { before: '7' }, /before must be a number/],
  ['/prune', { before: 7, next: { user: 'u' } }, /turn must be a string/],
  ['/signed-in', { tool: 'mail' }, /secret must be a string/],
  ['/grants/remove', {}, /id must be a string/],
  ['/users/remove', {}, /name must be a string/],
  ['/model', { settings: 'x' }, /settings must be an object/],
  ['/login', {}, /the web gateway is off/],
]

for (const [path, body, says] of faults) {
  test(`POST ${path} refuses ${JSON.stringify(body)}`, async (t) => {
    const { called, post } = await openDoor(t)
    const code = path === '/login' ? 'not_found' : 'invalid_input'
    await assert.rejects(post(path, body), { code, message: says })
    assert.deepEqual(
      called.filter(([verb]) => verb !== 'loginLink'),
      [],
    )
  })
}

test('a grant and a user that are not there cannot be removed', async (t) => {
  const gates = { signedIn: () => Promise.resolve(0), revoke: () => Promise.resolve(false) }
  const { post } = await openDoor(t, { gates })
  await assert.rejects(post('/grants/remove', { id: 'g' }), { code: 'not_found' })
  await assert.rejects(post('/users/remove', { name: 'ada' }), { code: 'not_found' })
})

test('a request may be as long as a message with escaped files is', async (t) => {
  const { called, post } = await openDoor(t)
  await post('/operator/memory', { query: 'q', padding: 'x'.repeat(8 * 1024 * 1024) })
  assert.deepEqual(called, [['memory', 'q']])
})

test('the socket is for its owner alone', async (t) => {
  const { socket } = await openDoor(t)
  assert.equal(statSync(socket).mode & 0o777, 0o600)
})

test('the sign-in link is given while there is a gateway', async (t) => {
  const { post } = await openDoor(t, { loginLink: () => Promise.resolve('http://127.0.0.1:1/login') })
  assert.deepEqual(await post('/login', {}), { link: 'http://127.0.0.1:1/login' })
})

test('the model is changed, with force only where it is asked for, and told as it is then', async (t) => {
  const changes: unknown[] = []
  const model = { provider: 'p', model: 'm' }
  const settings = {
    change: (...given: readonly unknown[]) => Promise.resolve(void changes.push(given)),
    read: () => Promise.resolve({ model }),
  } as unknown as LocalParts['settings']
  const { post } = await openDoor(t, { settings })
  assert.deepEqual(await post('/model', { settings: { model: 'm' } }), model)
  await post('/model', { settings: { model: 'n' }, force: true })
  assert.deepEqual(changes, [
    [{ model: 'm' }, { force: false, keyMoves: true }],
    [{ model: 'n' }, { force: true, keyMoves: true }],
  ])
})

test('the model in use is told and tested', async (t) => {
  const view = { model: { provider: 'openai' }, models: [{ name: 'gpt-5.4' }], providers: [{ name: 'openai' }] }
  const settings = {
    read: () => Promise.resolve({ ...view, limits: {} }),
    tryModel: () => Promise.resolve({ words: 'ready' }),
  } as unknown as LocalParts['settings']
  const { socket, post } = await openDoor(t, { settings })
  assert.deepEqual(await callService(socket, { method: 'GET', path: '/model' }), view)
  assert.deepEqual(await post('/model/test', {}), { words: 'ready' })
})

/** More batches than the buffers of a socket hold. */
const manyBatches = 2_000

/** A client whose thread goes on for long, and is told as quickly as it is taken. */
function endless(told: { batches: number; ended: boolean }): LocalParts['client'] {
  async function* watch() {
    try {
      for (; told.batches < manyBatches; told.batches++) {
        await new Promise(setImmediate)
        yield [{ type: 'text', text: 'x'.repeat(64 * 1024) }]
      }
    } finally {
      told.ended = true
    }
  }
  return { watch } as unknown as LocalParts['client']
}

async function openStream(socket: string): Promise<IncomingMessage> {
  const sent = request({ socketPath: socket, method: 'POST', path: '/operator/watch', agent: false })
  sent.on('error', () => {})
  sent.end(JSON.stringify({ threadId: 't', after: 0 }))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return response.on('error', () => {})
}

test('a stream waits for a reader that is slow, and ends with one that leaves', async (t) => {
  const told = { batches: 0, ended: false }
  const { socket } = await openDoor(t, { client: endless(told) })
  const response = await openStream(socket)
  assert.deepEqual([response.statusCode, response.headers['content-type']], [200, 'application/x-ndjson'])
  // Nobody reads: only what the buffers of the socket hold is told.
  let before = -1
  await until(() => {
    const rests = told.batches === before
    before = told.batches
    return rests
  })
  const rested = told.batches
  response.on('data', () => {})
  await until(() => told.batches > rested + 10)
  response.destroy()
  await until(() => told.ended)
  assert(told.batches < manyBatches)
})

test('a fault in the middle of a stream ends the connection, since the status is out', async (t) => {
  const begun = Promise.withResolvers<void>()
  async function* watch() {
    yield [{ type: 'text', text: 'x' }]
    await begun.promise
    throw new Error('the store is away')
  }
  const { socket } = await openDoor(t, { client: { watch } as unknown as LocalParts['client'] })
  const response = await openStream(socket)
  response.resume()
  begun.resolve()
  await assert.rejects(once(response, 'end'), /aborted/)
})

test('a fault of the service is logged, and told without its words; one of the caller is told alone', async (t) => {
  const logged: unknown[] = []
  const { post, socket } = await openDoor(t, {
    reload: () => Promise.reject(new Error('a secret')),
    log: { ...silentLog, error: (fields) => void logged.push(fields) },
  })
  const sent = request({ socketPath: socket, method: 'GET', path: '/nothing', agent: false }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  assert.deepEqual([response.statusCode, response.headers['content-type']], [404, 'application/json'])
  assert.equal(logged.length, 0)
  await assert.rejects(post('/reload', {}), (error: Error & { code?: string }) => {
    assert.equal(error.code, 'internal')
    assert.doesNotMatch(error.message, /secret/)
    return true
  })
  assert.equal(logged.length, 1)
})

test('faults of the disk keep the words that say how to mend them', async (t) => {
  const words = 'the disk is full: nothing was stored; free some space and try again'
  const loginLink = (): Promise<never> => Promise.reject(new AppError('disk_full', words))
  const { post } = await openDoor(t, { loginLink })
  await assert.rejects(post('/login', {}), { code: 'disk_full', message: words })
})
