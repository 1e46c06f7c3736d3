// A turn is told in its chat from beginning to end, over turns that the test plays.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Post } from '#core/channel.ts'
import { operator } from '#core/ids.ts'
import { type Entry, textMessage } from '#core/item.ts'
import { noUsage, type Turn } from '#core/turn.ts'
import type { Channel, Content, Outcome } from '#doors/channel/channel.ts'
import { tellTurn, type TellParts } from '#doors/channel/tell-turn.ts'
import type { Watched } from '#turns/watch.ts'
import { until } from '../../until.ts'

const post: Post = {
  id: 'p',
  channel: 'telegram',
  chat: '7',
  user: operator,
  kind: 'turn',
  text: '',
  turnId: 'u',
  threadId: 't',
  source: '3',
  messages: [],
}
const running: Turn = {
  id: 'u',
  threadId: 't',
  userId: operator,
  door: 'telegram',
  status: 'running',
  options: {},
  createdAt: 0,
  firstSeq: 5,
  usage: noUsage,
}
const { firstSeq: _, ...fresh } = running
const queued: Turn = { ...fresh, status: 'queued' }
const completed: Turn = { ...running, status: 'completed' }
const reply = (text: string): Entry => ({ id: 'a', item: textMessage('assistant', text), turnId: 'u', seq: 6, at: 0 })
const delta = (offset: number, text: string): Watched => ({ type: 'delta', turnId: 'u', itemId: 'a', offset, text })

/** A stream of events that the test feeds. */
function createStream() {
  const waiting: (readonly Watched[])[] = []
  let wake = (): void => {}
  let closed = false
  const watch = {
    close() {
      closed = true
      wake()
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const next = waiting.shift()
        if (next) yield next
        else if (closed) return
        else await new Promise<void>((resolve) => (wake = resolve))
      }
    },
  }
  return {
    watch,
    feed(...events: readonly Watched[]) {
      waiting.push(events)
      wake()
    },
    end: () => watch.close(),
    closed: () => closed,
  }
}

type Play = {
  /** The turn as it is stored, at each look; the last one again and again. */
  readonly looks: readonly (Turn | undefined)[]
  readonly entries?: readonly Entry[]
  readonly edit?: (content: Content) => Outcome
}

function stage({ looks, entries = [], edit }: Play) {
  const told: string[] = []
  const followed: number[] = []
  const asked: string[] = []
  const streams: ReturnType<typeof createStream>[] = []
  const stop = new AbortController()
  let look = 0
  const parts = {
    channel: {
      maxChars: 4_096,
      editGapMs: 0,
      send(_: string, content: Content, { replyTo }: { replyTo?: string }) {
        told.push(`send ${content.type === 'file' ? content.name : content.text}${replyTo ? ` to ${replyTo}` : ''}`)
        return Promise.resolve({ type: 'sent', message: '9' })
      },
      edit(_: string, __: string, content: Content) {
        told.push(`${content.type} ${content.type === 'file' ? content.name : content.text}`)
        return Promise.resolve(edit?.(content) ?? { type: 'done' })
      },
      remove: () => Promise.resolve({ type: 'done' }),
    } as unknown as Channel,
    store: { setMessages: () => Promise.resolve() },
    check: () => {},
    wait: () => Promise.resolve(),
    turns: {
      get: () => Promise.resolve(looks[Math.min(look++, looks.length - 1)]),
      entries: () => Promise.resolve(entries),
      follow(_user: unknown, _turn: unknown, after: number) {
        followed.push(after)
        const stream = createStream()
        streams.push(stream)
        return stream.watch
      },
    },
    threads: { get: () => Promise.resolve({ lastSeq: 41 }) },
    askGates: ({ status }: Turn) => Promise.resolve(void asked.push(status)),
  } as unknown as TellParts
  return { told, followed, asked, streams, stop, outcome: tellTurn(post, parts, stop.signal) }
}

test('a turn that has ended is told as it is stored, without a quote', async () => {
  const { told, outcome, streams } = stage({ looks: [completed], entries: [reply('All **done**.')] })
  assert.deepEqual(await outcome, { type: 'done' })
  assert.deepEqual(told, ['send …', 'markdown All **done**.'])
  assert(streams.every(({ closed }) => closed()))
})

