// Clients that send their whole history each time: their requests go on in one thread.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { userId } from '#core/ids.ts'
import { textOf } from '#core/item.ts'
import { historyOrigin } from '#core/origins.ts'
import { taintOf } from '#safety/taint.ts'
import { holdLookUps, releases } from '../openai/look-ups.ts'
import { outputOf, serve, type Served, textIn, weather, type Wire } from './serve.ts'

const say = (content: string): Wire => ({ role: 'user', content })
const threadOf = (body: Wire): string => String(body['id']).slice(-32)

describe('a history that is sent whole each time', () => {
  let served: Served
  before(async () => {
    served = await serve({
      replies: [
        { when: 'weather', text: 'Let me look.', calls: [{ name: 'get_weather', args: {} }] },
        { afterTool: 'get_weather', text: 'Sunny.' },
        { when: 'slow', text: 'a b c d e f g h', chunkDelayMs: 100 },
        { when: '', text: 'You said: {{last}}' },
      ],
    })
  })
  after(() => served.close())

  const ask = async (input: readonly Wire[], more: Wire = {}, user = 'ann'): Promise<Wire> =>
    (await served.create({ input, ...more }, { authorization: `Bearer ${user}` })).body
  const lastTexts = () => served.asked.at(-1)?.items.flatMap((item) => (item.type === 'message' ? [textOf(item)] : []))

  it('is one thread after forty turns, and the database grows by what is new', async () => {
    const history: Wire[] = []
    const ids = new Set<string>()
    const used: number[] = []
    for (let at = 0; at < 40; at++) {
      history.push(say(`message ${at} ${'x'.repeat(200)}`))
      const body = await ask(history, { instructions: 'Be kind. '.repeat(100) })
      assert.equal(body['status'], 'completed')
      ids.add(threadOf(body))
      history.push(...outputOf(body))
      used.push((await served.store.storage.used(userId('ann'))).bytes)
    }
    assert.equal(ids.size, 1)
    const [first = 0, half = 0, all = 0] = [used[0], used[19], used[39]]
    assert.ok(all - half < 1.2 * (half - first), `${first}, ${half}, ${all}`)
    assert.equal(lastTexts()?.filter((text) => text.includes('<instructions>')).length, 1)
  })

  it('goes on in its thread by references; in another history a referenced answer is as untrusted as a sent one', async () => {
    const first = await ask([say('hello there')])
    const [answer = {}] = outputOf(first)
    const reference = { type: 'item_reference', id: answer['id'] }
    const untrusted = async (input: readonly Wire[]) => {
      const body = await ask(input)
      return { same: threadOf(body) === threadOf(first), taint: taintOf(served.asked.at(-1)?.items ?? []) }
    }
    const other = [say('another beginning'), reference, say('more')]
    assert.deepEqual(await untrusted([say('hello there'), reference, say('more')]), { same: true, taint: undefined })
    assert.deepEqual(await untrusted(other), { same: false, taint: historyOrigin })
    const sent = [say('a third beginning'), answer, say('more')]
    assert.deepEqual(await untrusted(sent), { same: false, taint: historyOrigin })
  })

  it('repeats instructions only where they changed', async () => {
    const first = await ask([{ role: 'developer', content: 'Rule one.' }, say('hello')])
    const history = [say('hello'), ...outputOf(first), say('more')]
    const second = await ask([{ role: 'developer', content: 'Rule one.' }, ...history])
    assert.equal(threadOf(second), threadOf(first))
    const again = [{ role: 'developer', content: 'Rule two.' }, ...history, ...outputOf(second), say('and more')]
    await ask(again)
    assert.deepEqual(
      lastTexts()?.map((text) => /Rule \w+/.exec(text)?.[0]),
      ['Rule one', undefined, undefined, undefined, 'Rule two'],
    )
  })

  it('forks where it leaves the thread, and is a new thread to another user', async () => {
    const first = await ask([say('a fork in the road')])
    const start = [say('a fork in the road'), ...outputOf(first)]
    const left = await ask([...start, say('left')])
    assert.equal(threadOf(left), threadOf(first))
    const right = await ask([...start, say('right')])
    assert.notEqual(threadOf(right), threadOf(first))
    assert.deepEqual(lastTexts()?.length, 3)
    assert.notEqual(threadOf(await ask([...start, say('left')], {}, 'bob')), threadOf(first))
  })

  it('goes on through the calls of its functions, also with a message behind the output', async () => {
    const tools = [weather]
    const first = await ask([say('weather?')], { tools })
    const output = { type: 'function_call_output', call_id: outputOf(first)[1]?.['call_id'], output: 'sun' }
    const called = [say('weather?'), ...outputOf(first), output]
    const second = await ask(called, { tools })
    assert.equal(textIn(second), 'Sunny.')
    const third = await ask([...called, ...outputOf(second), say('thanks')], { tools })
    const other = await ask([say('weather again?')], { tools })
    const late = { ...output, call_id: outputOf(other)[1]?.['call_id'] }
    const fourth = await ask([say('weather again?'), ...outputOf(other), late, say('never mind')], { tools })
    assert.deepEqual(
      [second, third, fourth].map((body) => [body['status'], threadOf(body)]),
      [
        ['completed', threadOf(first)],
        ['completed', threadOf(first)],
        ['completed', threadOf(other)],
      ],
    )
  })

  it('is taken in a fork while its thread runs another turn', async () => {
    const first = await ask([say('hello again')])
    const start = [say('hello again'), ...outputOf(first)]
    const [slow, quick] = await Promise.all([ask([...start, say('slow')]), ask([...start, say('quick')])])
    assert.deepEqual([slow['status'], quick['status']], ['completed', 'completed'])
    assert.notEqual(threadOf(slow), threadOf(quick))
  })

  for (const release of releases) {
    it(`is as many threads as requests that were looked up together and start ${release}`, async (t) => {
      const start = [say(release), ...outputOf(await ask([say(release)]))]
      const seen = served.asked.length
      const ways = Array.from({ length: 6 }, (_, at) => `way ${at}`)
      const next = holdLookUps(t, served.threads, release)
      const bodies = await Promise.all(ways.map((way) => ask([...start, say(way)]).finally(next)))
      assert.equal(new Set(bodies.map(threadOf)).size, 6)
      const lasts = served.asked.slice(seen).map(({ items: [, , last, ...more] }) => {
        return more.length === 0 && last?.type === 'message' ? textOf(last) : ''
      })
      assert.deepEqual(lasts.toSorted(), ways)
      const [body = {}] = bodies
      const on = await ask([...start, say('way 0'), ...outputOf(body), say('on')])
      assert.equal(threadOf(on), threadOf(body))
    })
  }

  it('brings an output into a fork if another one came between the look-up and the start', async (t) => {
    const tools = [weather]
    const first = await ask([say('weather twice?')], { tools })
    const called = [say('weather twice?'), ...outputOf(first)]
    const call_id = outputOf(first)[1]?.['call_id']
    const output = (text: string): Wire => ({ type: 'function_call_output', call_id, output: text })
    const find = served.turns.current
    const mocked = t.mock.method(served.turns, 'current', async (...of: Parameters<typeof find>) => {
      const found = await find(...of)
      mocked.mock.restore()
      assert.equal(textIn(await ask([...called, output('sun')], { tools })), 'Sunny.')
      return found
    })
    const rainy = await ask([...called, output('rain')], { tools })
    assert.equal(rainy['status'], 'completed')
    assert.notEqual(threadOf(rainy), threadOf(first))
    assert.ok(!JSON.stringify(served.asked.at(-1)?.items).includes('"sun"'))
    assert.ok(JSON.stringify(served.asked.at(-1)?.items).includes('rain'))
  })

  it('seeds a thread of its own where a call of it was given no output', async () => {
    const first = await ask([say('weather now?')], { tools: [weather] })
    const next = await ask([say('weather now?'), ...outputOf(first), say('stop that')])
    assert.equal(next['status'], 'completed')
    assert.notEqual(threadOf(next), threadOf(first))
  })

  it('goes on where it ends with the answer of the assistant', async () => {
    const first = await ask([say('talk')])
    const next = await ask([say('talk'), ...outputOf(first)])
    assert.equal(threadOf(next), threadOf(first))
    assert.equal(lastTexts()?.at(-1), 'Continue.')
  })
})
