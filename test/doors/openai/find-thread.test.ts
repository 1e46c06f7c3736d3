// Where a request continues: in its thread, in a fork of it, or in a new one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { userId } from '#core/ids.ts'
import { textMessage } from '#core/item.ts'
import type { ChainMessage } from '#core/replay-chain.ts'
import type { ThreadPoint } from '#core/thread-store.ts'
import { chainOfRequest, type ChainedItem, findThread } from '#doors/openai/find-thread.ts'
import { chainOf } from '../../core/chain-of.ts'

const user = (text: string) => textMessage('user', text)
const assistant = (text: string) => textMessage('assistant', text)
/** The same as messages of a chain. */
const plain = (items: readonly ChainedItem[]): ChainMessage[] =>
  items.map((item) => ({ ...(item as { role: 'user' }), text: '', ...textOfItem(item) }))
const textOfItem = (item: ChainedItem) =>
  item.type === 'message' && item.content[0]?.type === 'text' ? { text: item.content[0].text } : {}
const history = [user('a'), assistant('b'), user('c'), assistant('d'), user('e')]

/** Threads of which one has a point. */
function threadsWith(hash: string | undefined, point: Partial<ThreadPoint> = {}) {
  const asked: (readonly string[])[] = []
  const found: ThreadPoint = { threadId: 't', turnId: 'n', seq: 4, latest: true, hash: hash ?? '', ...point }
  return {
    asked,
    findByChain: (_: unknown, hashes: readonly string[]) => {
      asked.push(hashes)
      return Promise.resolve(hash !== undefined && hashes.includes(hash) ? found : undefined)
    },
  }
}

const points = chainOf(plain(history)).points.map(({ hash }) => hash)
const ada = userId('ada')

test('a history that a thread has as its latest goes on there, and only its newest messages are new', async () => {
  const threads = threadsWith(points[1])
  const place = await findThread(threads, ada, await chainOfRequest(history))
  assert.deepEqual(place, { kind: 'thread', threadId: 't', turnId: 'n', fresh: 4 })
  assert.deepEqual(threads.asked, [points.toReversed()], 'the longest part is looked up first, all in one search')
})

test('an earlier point of a thread is a fork, and what follows the point is new', async () => {
  const threads = threadsWith(points[0], { forkAt: 3 })
  const place = await findThread(threads, ada, await chainOfRequest(history))
  assert.deepEqual(place, { kind: 'fork', forks: { threadId: 't', beforeSeq: 3 }, turnId: 'n', fresh: 2 })
})

test('an unknown history, and messages without an answer, start a new thread', async () => {
  assert.deepEqual(await findThread(threadsWith(undefined), ada, await chainOfRequest(history)), {
    kind: 'new',
    fresh: 0,
  })
  const threads = threadsWith(points[0])
  assert.deepEqual(await findThread(threads, ada, await chainOfRequest([user('a'), user('b')])), {
    kind: 'new',
    fresh: 0,
  })
  assert.deepEqual(threads.asked, [], 'without a look-up')
})

test('a history of ten thousand messages lets others go on meanwhile', async () => {
  const long = Array.from({ length: 10_000 }, (_, at) => (at % 2 === 0 ? user(`${at}`) : assistant(`${at}`.repeat(99))))
  let ticks = 0
  const timer = setInterval(() => ticks++, 0)
  const chain = await chainOfRequest(long)
  clearInterval(timer)
  assert.deepEqual(chain, chainOf(plain(long)))
  assert.ok(ticks > 0)
})

test('calls, outputs, pictures and files are part of a history', async () => {
  const call: ChainedItem = { type: 'call', callId: 'c', name: 'act', args: '{}' }
  const output: ChainedItem = { type: 'output', callId: 'c', output: 'out' }
  const picture: ChainedItem = { type: 'message', role: 'user', content: [{ type: 'image', url: 'data:,x' }] }
  const file: ChainedItem = { type: 'message', role: 'user', content: [{ type: 'file', name: 'n', text: 't' }] }
  assert.deepEqual(
    await chainOfRequest([user('a'), call, output, picture, file]),
    chainOf([
      { role: 'user', text: 'a' },
      { role: 'assistant', text: '', callIds: ['c'] },
      { role: 'tool', callId: 'c', text: 'out' },
      { role: 'user', text: '', media: ['data:,x'] },
      { role: 'user', text: '', media: ['n:t'] },
    ]),
  )
})
