// The local door over its real socket: every verb, what is too much.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { serviceClient } from '#commands/service-client.ts'
import { operator } from '#core/ids.ts'
import { openLocalDoor } from '#doors/local/door.ts'
import { findSocket, takeSocket } from '#home/socket.ts'
import { silentLog } from '#lib/log.ts'
import { type ChatEvent, sendMessage } from '#turns/exchange.ts'
import type { OutgoingMessage } from '#turns/operator-client.ts'
import { newHome } from '../../new-home.ts'
import { type HouseParts, createHeldReply, message, openHouse } from '../../turns/house.ts'
import { until } from '../../until.ts'
import { noSettings, operatorClientOf } from './client.ts'

type Answer = { readonly status: number; readonly lines: Record<string, unknown>[] }

async function openDoor(t: TestContext, parts: HouseParts = {}) {
  const home = newHome()
  const house = openHouse(t, parts)
  let reloads = 0
  const door = await openLocalDoor({
    socket: takeSocket(home.path),
    turns: house.turns,
    gates: house.gates,
    client: operatorClientOf(house),
    status: () => Promise.resolve({ status: 'ok', pid: 7 }),
    loginLink: () => Promise.resolve('http://127.0.0.1:1/login#code=c'),
    reload: async () => void (await Promise.resolve(reloads++)),
    settings: noSettings,
    log: silentLog,
  })
  t.after(async () => {
    await door.close(0)
    home.remove()
  })
  const socket = findSocket(home.path) ?? ''
  const call = (method: string, path: string, body?: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request({ socketPath: socket, method, path, agent: false }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.on('end', () => {
          const lines = text.split('\n').filter(Boolean)
          resolve({ status: response.statusCode ?? 0, lines: lines.map((line) => JSON.parse(line)) })
        })
      })
      sent.on('error', reject)
      sent.end(body)
    })
  const say = (message: string, more: Partial<OutgoingMessage> = {}): Promise<ChatEvent[]> =>
    Array.fromAsync(sendMessage(serviceClient(home.path), { message, door: 'run', ...more }))
  return { ...house, home: home.path, socket, door, call, say, reloads: () => reloads }
}

test('status and reload are answered', async (t) => {
  const { call, reloads } = await openDoor(t)
  assert.deepEqual(await call('GET', '/status'), { status: 200, lines: [{ status: 'ok', pid: 7 }] })
  assert.deepEqual(await call('POST', '/reload'), { status: 200, lines: [{}] })
  assert.equal(reloads(), 1)
})

test('a message is run for the operator, and a thread is continued', async (t) => {
  const { say, store } = await openDoor(t)
  const first = await say('hello')
  assert.deepEqual(
    first.map(({ type }) => type),
    ['started', 'delta', 'message', 'end'],
  )
  const [started, , , end] = first
  assert(started?.type === 'started' && end?.type === 'end')
  assert.deepEqual([end.status, end.text], ['completed', 'echo hello'])
  const { threadId } = started
  const [second] = await say('again', { threadId, door: 'terminal' })
  assert.equal(second?.type === 'started' && second.threadId, threadId)
  const turns = await store.turns.list(operator, { limit: 10 })
  assert.deepEqual(turns.rows.map(({ door }) => door).toSorted(), ['run', 'terminal'])
  const file = { type: 'file', name: 'a.log', text: 'line one' } as const
  await say('and this', { threadId, files: [file] })
  const { entries } = await store.threads.entries(operator, threadId, { after: 4, limit: 1 })
  assert.deepEqual(entries[0]?.item.type === 'message' && entries[0].item.content[1], file)
})

test('cancel stops a running turn, and its events end', async (t) => {
  const hold = createHeldReply()
  const { say, call, store } = await openDoor(t, { reply: () => hold.script })
  const answer = say('hello')
  await hold.told
  const [turn] = (await store.turns.list(operator, { limit: 1 })).rows
  assert.equal((await call('POST', '/operator/cancel', JSON.stringify({ turnId: turn?.id }))).status, 200)
  const end = (await answer).at(-1)
  assert.equal(end?.type === 'end' && end.status, 'cancelled')
})

test('a user is removed with all that is theirs', async (t) => {
  const { call, store, turns } = await openDoor(t)
  const { id: user } = await store.accounts.addUser('ada', { hash: 'h' })
  const { events } = await turns.start(message('hello', { user }))
  for await (const _ of events);
  const remove = (name: string): Promise<Answer> => call('POST', '/users/remove', JSON.stringify({ name }))
  const [erased] = (await remove('ada')).lines
  assert.deepEqual([erased?.['threads'], erased?.['turns']], [1, 1])
  assert.equal((await remove('ada')).status, 404)
  assert.equal((await store.threads.list(user, { limit: 1 })).rows.length, 0)
})

