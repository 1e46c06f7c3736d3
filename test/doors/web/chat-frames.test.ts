// Frames of one connection, without a socket: what each of them asks for, what is answered, and what is followed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { newId, operator } from '#core/ids.ts'
import { type Entry, textMessage } from '#core/item.ts'
import { noUsage, type Thread, type Turn } from '#core/turn.ts'
import { createLive, type LiveParts } from '#doors/web/chat-socket.ts'
import type { Frame } from '#doors/web/wire/frame.ts'
import { silentLog } from '#lib/log.ts'
import { until } from '../../until.ts'

const turnOf = (over: Partial<Turn> = {}): Turn => {
  const fields = { id: newId(), threadId: newId(), userId: operator, door: 'web', status: 'running', options: {} }
  return { ...fields, createdAt: 0, usage: noUsage, ...over } as Turn
}
const entryOf = (turnId: string): Entry => ({ seq: 1, id: newId(), turnId, at: 0, item: textMessage('user', 'hi') })
const never = new Promise<never>(() => {})

type Given = {
  readonly turn?: Turn
  readonly parts?: object
  readonly recheck?: boolean
  /** Ends a watch that is opened, by its thread. */
  readonly watched?: (threadId: string) => Promise<never>
}

/** A connection over a service whose threads all have a turn that runs. */
function open({ turn = turnOf(), parts = {}, recheck = true, watched = () => never }: Given = {}) {
  const frames: Frame[] = []
  const calls: string[] = []
  const closed: string[] = []
  const gone = new AbortController()
  const watch = (_: unknown, threadId: string, after: number) => {
    calls.push(`watch ${threadId} ${after}`)
    async function* events() {
      await watched(threadId)
      yield []
    }
    return Object.assign(events(), { close: () => void calls.push(`close ${threadId}`) })
  }
  const fakes = {
    turns: {
      changes: () => Object.assign((async function* () {})(), { close: () => void calls.push('close lists') }),
      watch,
      get: (_: unknown, id: string) => Promise.resolve({ ...turn, id }),
      current: () => Promise.resolve(turn),
      cancel: () => Promise.resolve({ ...turn, status: 'cancelled' }),
      ...parts,
    },
    threads: {
      get: (_: unknown, id: string) => Promise.resolve({ id, lastSeq: 1 } as Thread),
      entries: (_: unknown, threadId: string) => Promise.resolve({ entries: [entryOf(threadId)], more: false }),
    },
    gates: {
      list: () => Promise.resolve([]),
      answer: (_: unknown, threadId: string, answer: object) => {
        calls.push(`answer ${threadId} ${JSON.stringify(answer)}`)
        return Promise.resolve(turn)
      },
    },
    chatLimit: { take: () => Promise.resolve(void calls.push('chat')) },
    writeLimit: { take: () => void calls.push('write') },
    log: silentLog,
  }
  const connection = {
    send: (...sent: readonly object[]) => void frames.push(...(sent as Frame[])),
    sendEncoded: () => {},
    sendLarge: () => Promise.resolve(),
    drained: () => Promise.resolve(true),
    close: (code: number, reason: string) => void closed.push(`${code} ${reason}`),
    gone: gone.signal,
  }
  const door = createLive(fakes as unknown as LiveParts)
  const caller = { user: operator, name: 'operator', operator: true }
  const handler = door({
    connection,
    caller,
    request: 'r',
    recheck: () => Promise.resolve((calls.push('recheck'), recheck)),
  })
  const say = async (value: unknown, bytes = 10): Promise<Frame[]> => {
    const from = frames.length
    await handler.frame({ bytes, read: () => Promise.resolve(value) })
    return frames.slice(from)
  }
  return { say, frames, calls, closed, gone, handler }
}

test('the first frame is ready, and a ping is answered by its name without another look at the token', async () => {
  const { say, frames, calls } = open()
  assert.deepEqual(await say({ type: 'ping', ref: 'a' }), [
    { type: 'ready', user: 'operator', operator: true, waiting: 0 },
    { type: 'pong', ref: 'a' },
  ])
  assert.deepEqual([frames.length, calls.includes('recheck')], [2, false])
})

test('where the right to the connection has ended a frame does nothing', async () => {
  const { say, calls } = open({ recheck: false })
  await say({ type: 'ping' })
  assert.deepEqual(await say({ type: 'cancel', thread_id: newId() }), [])
  assert.deepEqual(
    calls.filter((each) => each !== 'close lists'),
    ['recheck'],
  )
})

test('what is wrong with a frame is told by its name, its field and the wait, and nothing more', async () => {
  const slow = new AppError('rate_limited', 'slowly', { retryAfterSecs: 7 })
  const { say } = open({ parts: { current: () => Promise.reject(slow) } })
  await say({ type: 'ping' })
  const fault = { type: 'error', code: 'invalid_input' }
  const shape = async (value: unknown, bytes?: number) => {
    const [{ message: _, ...told } = { message: '' }] = (await say(value, bytes)) as { message: string }[]
    return told
  }
  const noObject = 'a frame is a text of one JSON object with a type'
  assert.deepEqual(await say('text'), [{ ...fault, message: noObject }])
  assert.deepEqual(await shape([]), fault)
  assert.deepEqual(await shape({ type: 'please', ref: 5 }), { ...fault, param: 'type' })
  const long = 'r'.repeat(101)
  assert.deepEqual(await shape({ type: 'ping', ref: long }), { ...fault, ref: 'r'.repeat(100), param: 'ref' })
  const cancel = { type: 'cancel', ref: 'c', thread_id: newId() }
  assert.deepEqual(await shape(cancel), { type: 'error', ref: 'c', code: 'rate_limited', retry_after_secs: 7 })
  const missing = await shape({ ...cancel, thread_id: 'x' })
  assert.deepEqual(missing, { type: 'error', ref: 'c', code: 'not_found' })
})