test('a thread that is deleted is named, before the turn is told or meanwhile', async () => {
  for (const looks of [[undefined], [running, running, undefined], [running, undefined]]) {
    const play = stage({ looks })
    await until(() => play.streams.length === 1 || play.told.length > 0)
    play.streams[0]?.end()
    assert.deepEqual(await play.outcome, { type: 'done' })
    assert.equal(play.told.at(-1), 'plain This thread was deleted.')
  }
})

test('a running turn grows in the chat, from its first item on, and ends as it is stored', async () => {
  const { told, followed, streams, outcome } = stage({
    looks: [running, running, completed],
    entries: [reply('Hello, world.')],
  })
  await until(() => streams.length === 1)
  streams[0]?.feed(delta(0, 'Hello'))
  await until(() => told.includes('markdown Hello\n\n…'))
  streams[0]?.feed({ type: 'turn', turn: completed })
  assert.deepEqual(await outcome, { type: 'done' })
  assert.deepEqual(followed, [4])
  assert.deepEqual([told[0], told.at(-1)], ['send …', 'markdown Hello, world.'])
  assert(streams[0]?.closed())
})

const starts: readonly (readonly [what: string, looks: readonly Turn[], after: number])[] = [
  ['still queued, from the end of its thread', [queued, queued, queued], 41],
  ['begun meanwhile, from its first item', [queued, running, running], 4],
]

for (const [what, looks, after] of starts) {
  test(`a queued turn answers its message visibly, and is followed: ${what}`, async () => {
    const { told, followed, streams, stop, outcome } = stage({ looks })
    await until(() => streams.length === 1 && told.length > 0)
    stop.abort()
    await assert.rejects(outcome)
    assert.deepEqual([followed, told[0]], [[after], 'send … to 3'])
    assert(streams[0]?.closed())
  })
}

test('a turn that waits asks its questions', async () => {
  const waiting: Turn = { ...running, status: 'waiting' }
  const { told, asked, streams, outcome } = stage({ looks: [waiting, waiting, completed], entries: [reply('ok')] })
  await until(() => told.includes('markdown Waits for your answer.'))
  assert.equal(asked[0], 'waiting')
  streams[0]?.feed({ type: 'turn', turn: completed })
  assert.deepEqual(await outcome, { type: 'done' })
})

test('a stream that breaks off is followed again', async () => {
  const { told, streams, outcome } = stage({
    looks: [running, running, running, running, completed],
    entries: [reply('ok')],
  })
  await until(() => streams.length === 1)
  streams[0]?.end()
  await until(() => streams.length === 2)
  streams[1]?.end()
  assert.deepEqual(await outcome, { type: 'done' })
  assert.equal(told.at(-1), 'markdown ok')
})

test('a chat that takes no more messages ends it, and nothing more is read', async () => {
  const { streams, outcome, told } = stage({
    looks: [running],
    edit: ({ type }) => (type === 'markdown' ? { type: 'gone' } : { type: 'done' }),
  })
  await until(() => streams.length === 1)
  streams[0]?.feed(delta(0, 'Hello'))
  assert.deepEqual(await outcome, { type: 'gone' })
  assert(streams[0]?.closed())
  assert.equal(told.at(-1), 'markdown Hello\n\n…')
})

test('while a reply grows, it is shown up to its first file; a file goes when it is whole', async () => {
  const code = Array.from({ length: 700 }, (_each, at) => `line ${at}`).join('\n')
  const whole = `Look:\n\n\`\`\`ts\n${code}\n\`\`\`\n`
  const play = stage({ looks: [running, running, completed], entries: [reply(whole)] })
  await until(() => play.streams.length === 1)
  play.streams[0]?.feed(delta(0, whole))
  await until(() => play.told.some((each) => each.includes('Look:')))
  assert(!play.told.includes('send code-1.ts'))
  play.streams[0]?.feed({ type: 'turn', turn: completed })
  await play.outcome
  assert(play.told.includes('send code-1.ts'))
})
