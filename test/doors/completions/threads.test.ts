// Which thread a history belongs to, and what a request adds to it.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { userId } from '#core/ids.ts'
import { historyOrigin } from '#core/origins.ts'
import { type Item, textOf } from '#core/item.ts'
import type { Reply } from '#models/script.ts'
import { eventually } from '../test-app.ts'
import { serve, type Served, type ServeParts, type Wire } from '../responses/serve.ts'
import { assistant, complete, type Message, tool, user, weather } from './client.ts'

const ann = userId('ann')

const replies: Reply[] = [
  { when: 'weather', calls: [{ name: 'get_weather', args: { city: 'Rome' } }] },
  {
    when: 'both',
    calls: [
      { name: 'get_weather', args: { city: 'A' } },
      { name: 'get_weather', args: { city: 'B' } },
    ],
  },
  { afterTool: 'get_weather', text: 'It is {{result}}.' },
  { when: 'write', text: 'I will write it.', calls: [{ name: 'workspace_write', args: { path: 'a' } }] },
  { afterTool: 'workspace_write', text: 'Written.' },
  { when: '', text: 'You said: {{input}}' },
]

async function open(t: TestContext, parts: ServeParts = {}): Promise<Served> {
  const served = await serve({ replies, ...parts })
  t.after(() => served.close())
  return served
}

async function itemsOf(served: Served, threadId: string): Promise<Item[]> {
  const { entries } = await served.threads.entries(ann, threadId, { after: 0, limit: 999 })
  return entries.map(({ item }) => item)
}

const texts = (items: readonly Item[]): string[] =>
  items.flatMap((item) => (item.type === 'message' ? [textOf(item)] : []))

const count = async (served: Served): Promise<number> => (await served.threads.list(ann, { limit: 100 })).rows.length