test('a client that leaves does not end its turn', async (t) => {
  const hold = createHeldReply()
  const { socket, call, store, watchers } = await openDoor(t, { reply: () => hold.script })
  const sent = await call('POST', '/operator/send', JSON.stringify({ message: 'hello', door: 'run' }))
  const follow = request({ socketPath: socket, method: 'POST', path: '/operator/follow', agent: false })
  follow.on('error', () => {})
  follow.end(JSON.stringify({ turnId: sent.lines[0]?.['turnId'] }))
  await hold.told
  await until(() => watchers() === 1)
  follow.destroy()
  await until(() => watchers() === 0)
  hold.letGo()
  await until(async () => (await store.turns.list(operator, { limit: 1 })).rows[0]?.status === 'completed')
})

const faults: readonly { what: string; path?: string; body: unknown; status: number; says: RegExp }[] = [
  { what: 'no JSON', body: '{', status: 400, says: /not valid JSON/ },
  { what: 'too deep', body: '['.repeat(1_001), status: 400, says: /nested deeper than 1000 levels/ },
  { what: 'no object', body: '[]', status: 400, says: /door must be a string/ },
  { what: 'no message', body: { door: 'run' }, status: 400, says: /message must be a string/ },
  { what: 'an empty message', body: { door: 'run', message: ' ' }, status: 400, says: /empty/ },
  { what: 'another door', body: { door: 'web', message: 'x' }, status: 400, says: /run or terminal/ },
  { what: 'a thread that is no text', body: { door: 'run', message: 'x', threadId: 7 }, status: 400, says: /threadId/ },
  { what: 'an unknown thread', body: { door: 'run', message: 'x', threadId: 'nope' }, status: 404, says: /nope/ },
  { what: 'a turn that is no text', path: '/operator/cancel', body: { turnId: 1 }, status: 400, says: /turnId/ },
  { what: 'an unknown turn', path: '/operator/cancel', body: { turnId: 'nope' }, status: 404, says: /./ },
  { what: 'an unknown route', path: '/secrets', body: {}, status: 404, says: /no such route/ },
]
for (const { what, path = '/operator/send', body, status, says } of faults) {
  test(`${what} is answered ${status}, and nothing is stored`, async (t) => {
    const { call, store } = await openDoor(t)
    const answer = await call('POST', path, typeof body === 'string' ? body : JSON.stringify(body))
    assert.equal(answer.status, status)
    assert.match(JSON.stringify(answer.lines[0]?.['error']), says)
    assert.equal((await store.turns.list(operator, { limit: 1 })).rows.length, 0)
  })
}

test('a message of a mebibyte is taken, a byte more is not, and a body without end is cut', async (t) => {
  const { call, socket } = await openDoor(t, { reply: () => ['ok'] })
  const send = (message: string): Promise<Answer> =>
    call('POST', '/operator/send', JSON.stringify({ message, door: 'run' }))
  const mebibyte = 1024 * 1024
  // Six letters of JSON for each byte.
  assert.equal((await send('\u0001'.repeat(mebibyte))).status, 200)
  assert.equal((await send('x'.repeat(mebibyte + 1))).status, 413)
  const sent = request({ socketPath: socket, method: 'POST', path: '/operator/send', agent: false })
  sent.on('error', () => {})
  const answered = once(sent, 'response').then(([response]) => (response as { statusCode: number }).statusCode)
  const chunk = Buffer.alloc(mebibyte, 'x')
  let status: number | undefined
  void answered.then((given) => (status = given))
  for (let at = 0; at < 128 && status === undefined; at++) {
    await new Promise((resolve) => sent.write(chunk, resolve))
  }
  assert.equal(await answered, 413)
  sent.destroy()
})

test('a closing door takes nothing more and lets go of its socket', async (t) => {
  const hold = createHeldReply()
  const { say, call, door, socket, watchers } = await openDoor(t, { reply: () => hold.script })
  const open = say('hello')
  await hold.told
  await until(() => watchers() === 1)
  const closed = door.close(60_000)
  await assert.rejects(call('GET', '/status'), /ENOENT|ECONNREFUSED/)
  hold.letGo()
  const end = (await open).at(-1)
  assert.equal(end?.type === 'end' && end.text, 'So far, and more')
  await closed
  assert(!existsSync(socket))
})

test('a home too deep for a socket has it in a private folder', async (t) => {
  const home = newHome()
  const deep = join(home.path, 'a'.repeat(60), 'b'.repeat(60))
  mkdirSync(deep, { recursive: true, mode: 0o700 })
  t.after(home.remove)
  const house = openHouse(t)
  const door = await openLocalDoor({
    socket: takeSocket(deep),
    turns: house.turns,
    gates: house.gates,
    client: operatorClientOf(house),
    status: () => Promise.resolve({}),
    loginLink: () => Promise.resolve('http://127.0.0.1:1/login#code=c'),
    reload: () => Promise.resolve(),
    settings: noSettings,
    log: silentLog,
  })
  const socket = findSocket(deep) ?? ''
  assert.match(socket, /^\/tmp\/atrium-\d+\/[0-9a-f]{32}$/)
  assert.equal(statSync(join(socket, '..')).mode & 0o777, 0o700)
  await door.close(0)
  assert.equal(findSocket(deep), undefined)
})
