// The operator's client: the same verbs in this process and through the socket.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { callService, serviceClient } from '#commands/service-client.ts'
import { AppError } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import { openLocalDoor } from '#doors/local/door.ts'
import { findSocket, takeSocket } from '#home/socket.ts'
import { silentLog } from '#lib/log.ts'
import { createDocuments } from '#memory/documents.ts'
import type { Watched } from '#turns/watch.ts'
import { newHome } from '../../new-home.ts'
import { createHeldReply, type HouseParts, message, openHouse } from '../../turns/house.ts'
import { until } from '../../until.ts'
import { noSettings, operatorClientOf } from './client.ts'

async function openClients(t: TestContext, parts: HouseParts = {}) {
  const home = newHome()
  const house = openHouse(t, parts)
  const own = operatorClientOf(house)
  const door = await openLocalDoor({
    socket: takeSocket(home.path),
    turns: house.turns,
    gates: house.gates,
    client: own,
    status: () => Promise.resolve({}),
    loginLink: () => Promise.resolve(undefined),
    reload: () => Promise.resolve(),
    settings: noSettings,
    log: silentLog,
  })
  t.after(async () => {
    await door.close(0)
    home.remove()
  })
  return { ...house, door, own, home: home.path, attached: serviceClient(home.path) }
}

/** Follows a thread until a turn of it rests. */
async function upToRest(batches: AsyncIterable<readonly Watched[]>): Promise<Watched[]> {
  const seen: Watched[] = []
  for await (const batch of batches) {
    seen.push(...batch)
    if (batch.some((event) => event.type === 'turn' && event.turn.status !== 'running')) return seen
  }
  return seen
}

test('what is sent through the socket is answered, watched and listed as in this process', async (t) => {
  const hold = createHeldReply()
  const { own, attached } = await openClients(t, { reply: () => hold.script })
  const { threadId, turnId, queued } = await attached.send({ door: 'terminal', message: 'hello' })
  assert.equal(queued, false)
  const unfinished = await attached.thread(threadId)
  assert.deepEqual(
    unfinished?.turns.map(({ id, status }) => [id, status]),
    [[turnId, 'running']],
  )
  assert.deepEqual(
    (await attached.threads()).map(({ id, state }) => [id, state]),
    [[threadId, 'running']],
  )
  const stop = new AbortController()
  const seen = upToRest(attached.watch(threadId, 0, stop.signal))
  await hold.told
  assert.equal((await attached.send({ door: 'terminal', message: 'more', threadId })).queued, true)
  hold.letGo()
  const kinds = new Set((await seen).map(({ type }) => type))
  stop.abort()
  assert(kinds.has('entries') && kinds.has('turn'))
  await until(async () => (await own.thread(threadId))?.turns.every(({ status }) => status === 'completed') ?? false)
  for (const verb of ['threads', 'gates', 'status', 'tools', 'skills'] as const) {
    assert.deepEqual(await attached[verb](), JSON.parse(JSON.stringify(await own[verb]())))
  }
  const receipt = await attached.receipt(turnId)
  assert.deepEqual([receipt?.turn.id, receipt?.verified], [turnId, true])
  assert.equal(await attached.receipt('none'), undefined)
  assert.equal(await attached.thread('none'), undefined)
})

test('memory is listed and searched', async (t) => {
  const { attached, store } = await openClients(t)
  const documents = createDocuments({ store: store.documents })
  await documents.write(operator, [{ path: 'trips/rome.md', content: 'Pack sunscreen', author: 'user' }])
  assert.deepEqual(
    (await attached.memory('')).map(({ path }) => path),
    ['trips/rome.md'],
  )
  const [found] = await attached.memory('sunscreen')
  assert.match(found?.words ?? '', /Pack sunscreen/)
  assert.deepEqual(await attached.memory('nowhere'), [])
})