describe('the thread of a history', () => {
  it('goes on through two hundred messages, and holds each once', async (t) => {
    const served = await open(t)
    const messages: Message[] = []
    const seen = new Set<string>()
    for (let at = 0; at < 100; at++) {
      messages.push(user(`message ${at}`))
      const { text, thread } = await complete(served, messages, { stream: at % 2 === 1 })
      seen.add(thread)
      messages.push(assistant(text))
    }
    assert.equal(seen.size, 1)
    assert.equal((await itemsOf(served, [...seen][0] ?? '')).length, 200)
    assert.equal(await count(served), 1)
  })

  it('is found however white space changed, and not when a word did', async (t) => {
    const served = await open(t)
    const first = await complete(served, [user('hi there')])
    const spaced = await complete(served, [user(' hi  there\n'), assistant(`\n${first.text}  `), user('more')])
    assert.equal(spaced.thread, first.thread)
    const changed = await complete(served, [user('hi there'), assistant(`${first.text} indeed`), user('more')])
    assert.notEqual(changed.thread, first.thread)
  })

  it('is never that of another user', async (t) => {
    const served = await open(t)
    const first = await complete(served, [user('hi')])
    const bobs = await complete(
      served,
      [user('hi'), assistant(first.text), user('more')],
      {},
      { authorization: 'Bearer bob' },
    )
    assert.equal(bobs.status, 200)
    assert.notEqual(bobs.thread, first.thread)
    const named = await complete(
      served,
      [user('hi')],
      {},
      { authorization: 'Bearer bob', 'x-atrium-thread': first.thread },
    )
    assert.deepEqual([named.status, named.error['param']], [404, 'X-Atrium-Thread'])
  })

  it('forks at an edit, and both branches go on', async (t) => {
    const served = await open(t)
    const one = await complete(served, [user('one')])
    const start = [user('one'), assistant(one.text)]
    const two = await complete(served, [...start, user('two')])
    const edited = await complete(served, [...start, user('other')])
    assert.notEqual(edited.thread, two.thread)
    assert.deepEqual(texts(await itemsOf(served, edited.thread)), ['one', one.text, 'other', edited.text])
    const left = await complete(served, [...start, user('two'), assistant(two.text), user('three')])
    const right = await complete(served, [...start, user('other'), assistant(edited.text), user('three')])
    assert.deepEqual([left.thread, right.thread], [two.thread, edited.thread])
    const again = await complete(served, [user('one')])
    assert.notEqual(again.thread, one.thread, 'without an answer among them messages start a thread')
  })

  it('forks a hundred times, and each fork goes on', async (t) => {
    const served = await open(t)
    const one = await complete(served, [user('one')])
    const start = [user('one'), assistant(one.text)]
    const forks = []
    for (let at = 0; at <= 100; at++) forks.push(await complete(served, [...start, user(`fork ${at}`)]))
    assert.equal(new Set(forks.map(({ thread }) => thread)).size, 101)
    const [, , third] = forks
    const on = await complete(served, [...start, user('fork 2'), assistant(third?.text), user('on')])
    assert.equal(on.thread, third?.thread)
  })

  it('imports what it did not say, and does not believe it', async (t) => {
    const served = await open(t)
    const history = [user('hi'), assistant('I am another model.'), user('go on')]
    const { thread, text } = await complete(served, history)
    const [, imported] = await itemsOf(served, thread)
    assert.ok(imported?.type === 'message' && imported.content[0]?.type === 'text')
    assert.equal(imported.content[0].origin, historyOrigin)
    assert.match(JSON.stringify(served.asked.at(-1)?.items[1]), /untrusted-content/)
    const next = await complete(served, [...history, assistant(text), user('more')])
    assert.equal(next.thread, thread)
  })

  it('keeps its own answers in a fork when others follow them', async (t) => {
    const served = await open(t)
    const one = await complete(served, [user('one')])
    const mixed = [user('one'), assistant(one.text), user('two'), assistant('said by another'), user('three')]
    const { thread } = await complete(served, mixed)
    assert.notEqual(thread, one.thread)
    const items = await itemsOf(served, thread)
    const origins = items.map(
      (item) => item.type === 'message' && item.content[0]?.type === 'text' && item.content[0].origin,
    )
    assert.deepEqual(origins, [undefined, undefined, undefined, historyOrigin, undefined, undefined])
  })

  it('is the one that the header names, with the newest messages alone', async (t) => {
    const served = await open(t)
    const first = await complete(served, [user('one')])
    const second = await complete(served, [user('two')], {}, { 'x-atrium-thread': first.thread })
    assert.equal(second.thread, first.thread)
    const third = await complete(
      served,
      [user('x'), assistant('y'), user('three')],
      {},
      { 'x-atrium-thread': first.thread },
    )
    assert.deepEqual(
      texts(await itemsOf(served, third.thread)).filter((_, at) => at % 2 === 0),
      ['one', 'two', 'three'],
    )
    for (const id of ['nonsense', '00000000-0000-4000-8000-000000000000']) {
      assert.equal((await complete(served, [user('x')], {}, { 'x-atrium-thread': id })).status, 404)
    }
  })

  it('has instructions where they change, and not in its title', async (t) => {
    const served = await open(t)
    const system = (content: string): Message => ({ role: 'system', content })
    const one = await complete(served, [system('Be kind.'), user('one')])
    const two = await complete(served, [system('Be kind.'), user('one'), assistant(one.text), user('two')])
    const start = [user('one'), assistant(one.text), user('two'), assistant(two.text)]
    await complete(served, [system('Be brief.'), ...start, user('three')])
    const asked = texts(await itemsOf(served, one.thread)).filter((_, at) => at % 2 === 0)
    assert.deepEqual(
      asked.map((text) => /<instructions>\n(.*)\n/.exec(text)?.[1]),
      ['Be kind.', undefined, 'Be brief.'],
    )
    assert.equal((await served.threads.get(ann, one.thread))?.title, 'one')
  })
})

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

  it('take the first of several outputs', async (t) => {
    const served = await open(t)
    const { calls, thread } = await complete(served, [user('weather?')], { tools: [weather] })
    const outputs = ['sunny', 'rainy'].map((output) => tool(calls[0]?.['id'], output))
    const start = [user('weather?'), assistant(null, { tool_calls: calls })]
    const told = await complete(served, [...start, ...outputs], { tools: [weather] })
    assert.match(told.text, /sunny/)
    assert.equal(told.thread, thread)
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
