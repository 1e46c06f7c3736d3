// A connection that breaks: nothing is missing, nothing doubled, wherever it broke; and readers that do not read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { Model } from '#core/model.ts'
import { noUsage } from '#core/turn.ts'
import { until } from '../../until.ts'
import { createWriter } from '../test-app.ts'
import { openHouse, operatorToken } from './house.ts'
import { bearer, type Client, type Frame, openClient } from './socket.ts'

const words = ['The ', 'quick ', 'brown ', 'fox ', 'jumps']

/** Says some words one by one, calls a tool that needs a word, and says them again. */
const model: Model = {
  provider: 'test',
  name: 'test-1',
  window: 100_000,
  async *stream({ items }) {
    for (const text of words) {
      yield [{ type: 'text', text }]
      // A frame of its own for each.
      await pause(1)
    }
    const called = items.some(({ type }) => type === 'call')
    if (!called) yield [{ type: 'call', name: 'write_note', args: '{}' }]
    yield [{ type: 'done', usage: noUsage }]
  },
}

/** What a page knows: items by seq, and the text in the making. */
type Page = {
  threadId: string | undefined
  items: Map<number, Frame>
  text: Map<string, string>
  ended: boolean
  approved: boolean
}

/** Takes one frame as a page would; fails where it would have to guess. */
function take(page: Page, frame: Frame): void {
  switch (frame.type) {
    case 'accepted':
      assert.ok(page.threadId === undefined || page.threadId === frame.thread_id, 'one message, one thread')
      page.threadId = frame.thread_id
      break
    case 'item': {
      assert.equal(frame.seq, page.items.size + 1, 'no gap, no double')
      page.items.set(frame.seq, frame.item)
      const partial = page.text.get(frame.item.id)
      if (partial !== undefined)
        assert.ok(frame.item.content[0].text.startsWith(partial), 'the text was as it is stored')
      break
    }
    case 'snapshot':
      page.text.set(frame.item_id, frame.text)
      break
    case 'delta': {
      const before = page.text.get(frame.item_id) ?? ''
      assert.equal(frame.offset, before.length, 'text goes on where it was')
      page.text.set(frame.item_id, before + frame.text)
      break
    }
    case 'turn':
      if (frame.status === 'completed') page.ended = true
      break
    default:
  }
}

/** Sends a message and follows it to its end, over connections that are cut after so many frames each. */
async function converse(
  open: () => Promise<Client>,
  ref: string,
  cutAfter: number,
): Promise<{ page: Page; cuts: number }> {
  const page: Page = { threadId: undefined, items: new Map(), text: new Map(), ended: false, approved: false }
  let cuts = 0
  while (!page.ended) {
    assert.ok(cuts < 200, 'it comes to an end')
    const client = await open()
    page.text.clear()
    if (page.threadId === undefined) client.send({ type: 'message', message: 'tell me', ref })
    else client.send({ type: 'subscribe', thread_id: page.threadId, after: page.items.size })
    for (let seen = 0; seen < cutAfter && !page.ended; seen++) {
      const frame = await client.next(() => true)
      take(page, frame)
      const gate = [...page.items.values()].find(({ type }) => type === 'gate')
      const answered = [...page.items.values()].some(({ type }) => type === 'answer')
      if (gate && !answered && !page.approved) {
        client.send({ type: 'gate', gate_id: gate.call_id, thread_id: page.threadId, action: 'approve' })
        page.approved = true
      }
      if (frame.type === 'error') assert.equal(frame.code, 'gate_closed')
    }
    client.cut()
    // A word that was cut off with its connection is given again; a second one is refused.
    page.approved = false
    cuts++
  }
  return { page, cuts }
}

test('a connection that is cut after any frame misses nothing and doubles nothing', async (t) => {
  const ran: unknown[] = []
  const { url, call } = await openHouse(t, { model, tools: [createWriter(ran)] })
  const open = () => openClient(url, bearer(operatorToken))
  let most = 0
  for (let cutAfter = 40; cutAfter >= 2; cutAfter -= cutAfter > 12 ? 7 : 1) {
    const { page, cuts } = await converse(open, `m${cutAfter}`, cutAfter)
    most = Math.max(most, cuts)
    const stored = (await call('GET', `/api/threads/${page.threadId}`)).json
    assert.deepEqual([...page.items.values()], stored.items, `cut after ${cutAfter}`)
    assert.deepEqual(
      stored.items.map(({ type }: Frame) => type),
      ['message', 'message', 'call', 'gate', 'answer', 'attempt', 'result', 'message'],
    )
  }
  assert.ok(most > 5, `${most} cuts`)
  assert.equal(ran.length, (await call('GET', '/api/threads')).json.threads.length, 'each ran once')
})

const stallMs = 1_000
test('a reader that does not read is dropped with a reason, and comes back to all of it', async (t) => {
  const { url, call } = await openHouse(t, { socketBounds: { stallMs } })
  const closing = t.mock.method(WebSocket.prototype, 'close')
  const message = 'x'.repeat(1_000_000)
  const first = (await call('POST', '/api/chat', { body: { message } })).json.thread_id
  for (let at = 0; at < 9; at++) await call('POST', '/api/chat', { body: { message, thread_id: first } })
  const slow = await openClient(url, bearer(operatorToken))
  await slow.next('ready')
  slow.ws.pause()
  slow.send({ type: 'subscribe', thread_id: first, after: 0 })
  const alive = await openClient(url, bearer(operatorToken))
  alive.send({ type: 'subscribe', thread_id: first, after: 0 })
  await alive.next((frame) => frame.seq === 20)
  // The one that does not read hears nothing of it yet.
  await until(() => closing.mock.calls.some(({ arguments: [given] }) => given === 4408))
  slow.ws.resume()
  const { code, reason } = await slow.closed
  assert.deepEqual([code, reason.startsWith('slow_reader: ')], [4408, true])
  const got = slow.frames.flatMap(({ seq }) => seq ?? [])
  assert.ok(got.length < 20)
  const again = await openClient(url, bearer(operatorToken))
  again.send({ type: 'subscribe', thread_id: first, after: got.length })
  await again.next((frame) => frame.seq === 20)
  const rest = again.frames.flatMap(({ seq }) => seq ?? [])
  assert.deepEqual(
    [...got, ...rest],
    Array.from({ length: 20 }, (_, at) => at + 1),
  )
})