test('a frame of just 64 KB is taken; a larger one only if it is a message', async () => {
  const { say } = open()
  await say({ type: 'ping' })
  assert.deepEqual(await say({ type: 'ping' }, 65_536), [{ type: 'pong' }])
  const [large] = (await say({ type: 'ping' }, 65_537)) as { code: string }[]
  assert.equal(large?.code, 'too_large')
  const [message] = (await say({ type: 'message', message: ' ' }, 65_537)) as { code: string }[]
  assert.equal(message?.code, 'invalid_input')
})

test('a message is sent under its name, accepted with its ids, and its thread followed from its begin', async () => {
  const turn = turnOf({ firstSeq: 5 })
  const started: Record<string, unknown>[] = []
  const input = [{ id: 'm1' }]
  const events = { close() {} }
  const start = (given: Record<string, unknown>) => {
    started.push(given)
    return Promise.resolve({ turn, input, entries: [], events, replayed: false })
  }
  const { say, calls } = open({ turn, parts: { start } })
  await say({ type: 'ping' })
  const [accepted] = await say({ type: 'message', ref: 'a', message: 'hello' })
  const { threadId: thread_id, id: turn_id } = turn
  const ids = { thread_id, turn_id, message_id: 'm1' }
  assert.deepEqual(accepted, { type: 'accepted', ref: 'a', ...ids, status: 'accepted' })
  const again = { type: 'message', ref: 'a', message: 'hello', thread_id, model: 'x/y' }
  assert.equal((await say(again))[0]?.type, 'accepted')
  const watches = calls.filter((each) => each.startsWith('watch'))
  assert.deepEqual(watches, [`watch ${thread_id} 4`], 'it is followed once')
  assert.equal(calls.filter((each) => each === 'chat').length, 2)
  assert.deepEqual(
    started.map(({ threadId, model, idempotency }) => [threadId, model, (idempotency as { key: string }).key]),
    [
      [undefined, undefined, 'live:a'],
      [thread_id, 'x/y', 'live:a'],
    ],
  )
  const [one, two] = started.map(({ idempotency }) => (idempotency as { bodyHash: string }).bodyHash)
  assert.notEqual(one, two)
  await say({ type: 'message', message: 'hello' })
  assert.equal(started.at(-1)?.['idempotency'], undefined)
})

test('a gate is answered in its thread, and one that is nowhere open is named', async () => {
  const { say, calls } = open()
  await say({ type: 'ping' })
  const thread = newId()
  const gate = { type: 'gate', gate_id: 'g', action: 'approve' }
  const [unknown] = (await say(gate)) as { code: string; param: string }[]
  assert.deepEqual([unknown?.code, unknown?.param], ['not_found', 'gate_id'])
  assert.equal((await say({ ...gate, thread_id: thread }))[0]?.type, 'turn')
  assert.equal(calls.filter((each) => each === 'write').length, 2)
  assert.deepEqual(calls.at(-1), `answer ${thread} {"callId":"g","by":"operator","decision":"allow"}`)
})

test('a turn is cancelled by its thread; where none runs nothing is told', async () => {
  const { say } = open()
  await say({ type: 'ping' })
  const [told] = (await say({ type: 'cancel', thread_id: newId() })) as { status: string }[]
  assert.equal(told?.status, 'cancelled')
  const idle = open({ parts: { current: () => Promise.resolve(undefined) } })
  await idle.say({ type: 'ping' })
  assert.deepEqual(await idle.say({ type: 'cancel', thread_id: newId() }), [])
})

test('32 threads are followed, one more takes the place of the one that was subscribed first', async () => {
  const { say, calls, gone } = open()
  const ids = Array.from({ length: 33 }, () => newId())
  const [first = '', second = ''] = ids
  const closes = () => calls.filter((each) => each.startsWith('close') && each !== 'close lists')
  for (const thread_id of ids.slice(0, 32)) await say({ type: 'subscribe', thread_id })
  assert.deepEqual(closes(), [])
  // Subscribed again: it is the latest now.
  await say({ type: 'subscribe', thread_id: first, after: 7 })
  assert(calls.includes(`watch ${first} 7`) && calls.includes(`watch ${second} 0`))
  assert.deepEqual(closes(), [`close ${first}`])
  await say({ type: 'subscribe', thread_id: ids[32] })
  assert.deepEqual(closes().slice(1), [`close ${second}`])
  await say({ type: 'unsubscribe', thread_id: first })
  assert.deepEqual(closes().slice(2), [`close ${first}`])
  gone.abort()
  assert.equal(closes().length, 3 + 31, 'the others end with the connection')
  assert(calls.includes('close lists'))
})

test('a thread that cannot be followed any longer ends the connection with the reason', async () => {
  const { promise, reject } = Promise.withResolvers<never>()
  const { say, closed } = open({ watched: () => promise })
  await say({ type: 'subscribe', thread_id: newId() })
  reject(new Error('too far behind'))
  await until(() => closed.length === 1)
  assert.match(closed[0] ?? '', /^4408 slow_reader/)
})

test('a connection closes at shutdown unless it follows a turn that runs, or is about to', async () => {
  const turn = turnOf()
  const running = open({ turn })
  assert.equal(running.handler.canClose(), true)
  const said = running.say({ type: 'subscribe', thread_id: turn.threadId })
  assert.equal(running.handler.canClose(), false)
  await said
  assert.equal(running.handler.canClose(), false)
  const over = open({ turn: { ...turn, status: 'completed' } })
  await over.say({ type: 'subscribe', thread_id: turn.threadId })
  assert.equal(over.handler.canClose(), true)
})
