// Replays of agent frameworks: a history that brings a call of the caller's functions and its output.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { callOf, callsOf, outputFor, replies, tools } from './caller-functions.ts'
import { errorOf, outputOf, serve, type Served, textIn, type Wire } from './serve.ts'

describe('replayed calls', () => {
  let served: Served
  before(async () => {
    served = await serve({ replies })
  })
  after(() => served.close())

  const { ask, resume } = callsOf(() => served)

  it('resumes from a self-contained replay whose last output a gate waits for, in that thread', async () => {
    const first = await ask()
    const call = callOf(first)
    const history = [{ role: 'user', content: 'weather?' }, ...outputOf(first), outputFor(first)]
    const references = [
      { role: 'user', content: 'weather?' },
      { type: 'item_reference', id: outputOf(first)[0]?.['id'] },
      { type: 'item_reference', id: call['id'] },
      outputFor(first),
    ]
    const { status, body } = await served.create({ input: history, tools })
    assert.equal(status, 200)
    assert.match(textIn(body), /sunny/)
    assert.equal(String(body['id']).slice(-32), String(first['id']).slice(-32))
    const again = await ask()
    const byReference = await served.create({
      input: [references[0], { type: 'item_reference', id: callOf(again)['id'] }, outputFor(again)],
      tools,
      previous_response_id: again['id'],
    })
    assert.equal(String(byReference.body['id']).slice(-32), String(again['id']).slice(-32))
    assert.match(textIn(byReference.body), /sunny/)
    const stale = await served.create({ input: references, tools })
    assert.equal(stale.status, 200)
    assert.notEqual(String(stale.body['id']).slice(-32), String(first['id']).slice(-32))
  })

  it('goes on in its thread where the turn after the output failed', async (t) => {
    const flaky = await serve({
      replies: [
        { when: 'weather', text: 'Let me look.', calls: [{ name: 'get_weather', args: { city: 'Rome' } }] },
        { afterTool: 'get_weather', error: { code: 'model_failed', message: 'broke' } },
        { when: 'Continue.', text: 'It is sunny.' },
      ],
    })
    t.after(() => flaky.close())
    const { body: first } = await flaky.create({ input: 'weather?', tools })
    const history = [{ role: 'user', content: 'weather?' }, ...outputOf(first), outputFor(first)]
    const { body: failed } = await flaky.create({ input: history, tools })
    const { body: retried } = await flaky.create({ input: history, tools })
    assert.deepEqual([failed['status'], retried['status'], textIn(retried)], ['failed', 'completed', 'It is sunny.'])
    assert.equal(String(retried['id']).slice(-32), String(first['id']).slice(-32))
  })

  it("takes another user's replay as a history of its own", async () => {
    const first = await ask()
    const history = [{ role: 'user', content: 'weather?' }, ...outputOf(first), outputFor(first, 'theirs')]
    const { body } = await served.create({ input: history, tools }, { authorization: 'Bearer bob' })
    assert.match(textIn(body), /theirs/)
    assert.notEqual(String(body['id']).slice(-32), String(first['id']).slice(-32))
    const referred = await served.create(
      { input: [{ type: 'item_reference', id: callOf(first)['id'] }, outputFor(first)] },
      { authorization: 'Bearer bob' },
    )
    assert.equal(referred.status, 400)
    assert.equal(errorOf(referred.body)['param'], 'input[0].id')
    assert.match(textIn((await resume(first, 'mine')).body), /mine/)
  })

  it('seeds a new thread from any other replay, each call beside its output', async () => {
    const { status, body } = await served.create({
      input: [
        { role: 'user', content: 'weather?' },
        { type: 'reasoning', id: 'rs_1', summary: [] },
        { type: 'function_call', call_id: 'a', name: 'get_weather', arguments: '{"city":"Rome"}' },
        { type: 'function_call', call_id: 'b', name: 'get_weather', arguments: 'no json' },
        { type: 'function_call', call_id: 'c', name: 'get_weather', arguments: '{}' },
        { type: 'function_call_output', call_id: 'b', output: 'two' },
        { type: 'function_call_output', call_id: 'a', output: 'one' },
        { role: 'assistant', content: [{ type: 'output_text', text: 'Fine.' }] },
        { role: 'user', content: 'thanks' },
      ],
      instructions: 'Be kind.',
    })
    assert.equal(status, 200)
    assert.equal(textIn(body), 'Hello.')
    const items = served.asked.at(-1)?.items ?? []
    assert.deepEqual(
      items.map(({ type }) => type),
      ['message', 'call', 'call', 'call', 'result', 'result', 'result', 'message', 'message'],
    )
    const calls = items.filter((item) => item.type === 'call').map(({ callId }) => callId)
    const results = items.filter((item) => item.type === 'result')
    assert.deepEqual(
      results.map(({ callId }) => callId),
      calls,
    )
    assert.ok(calls.every((id) => id.startsWith('call_')))
    assert.match(results[0]?.output ?? '', /one/)
    assert.match(results[1]?.output ?? '', /two/)
    assert.match(results[2]?.output ?? '', /no output was given/)
    const [first] = items
    assert.ok(first?.type === 'message' && JSON.stringify(first).includes('Be kind.'))
  })

  it('does not count a replayed history as work of the turn', async () => {
    const step = (at: number): Wire[] => [
      { type: 'function_call', call_id: `c${at}`, name: 'get_weather', arguments: '{}' },
      { type: 'function_call_output', call_id: `c${at}`, output: 'x' },
    ]
    const input = [{ role: 'user', content: 'weather?' }, ...Array.from({ length: 60 }, (_, at) => step(at)).flat()]
    const { body } = await served.create({ input, tools })
    assert.equal(body['status'], 'completed', JSON.stringify(body['error']))
  })
})
