// The calls of a thread that goes on by its history: functions of the caller, and gates.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { textOf } from '#core/item.ts'
import { eventually } from '../test-app.ts'
import type { Reply } from '#models/script.ts'
import type { Wire } from '../responses/serve.ts'
import { assistant, complete, tool, user, weather } from './client.ts'

import { ann, count, itemsOf, open, texts } from './thread-rig.ts'

describe('functions of the caller', () => {
  it('are resumed by their output, also with a message behind it, in one turn', async (t) => {
    const served = await open(t)
    const start = [user('weather?')]
    const asked = await complete(served, start, { tools: [weather] })
    assert.equal(asked.finish, 'tool_calls')
    const id = asked.calls[0]?.['id']
    const called = [...start, assistant(null, { tool_calls: asked.calls })]
    const output = [...called, tool(id, 'sunny'), user('and tomorrow?')]
    const answer = await complete(served, output, { tools: [weather] })
    assert.equal(answer.thread, asked.thread)
    assert.equal(answer.text, 'You said: and tomorrow?')
    const types = (await itemsOf(served, asked.thread)).map(({ type }) => type)
    assert.deepEqual(types, ['message', 'call', 'gate', 'answer', 'message', 'message'])
  })

  it('are resumed by a client that keeps only the letters and digits of their ids', async (t) => {
    const served = await open(t)
    const start = [user('weather?')]
    const asked = await complete(served, start, { tools: [weather] })
    const id = String(asked.calls[0]?.['id']).replace('_', '')
    const called = [...start, assistant(null, { tool_calls: [{ ...asked.calls[0], id }] }), tool(id, 'sunny')]
    const answer = await complete(served, called, { tools: [weather] })
    assert.equal(answer.thread, asked.thread)
    const next = await complete(served, [...called, assistant(answer.text), user('and?')], { tools: [weather] })
    assert.equal(next.thread, asked.thread)
    assert.equal(await count(served), 1)
  })

  it('surface one at a time; a message behind an output goes on without the rest', async (t) => {
    const served = await open(t)
    const one = await complete(served, [user('both')], { tools: [weather] })
    assert.equal(one.calls.length, 1)
    const start = [user('both'), assistant(null, { tool_calls: one.calls }), tool(one.calls[0]?.['id'], 'sunny')]
    const two = await complete(served, start, { tools: [weather] })
    assert.deepEqual([two.finish, two.thread], ['tool_calls', one.thread])
    const next = [...start, assistant(null, { tool_calls: two.calls }), tool(two.calls[0]?.['id'], 'rainy')]
    assert.match((await complete(served, next, { tools: [weather] })).text, /It is .*rainy/s)
    const other = await complete(served, [...start, user('never mind')], { tools: [weather] })
    assert.equal(other.text, 'You said: never mind')
    const last = served.asked.at(-1)?.items ?? []
    assert.deepEqual(
      last.map(({ type }) => type),
      ['message', 'call', 'call', 'result', 'result', 'message'],
    )
  })

  it('are resumed by a client that keeps no text beside a call', async (t) => {
    const args = { city: 'A' }
    const replies = [
      { when: 'both', text: 'Looking.', calls: ['A', 'B'].map(() => ({ name: 'get_weather', args })) },
      { afterTool: 'get_weather', text: 'It is {{result}}.' },
      { when: '', text: 'You said: {{input}}' },
    ]
    const served = await open(t, { replies })
    const history = [user('both')]
    const threads = new Set<string>()
    for (const output of ['sunny', 'rainy']) {
      const { text, calls, thread } = await complete(served, history, { tools: [weather] })
      assert.equal(text, threads.size === 0 ? 'Looking.' : '')
      history.push(assistant('', { tool_calls: calls }), tool(calls[0]?.['id'], output))
      threads.add(thread)
    }
    const { text, thread } = await complete(served, history, { tools: [weather] })
    assert.match(text, /It is .*rainy/s)
    const next = await complete(served, [...history, assistant(text), user('thanks')], { tools: [weather] })
    assert.equal(next.text, 'You said: thanks')
    assert.deepEqual([...threads, thread, next.thread], [thread, thread, thread])
  })

  it('take the first of several outputs', async (t) => {
    const served = await open(t)
    const { calls, thread } = await complete(served, [user('weather?')], { tools: [weather] })
    const outputs = ['sunny', 'rainy'].map((output) => tool(calls[0]?.['id'], output))
    const start = [user('weather?'), assistant(null, { tool_calls: calls })]
    const told = await complete(served, [...start, ...outputs], { tools: [weather] })
    assert.match(told.text, /sunny/)
    assert.equal(told.thread, thread)
  })

  it('keep their thread where the turn after their output failed: a retry and the next message go on there', async (t) => {
    const replies: Reply[] = [
      { when: 'weather', text: 'Looking.', calls: [{ name: 'get_weather', args: { city: 'Rome' } }] },
      { afterTool: 'get_weather', error: { code: 'model_failed', message: 'broke' } },
      { when: 'Continue.', error: { code: 'model_failed', message: 'broke again' } },
      { when: '', text: 'You said: {{input}}' },
    ]
    const served = await open(t, { replies })
    const asked = await complete(served, [user('weather?')], { tools: [weather] })
    const output = tool(asked.calls[0]?.['id'], 'sunny')
    const history = [user('weather?'), assistant(asked.text, { tool_calls: asked.calls }), output]
    for (const _ of ['first', 'retry', 'another']) {
      const { status, thread } = await complete(served, history, { tools: [weather] })
      assert.deepEqual([status, thread], [502, asked.thread])
    }
    const next = await complete(served, [...history, user('and?')], { tools: [weather] })
    assert.deepEqual([next.text, next.thread], ['You said: and?', asked.thread])
    const [, looking] = served.asked.at(-1)?.items ?? []
    assert.deepEqual(looking?.type === 'message' && looking.content, [{ type: 'text', text: 'Looking.' }])
    const after = [...history, user('and?'), assistant(next.text), user('so?')]
    assert.equal((await complete(served, after)).thread, asked.thread)
    assert.equal(await count(served), 1)
  })

  it('have a thread of their own for another output than the one that a failed turn has', async (t) => {
    const replies: Reply[] = [
      { when: 'weather', calls: [{ name: 'get_weather', args: { city: 'Rome' } }] },
      { afterTool: 'get_weather', error: { code: 'model_failed', message: 'broke' } },
    ]
    const served = await open(t, { replies })
    const { calls, thread } = await complete(served, [user('weather?')], { tools: [weather] })
    const start = [user('weather?'), assistant(null, { tool_calls: calls })]
    const [sunny, rainy] = ['sunny', 'rainy'].map((output) => [...start, tool(calls[0]?.['id'], output)])
    assert.equal((await complete(served, sunny ?? [], { tools: [weather] })).thread, thread)
    assert.notEqual((await complete(served, rainy ?? [], { tools: [weather] })).thread, thread)
    assert.match(JSON.stringify(served.asked.at(-1)?.items), /rainy/)
  })

  it('fork before another output of the same call', async (t) => {
    const served = await open(t)
    const one = await complete(served, [user('weather?')], { tools: [weather] })
    const start = [user('weather?'), assistant(null, { tool_calls: one.calls })]
    const id = one.calls[0]?.['id']
    const sunny = await complete(served, [...start, tool(id, 'sunny')], { tools: [weather] })
    const rainy = await complete(served, [...start, tool(id, 'rainy')], { tools: [weather] })
    assert.match(sunny.text, /sunny/)
    assert.match(rainy.text, /rainy/)
    assert.notEqual(rainy.thread, sunny.thread)
  })

  it('are imported with their outputs where no thread knows them', async (t) => {
    const served = await open(t)
    const calls = [{ id: 'x1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } }]
    const history = [user('weather?'), assistant('', { tool_calls: calls }), tool('x1', 'cold')]
    const { text, thread } = await complete(served, history, { tools: [weather] })
    assert.match(text, /cold/)
    const result = (await itemsOf(served, thread)).find(({ type }) => type === 'result')
    assert.ok(result?.type === 'result' && result.origin !== undefined)
    const on = await complete(served, [...history, assistant(text), user('thanks')])
    assert.equal(on.thread, thread)
  })

  it('must get their output before anything else, and only theirs', async (t) => {
    const served = await open(t)
    const { calls, thread } = await complete(served, [user('weather?')], { tools: [weather] })
    const start = [user('weather?'), assistant(null, { tool_calls: calls })]
    const without = await complete(served, [...start, user('hello?')])
    assert.deepEqual(
      [without.status, without.error['code'], without.error['param']],
      [400, 'tool_output_required', 'messages'],
    )
    const headers = { 'x-atrium-thread': thread }
    const other = await complete(served, [tool('call_other', 'x')], {}, headers)
    assert.deepEqual([other.status, other.error['param']], [400, 'messages[0].tool_call_id'])
    const right = await complete(served, [tool(calls[0]?.['id'], 'sunny')], { tools: [weather] }, headers)
    assert.match(right.text, /sunny/)
    const late = await complete(served, [tool(calls[0]?.['id'], 'sunny')], {}, headers)
    assert.deepEqual([late.status, late.error['code']], [400, 'no_open_gate'])
  })

  it('with a name of ours are renamed for the model alone, where the operator lets them be', async (t) => {
    const served = await open(t, {
      rules: { foreignTools: 'drop' },
      replies: [
        { when: 'clock', calls: [{ name: 'caller_time', args: {} }] },
        { afterTool: 'caller_time', text: 'It is {{result}}.' },
      ],
    })
    const tools = [{ type: 'function', function: { name: 'time' } }, { type: 'web_search' }]
    for (const stream of [false, true]) {
      const asked = await complete(served, [user('clock')], { tools, stream })
      assert.deepEqual(
        [asked.finish, (asked.calls[0]?.['function'] as Wire | undefined)?.['name']],
        ['tool_calls', 'time'],
      )
      const history = [
        user('clock'),
        assistant(null, { tool_calls: asked.calls }),
        tool(asked.calls[0]?.['id'], 'late'),
      ]
      const told = await complete(served, history, { tools })
      assert.match(told.text, /late/)
      assert.equal(told.thread, asked.thread)
    }
    const calls = [{ id: 'x1', type: 'function', function: { name: 'time', arguments: '{}' } }]
    await complete(served, [user('clock'), assistant('', { tool_calls: calls }), tool('x1', 'early')], { tools })
    const replayed = served.asked.at(-1)?.items.find((item) => item.type === 'call')
    assert.ok(replayed?.type === 'call' && replayed.name === 'caller_time', 'also in a history that is new')
  })

  it('are not offered with tool_choice none', async (t) => {
    const served = await open(t)
    await complete(served, [user('hi')], { tools: [weather], tool_choice: 'none' })
    assert.ok(!served.asked.at(-1)?.tools.some(({ name }) => name === 'get_weather'))
    await complete(served, [user('hi')], { tools: [weather], tool_choice: 'required' })
    assert.ok(served.asked.at(-1)?.tools.some(({ name }) => name === 'get_weather'))
  })
})

describe('a gate', () => {
  for (const stream of [false, true]) {
    it(`is told in words until it is answered, ${stream ? 'streamed' : 'whole'}; then the thread goes on`, async (t) => {
      const served = await open(t)
      const start = [user('write it')]
      const first = await complete(served, start, { stream })
      assert.equal(first.finish, 'stop')
      assert.match(first.text, /^I will write it\.\n\nWaiting for your approval\./)
      assert.match(first.text, /workspace_write/)
      assert.ok(first.text.includes(`${served.url}/threads/${first.thread}`))
      const before = await itemsOf(served, first.thread)
      const yes = [...start, assistant(first.text), user('yes')]
      const second = await complete(served, yes, { stream })
      assert.deepEqual([second.thread, second.finish], [first.thread, 'stop'])
      assert.match(second.text, /Waiting for your approval/)
      assert.deepEqual(await itemsOf(served, first.thread), before, 'nothing was stored, nothing approved')
      const [gate] = await served.gates.list(ann)
      assert.ok(gate)
      await served.gates.answer(ann, first.thread, { callId: gate.gate.callId, decision: 'allow', by: ann })
      await eventually(async () => (await served.threads.get(ann, first.thread))?.state === 'idle')
      const third = await complete(served, [...yes, assistant(second.text), user('done?')], { stream })
      assert.deepEqual([third.thread, third.text], [first.thread, 'You said: done?'])
      assert.ok(texts(await itemsOf(served, first.thread)).includes('Written.'))
    })
  }

  it('that the turn before comes to is told to the request behind it', async (t) => {
    const { promise: hold, resolve: release } = Promise.withResolvers<void>()
    const served = await open(t, {
      model: {
        provider: 'test',
        name: 'test',
        window: 100_000,
        async *stream({ items }) {
          const last = items.at(-1)
          if (last?.type === 'message' && textOf(last).includes('write')) {
            await hold
            yield [
              { type: 'call', name: 'workspace_write', args: '{}' },
              {
                type: 'done',
                usage: { inputTokens: 1, cachedTokens: 0, outputTokens: 1, reasoningTokens: 0, costUsd: 0 },
              },
            ]
            return
          }
          yield [
            { type: 'text', text: 'ok' },
            {
              type: 'done',
              usage: { inputTokens: 1, cachedTokens: 0, outputTokens: 1, reasoningTokens: 0, costUsd: 0 },
            },
          ]
        },
      },
    })
    const one = await complete(served, [user('one')])
    const start = [user('one'), assistant(one.text)]
    const writing = complete(served, [...start, user('write')])
    await eventually(async () => (await served.threads.get(ann, one.thread))?.state === 'running')
    const behind = complete(served, [user('and this')], {}, { 'x-atrium-thread': one.thread })
    await eventually(async () => (await served.turns.count(ann)).queued === 1)
    release()
    for (const { text, thread } of await Promise.all([writing, behind])) {
      assert.equal(thread, one.thread)
      assert.match(text, /Waiting for your approval/)
    }
    assert.equal((await served.turns.count(ann)).queued, 0)
  })
})
