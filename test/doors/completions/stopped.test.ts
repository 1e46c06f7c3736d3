// A client that stops an answer: its turn ends, and its history goes on from what it has read of the answer.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { userId } from '#core/ids.ts'
import { textOf } from '#core/item.ts'
import { chainOfRequest } from '#doors/openai/find-thread.ts'
import { readMessages } from '#doors/completions/read/messages.ts'
import { eventually } from '../test-app.ts'
import { serve, type Served } from '../responses/serve.ts'
import { stillClock } from '../../fake-clock.ts'
import { assistant, complete, type Message, user } from './client.ts'

const ann = userId('ann')

async function open(t: TestContext): Promise<Served> {
  const replies = [
    { when: 'count', text: 'one two three', chunkDelayMs: 60_000 },
    { when: 'silent', delayMs: 60_000, text: 'never' },
    { when: '', text: 'You said: {{input}}' },
  ]
  const served = await serve({ replies, clock: stillClock })
  t.after(() => served.close())
  return served
}

/** A stream that has told its first word. `stop` leaves it, as Stop in an app does. */
async function beginStream(served: Served, messages: readonly Message[], headers = {}) {
  const leaving = new AbortController()
  const response = await fetch(`${served.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer ann', 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'm', stream: true, messages }),
    signal: leaving.signal,
  })
  const reader = response.body?.getReader()
  const rest = async (until?: string): Promise<string> => {
    let text = ''
    while (until === undefined || !text.includes(until)) {
      const { value, done } = (await reader?.read()) ?? { done: true }
      if (done) break
      text += Buffer.from(value ?? []).toString()
    }
    return text
  }
  await rest('"content":"one ')
  const header = (name: string): string => response.headers.get(name) ?? ''
  return { thread: header('x-atrium-thread'), turn: header('x-atrium-turn'), rest, stop: () => leaving.abort() }
}

async function isKnown(served: Served, messages: readonly Message[]): Promise<boolean> {
  const { points } = await chainOfRequest((await readMessages(messages)).items)
  return (await served.threads.findByChain(ann, [points.at(-1)?.hash ?? ''])) !== undefined
}

async function textsOf(served: Served, threadId: string): Promise<string[]> {
  const { entries } = await served.threads.entries(ann, threadId, { after: 0, limit: 99 })
  return entries.map(({ item }) => (item.type === 'message' ? textOf(item).trim() : item.type))
}

const statusOf = async (served: Served, turn: string) => (await served.turns.get(ann, turn))?.status

describe('a stopped answer', () => {
  it('goes on in its thread from what the client has read, at once', async (t) => {
    const served = await open(t)
    const first = await complete(served, [user('hi')])
    const start = [user('hi'), assistant(first.text), user('count')]
    const stopped = await beginStream(served, start)
    stopped.stop()
    const read = [...start, assistant('one')]
    await eventually(() => isKnown(served, read))
    const next = await complete(served, [...read, user('more')])
    assert.deepEqual([next.thread, next.text], [first.thread, 'You said: more'])
    assert.equal(await statusOf(served, stopped.turn), 'cancelled', 'nobody waits for the end of the first')
    const texts = ['hi', first.text, 'count', 'one', 'more', 'You said: more']
    assert.deepEqual(await textsOf(served, first.thread), texts)
    const after = await complete(served, [...read, user('more'), assistant(next.text), user('on')])
    assert.equal(after.thread, first.thread)
  })

  it('that is kept running does not hold up the next message: its history goes on apart', async (t) => {
    const served = await open(t)
    const kept = await beginStream(served, [user('count')], { 'idempotency-key': 'k1' })
    kept.stop()
    const read = [user('count'), assistant('one')]
    await eventually(() => isKnown(served, read))
    const next = await complete(served, [...read, user('more')])
    assert.equal(next.text, 'You said: more')
    assert.deepEqual(await textsOf(served, kept.thread), ['count'])
    assert.equal(await statusOf(served, kept.turn), 'running')
  })

  it('that was stopped elsewhere goes on from the text that is stored', async (t) => {
    const served = await open(t)
    const stopped = await beginStream(served, [user('count')])
    await served.turns.cancel(ann, stopped.turn)
    assert.match(await stopped.rest(), /turn_cancelled/)
    const next = await complete(served, [user('count'), assistant('one'), user('more')])
    assert.equal(next.thread, stopped.thread)
  })

  it('is left out by a fork at the point before it, when the client drops it', async (t) => {
    const served = await open(t)
    const first = await complete(served, [user('hi')])
    const start = [user('hi'), assistant(first.text)]
    const stopped = await beginStream(served, [...start, user('count')])
    stopped.stop()
    await eventually(() => isKnown(served, [...start, user('count'), assistant('one')]))
    await served.turns.cancel(ann, stopped.turn)
    await eventually(async () => (await statusOf(served, stopped.turn)) === 'cancelled')
    const next = await complete(served, [...start, user('more')])
    assert.notEqual(next.thread, first.thread)
    assert.deepEqual(await textsOf(served, next.thread), ['hi', first.text, 'more', 'You said: more'])
  })

  it('with a changed word is not ours', async (t) => {
    const served = await open(t)
    const stopped = await beginStream(served, [user('count')])
    await served.turns.cancel(ann, stopped.turn)
    await eventually(() => isKnown(served, [user('count'), assistant('one')]))
    const next = await complete(served, [user('count'), assistant('won'), user('more')])
    assert.notEqual(next.thread, stopped.thread)
  })

  it('without a word moves nothing: the history goes on in its thread', async (t) => {
    const served = await open(t)
    const first = await complete(served, [user('hi')])
    const start = [user('hi'), assistant(first.text)]
    const silent = complete(served, [...start, user('silent')])
    await eventually(async () => (await served.threads.get(ann, first.thread))?.state === 'running')
    const running = (await served.turns.current(ann, first.thread))?.id ?? ''
    await served.turns.cancel(ann, running)
    assert.deepEqual([(await silent).status, (await silent).error['code']], [502, 'turn_cancelled'])
    const next = await complete(served, [...start, user('more')])
    assert.equal(next.thread, first.thread)
  })
})
