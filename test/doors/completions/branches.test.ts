// Requests that go on from one history in different ways: none of them sees what another one said.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { userId } from '#core/ids.ts'
import { textOf } from '#core/item.ts'
import { eventually } from '../test-app.ts'
import { holdLookUps, releases } from '../openai/look-ups.ts'
import { serve, type Served } from '../responses/serve.ts'
import { assistant, complete, tool, user, weather } from './client.ts'

const ann = userId('ann')

async function open(t: TestContext): Promise<Served> {
  const replies = [
    { when: 'weather', calls: [{ name: 'get_weather', args: { city: 'Rome' } }] },
    { afterTool: 'get_weather', text: 'It is {{result}}.' },
    { when: 'slow', delayMs: 60_000, text: 'never' },
    { when: '', text: 'You said: {{input}}' },
  ]
  const served = await serve({ replies })
  t.after(() => served.close())
  return served
}

async function textsOf(served: Served, threadId: string): Promise<string[]> {
  const { entries } = await served.threads.entries(ann, threadId, { after: 0, limit: 99 })
  return entries.flatMap(({ item }) => (item.type === 'message' ? [textOf(item)] : []))
}

describe('a thread', () => {
  for (const release of releases) {
    it(`forks for all but one of the requests that were looked up together and start ${release}`, async (t) => {
      const served = await open(t)
      const one = await complete(served, [user('one')])
      const start = [user('one'), assistant(one.text)]
      const ways = Array.from({ length: 6 }, (_, at) => `way ${at}`)
      const next = holdLookUps(t, served.threads, release)
      const said = await Promise.all(ways.map((way) => complete(served, [...start, user(way)]).finally(next)))
      assert.equal(new Set(said.map(({ thread }) => thread)).size, 6)
      for (const [at, { thread, text }] of said.entries()) {
        assert.deepEqual(await textsOf(served, thread), ['one', one.text, ways[at], text])
      }
      const { thread = '', text } = said[0] ?? {}
      const on = await complete(served, [...start, user('way 0'), assistant(text), user('on')])
      assert.equal(on.thread, thread)
    })
  }

  it('forks while it runs the turn of another request', async (t) => {
    const served = await open(t)
    const one = await complete(served, [user('one')])
    const start = [user('one'), assistant(one.text)]
    const slow = complete(served, [...start, user('slow')])
    await eventually(async () => (await served.threads.get(ann, one.thread))?.state === 'running')
    const quick = await complete(served, [...start, user('quick')])
    assert.deepEqual(await textsOf(served, quick.thread), ['one', one.text, 'quick', 'You said: quick'])
    await served.turns.cancel(ann, (await served.turns.current(ann, one.thread))?.id ?? '')
    assert.equal((await slow).error['code'], 'turn_cancelled')
  })

  it('forks before another output that came between the look-up and the start of a request', async (t) => {
    const served = await open(t)
    const one = await complete(served, [user('weather?')], { tools: [weather] })
    const start = [user('weather?'), assistant(null, { tool_calls: one.calls })]
    const id = one.calls[0]?.['id']
    // Behind the second read, in which the thread still waits.
    const get = served.threads.get
    const mocked = t.mock.method(served.threads, 'get', async (...of: Parameters<typeof get>) => {
      const thread = await get(...of)
      mocked.mock.restore()
      await complete(served, [...start, tool(id, 'sunny')], { tools: [weather] })
      return thread
    })
    const rainy = await complete(served, [...start, tool(id, 'rainy')], { tools: [weather] })
    assert.match(rainy.text, /rainy/)
    assert.notEqual(rainy.thread, one.thread)
  })
})