test('files go with a message through the socket', async (t) => {
  const { attached, threads } = await openClients(t)
  const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1').toString('base64')
  const files = [
    { type: 'file', name: 'a.log', text: 'words' },
    { type: 'image', url: `data:image/png;base64,${png}` },
  ] as const
  const { threadId } = await attached.send({ door: 'terminal', message: 'look', files })
  const { entries } = await threads.entries(operator, threadId, { after: 0, limit: 1, maxBytes: 10_000 })
  assert.deepEqual(entries[0]?.item, {
    type: 'message',
    role: 'user',
    content: [{ type: 'text', text: 'look' }, ...files],
  })
})

test('a gate is answered through the socket, for longer too', async (t) => {
  const { attached, gates } = await openClients(t, {
    reply: (_, { items }) => (items.at(-1)?.type === 'result' ? ['done'] : [{ name: 'write', args: '{"path":"a/b"}' }]),
  })
  const { threadId } = await attached.send({ door: 'terminal', message: 'go' })
  await until(async () => (await attached.gates()).length === 1)
  const [open] = await attached.gates()
  assert(open)
  const grantRequest = { for: 'hour', scope: 'file', untrusted: false } as const
  const answer = { callId: open.gate.callId, decision: 'allow', grantRequest } as const
  await attached.answer(threadId, answer)
  await assert.rejects(
    attached.answer(threadId, answer),
    (error) => error instanceof AppError && error.code === 'gate_closed',
  )
  assert.deepEqual(
    (await gates.grants(operator)).map(({ tool, target, by, clean }) => [tool, target, by, clean]),
    [['write', './a/b', 'operator', true]],
  )
})

test('changes are told, and whoever follows is let go when the door closes', async (t) => {
  const { attached, door, turns } = await openClients(t)
  const stop = new AbortController()
  const changes = attached.changes(stop.signal)[Symbol.asyncIterator]()
  assert.deepEqual((await changes.next()).value, [])
  const { events, turn } = await turns.start(message('hello', { user: operator }))
  events.close()
  assert.deepEqual((await changes.next()).value, [{ threadId: turn.threadId, turnId: turn.id }])
  await door.close(60_000)
  for (let next = await changes.next(); !next.done; next = await changes.next());
  await assert.rejects(attached.gates(), /no service runs/)
})

test('whoever leaves a watch leaves nothing behind', async (t) => {
  const { attached, watchers } = await openClients(t)
  const { threadId } = await attached.send({ door: 'terminal', message: 'hello' })
  const stop = new AbortController()
  for await (const batch of attached.watch(threadId, 0, stop.signal)) {
    if (batch.length > 0) stop.abort()
  }
  await until(() => watchers() === 0)
})

const faults: readonly (readonly [verb: string, body: object, says: RegExp])[] = [
  ['nothing', {}, /no such route/],
  ['send', { door: 'run' }, /message must be a string/],
  ['send', { door: 'run', message: ' ' }, /empty/],
  [
    'send',
    { door: 'run', message: 'x', files: [{ type: 'image', url: 'data:image/png;base64,AAAA' }] },
    /no model takes/,
  ],
  ['send', { door: 'run', message: 'x', files: 'x' }, /files must be a list/],
  ['send', { door: 'run', message: 'x', threadId: 7 }, /threadId must be a string/],
  ['send', { door: 'web', message: 'x' }, /run or terminal/],
  ['follow', { turnId: 'x' }, /turn x does not exist/],
  ['watch', { threadId: 'x' }, /after must be a number/],
  ['watch', { threadId: 'x', after: 0 }, /thread x does not exist/],
  ['answer', { threadId: 'x', answer: { callId: 'c', decision: 'perhaps' } }, /allow or deny/],
  [
    'answer',
    { threadId: 'x', answer: { callId: 'c', decision: 'allow', grantRequest: { for: 'ever' } } },
    /hour, day, good/,
  ],
]

for (const [verb, body, says] of faults) {
  test(`the client is refused ${verb} ${JSON.stringify(body)}`, async (t) => {
    const { home } = await openClients(t)
    const socket = findSocket(home) ?? ''
    await assert.rejects(callService(socket, { method: 'POST', path: `/operator/${verb}`, body }), says)
  })
}
