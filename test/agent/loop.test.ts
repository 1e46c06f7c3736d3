// The loop over a real store with a scripted model: what is one step, and in what order.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainQuestion } from '#safety/gate-question.ts'
import { runCalls } from '#agent/run-calls.ts'
import { createHistories } from '#agent/history.ts'
import { type Answer, textMessage, textOf } from '#core/item.ts'
import { noUsage } from '#core/turn.ts'
import { ada, turnOf } from '../store/harness.ts'
import { openTestStore, runOne } from './bench.ts'
import { boxOf, call, runParts, type Saying, saying, type Script, scripted, tool, toolboxOf } from './tools.ts'
import { loopTurns } from '../loop-turns.ts'
import { fence } from '../safety/test-fence.ts'
import { kinds, outputs } from './steps.ts'

test('an answer is one step with its end, and its deltas name the item they become', async (t) => {
  const { steps, deltas, turn, items } = await runOne(t, {
    model: scripted([[{ type: 'reasoning', text: 'hm' }, 'Hel', 'lo']]),
  })
  assert.deepEqual(steps.map(kinds), ['reasoning message > completed'])
  assert.deepEqual(items.at(-1), { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Hello' }] })
  assert.deepEqual(
    deltas.map(({ offset, text, turnId, itemId }) => [offset, text, turnId, itemId]),
    [0, 3].map((offset) => [offset, offset ? 'lo' : 'Hel', turn.id, steps[0]?.drafts[1]?.id]),
  )
  assert.equal(turn.status, 'completed')
})

test('prose and calls of one response are one step, attempts another, each result its own', async (t) => {
  const model = scripted([['Let me see', { name: 'read' }, { name: 'once' }], ['Done']])
  const { steps, items } = await runOne(t, { model })
  assert.deepEqual(steps.map(kinds), [
    'message call call',
    'attempt attempt',
    'result',
    'result',
    'message > completed',
  ])
  assert.deepEqual(outputs(items), ['read ran', 'once ran'])
})

const gates: readonly [what: string, calls: string[], steps: string[]][] = [
  ['an approval', ['write'], ['call gate > waiting']],
  ['two approvals', ['write', 'write'], ['call call gate gate > waiting']],
  ["a caller's function", ['fn'], ['call gate > completed']],
  ["the first of two caller's functions", ['fn', 'fn2'], ['call call gate > completed']],
  ["approvals before a caller's function", ['fn', 'write'], ['call call gate > waiting']],
  ['nothing while a built-in call is open', ['fn', 'read'], ['call call', 'attempt', 'result', 'gate > completed']],
  ['a refusal first', ['gone', 'write'], ['call call', 'result', 'gate > waiting']],
]
for (const [what, names, expected] of gates) {
  test(`a response that runs into a gate is folded into one step: ${what}`, async (t) => {
    const { steps } = await runOne(t, { model: scripted([names.map((name, at) => ({ name, args: { at } }))]) })
    assert.deepEqual(steps.map(kinds), expected)
  })
}

test('tools of a turn with fewer tools are told which ones, when they ask and when they run', async (t) => {
  const seen: unknown[] = []
  const look = tool('look', {}, (_, { serviceTools }) => {
    seen.push(serviceTools)
    return Promise.resolve('ok')
  })
  const change = tool('change', {
    effects: 'write',
    ask(_, { serviceTools }) {
      seen.push(serviceTools)
      return Promise.reject(new Error('no'))
    },
  })
  for (const given of [{}, { options: { serviceTools: ['look', 'change', 'unknown'] } }]) {
    const model = scripted([[{ name: 'look' }], [{ name: 'change' }], ['ok']])
    await runOne(t, { model, toolbox: toolboxOf([look, change]), given })
  }
  const narrowed = ['look', 'change']
  assert.deepEqual(seen, [undefined, undefined, narrowed, narrowed])
})

test('calls run at the same time; results are stored as they come, the prompt has them in the order of the calls', async (t) => {
  const order = ['c', 'a', 'b']
  const done: string[] = []
  const waiting = new Map<string, () => void>()
  const slow = tool('slow', { untrusted: true }, (args) => {
    const { id } = JSON.parse(args) as { id: string }
    return new Promise((resolve) => {
      waiting.set(id, () => resolve(`ran ${id}`))
      if (waiting.size === 3) waiting.get('c')?.()
    })
  })
  const model = scripted([['a', 'b', 'c'].map((id) => ({ name: 'slow', args: { id } })), ['ok']])
  const { steps, items } = await runOne(t, {
    model,
    toolbox: toolboxOf([slow]),
    onStep(step) {
      const [first] = step.drafts
      if (first?.item.type !== 'result') return
      done.push(first.item.output)
      waiting.get(order[done.length] ?? '')?.()
    },
  })
  assert.deepEqual(steps.map(kinds), [
    'call call call',
    'attempt attempt attempt',
    'result',
    'result',
    'result',
    'message > completed',
  ])
  assert.deepEqual(done, ['ran c', 'ran a', 'ran b'])
  assert.deepEqual(outputs(items), done)
  const asked = outputs(model.requests[1]?.items ?? [])
  assert.deepEqual(
    asked.map((text) => /ran (\w)/.exec(text)?.[1]),
    ['a', 'b', 'c'],
  )
  assert.ok(asked.every((text) => /^<untrusted-content id="\w+" from="slow">/.test(text)))
})

test('the tools of many calls begin in pace: others have a turn between two of them', async (t) => {
  const calls = Array.from({ length: 20 }, (_, at) => ({ call: call(`c${at}`, 'read', { at }), how: 'run' as const }))
  const context = { user: ada, threadId: 't', turnId: 'u', signal: new AbortController().signal }
  const settled: string[] = []
  const turns = await loopTurns(t, async () => {
    for await (const { draft } of runCalls(calls, { ...runParts, toolbox: toolboxOf(), context })) {
      if (draft.item.type === 'result') settled.push(draft.item.output)
    }
  })
  assert.equal(settled.length, calls.length)
  assert.ok(turns >= calls.length - 1, `${turns} turns of the loop`)
})

test('a turn waits as soon as every call that still runs waits for a person', async () => {
  const input = { type: 'link', server: 'desk', message: 'Sign in', url: 'https://a.example/in' } as const
  const ask = tool('ask', {}, async (_args, { askInput }) => (await askInput?.(input))?.action ?? '')
  const context = { user: ada, threadId: 't', turnId: 'u', signal: new AbortController().signal }
  const calls = ['a', 'b'].map((callId) => ({ call: call(callId, 'ask'), how: 'run' as const }))
  const answers = new Map(calls.map(({ call: { callId } }) => [callId, Promise.withResolvers<Answer>()]))
  const answer = (callId: string) =>
    answers.get(callId)?.resolve({ type: 'answer', callId, decision: 'allow', by: 'web' })
  const answerTo = (callId: string) => answers.get(callId)?.promise ?? Promise.reject(new Error(callId))
  const settled: unknown[] = []
  for await (const { draft, waits } of runCalls(calls, { ...runParts, answerTo, toolbox: boxOf([ask]), context })) {
    const { item } = draft
    settled.push([item.type, 'callId' in item && item.callId, waits])
    if (settled.length === 2) answer('a')
    if (settled.length === 3) answer('b')
  }
  assert.deepEqual(settled, [
    ['gate', 'a', false],
    ['gate', 'b', true],
    ['result', 'a', true],
    ['result', 'b', false],
  ])
})

test('the questions of many calls are made in pace', async (t) => {
  const model = scripted([Array.from({ length: 20 }, (_, at) => ({ name: 'write', args: { at } }))])
  const asking: number[] = []
  let loops = 0
  let timer = setImmediate(function count() {
    loops++
    timer = setImmediate(count)
  })
  t.after(() => clearImmediate(timer))
  let now = performance.now()
  t.mock.method(performance, 'now', () => (now += 20))
  const change = tool('write', {
    effects: 'write',
    ask() {
      asking.push(loops)
      return Promise.resolve({ question: plainQuestion('write') })
    },
  })
  await runOne(t, { model, toolbox: toolboxOf([change]) })
  assert.equal(new Set(asking).size, 20, 'each in a turn of the loop of its own')
})

test('calls are judged once what takes long about them is done', async (t) => {
  let isPrepared = false
  const judged: boolean[] = []
  const toolbox = boxOf([tool('read')], {
    async prepare() {
      isPrepared = false
      await new Promise(setImmediate)
      isPrepared = true
    },
    judge() {
      judged.push(isPrepared)
      return { do: 'allow' }
    },
  })
  await runOne(t, { model: scripted([[{ name: 'read' }], ['Done']]), toolbox })
  assert.ok(judged.length > 0)
  assert.ok(!judged.includes(false))
})

const failures: readonly [what: string, name: string, args: string, expected: RegExp][] = [
  ['throws', 'throws', '{}', /^the printer is on fire$/],
  ['throws at once', 'bad', '{}', /^at once$/],
  ['throws no error', 'odd', '{}', /^just text$/],
  ['is not there', 'gone', '{}', /no tool named gone/],
  ['gets half an object', 'read', '{"a":', /not a JSON object/],
  ['gets a list', 'read', '[1]', /not a JSON object/],
]
for (const [what, name, args, expected] of failures) {
  test(`a tool that ${what} is a result the model can read, and the turn goes on`, async (t) => {
    const toolbox = toolboxOf([
      tool('throws', {}, () => Promise.reject(new Error('the printer is on fire'))),
      tool('bad', {}, () => {
        throw new Error('at once')
      }),
      // oxlint-disable-next-line prefer-promise-reject-errors -- tools are written by others
      tool('odd', {}, () => Promise.reject('just text')),
    ])
    const model = scripted([[{ name, args }], ['I see']])
    const { turn } = await runOne(t, { model, toolbox })
    const [result] = (model.requests[1]?.items ?? []).filter((item) => item.type === 'result')
    assert.match(result?.output ?? '', expected)
    assert.equal(result?.error, true)
    assert.equal(turn.status, 'completed')
  })
}

test('a result too long is cut, and says so', async (t) => {
  const long = tool('long', {}, () => Promise.resolve('x'.repeat(300_000)))
  const { items } = await runOne(t, { model: scripted([[{ name: 'long' }], ['ok']]), toolbox: toolboxOf([long]) })
  const [text] = outputs(items)
  assert.match(text?.slice(200_000) ?? '', /^\n\[cut: 100000 more characters\]$/)
})

const manyNames = Object.fromEntries(Array.from({ length: 9_990 }, (_, at) => [`name${at}`, 0]))
const floods: readonly [what: string, most: number, each: (at: number) => Saying, message: RegExp][] = [
  ['calls', 128, (at) => ({ name: 'read', args: { at } }), /more than 128 calls in one response/],
  ['blocks', 256, (at) => (at % 2 ? 'a' : { type: 'reasoning', text: 'b' }), /more than 256 parts in one response/],
  [
    'values in arguments',
    2,
    () => ({ name: 'read', args: { list: Array(24_990).fill(0) } }),
    /50000 values in the arg/,
  ],
  ['names in arguments', 2, () => ({ name: 'read', args: manyNames }), /20000 field names in the arguments of calls/],
  ['bytes', 4, () => 'ä'.repeat(512 * 1024), /more than 4194304 bytes in one response/],
]
for (const [what, most, each, message] of floods) {
  test(`a response of too many ${what} fails the turn, and none of its calls runs`, async (t) => {
    const some = Array.from({ length: most }, (_, at) => each(at))
    const fine = await runOne(t, { model: scripted([some, ['ok']]) })
    assert.equal(fine.turn.status, 'completed')
    const { turn, items } = await runOne(t, { model: scripted([[...some, each(most)]]) })
    assert.equal(turn.error?.code, 'model_failed')
    assert.match(turn.error?.message ?? '', message)
    assert.deepEqual(new Set(items.map(({ type }) => type)), new Set(['message']))
  })
}

test('what a model said is kept in the order in which it said it, each signature in its place', async (t) => {
  const model = scripted([
    [
      { type: 'reasoning', text: 'fi' },
      { type: 'reasoning', text: 'rst', signature: 's1' },
      { type: 'reasoning', text: '', signature: 's2' },
      'Let me ',
      'see.',
      { type: 'reasoning', text: 'second' },
      { type: 'call', name: 'read', args: '{"id": 9007199254740993, "price": 1.10}', signature: 's3' },
      'One more.',
      { name: 'once' },
      'There.',
    ],
    ['ok'],
  ])
  const { turn, deltas, steps } = await runOne(t, { model })
  const said = model.requests[1]?.items.slice(1) ?? []
  const ids = said.flatMap((item) => (item.type === 'call' ? [item.callId] : []))
  assert.deepEqual(said, [
    { type: 'reasoning', text: 'first', seal: 's1' },
    { type: 'reasoning', text: '', seal: 's2' },
    textMessage('assistant', 'Let me see.'),
    { type: 'reasoning', text: 'second' },
    { type: 'call', callId: ids[0], name: 'read', args: '{"id": 9007199254740993, "price": 1.10}', seal: 's3' },
    textMessage('assistant', 'One more.'),
    { type: 'call', callId: ids[1], name: 'once', args: '{}' },
    textMessage('assistant', 'There.'),
    { type: 'result', callId: ids[0], output: 'read ran', effects: 'read' },
    { type: 'result', callId: ids[1], output: 'once ran', effects: 'read' },
  ])
  const shown = new Map<string, string>()
  for (const { itemId, offset, text } of deltas) {
    assert.equal(offset, shown.get(itemId)?.length ?? 0)
    shown.set(itemId, (shown.get(itemId) ?? '') + text)
  }
  const stored = steps.flatMap(({ drafts }) => drafts.filter(({ item }) => item.type === 'message'))
  assert.deepEqual(
    [...shown],
    stored.map(({ id, item }) => [id, item.type === 'message' && textOf(item)]),
  )
  assert.equal(turn.status, 'completed')
})

test('a tool gets the arguments letter by letter as the model wrote them', async (t) => {
  const text = ' {"id": 9007199254740993,\n"price": 1.10, "id": 1e400} '
  const got: string[] = []
  const echo = tool('echo', {}, (args) => Promise.resolve(String(got.push(args))))
  const model = scripted([
    [
      { name: 'echo', args: text },
      { name: 'fn', args: text },
    ],
  ])
  const { items } = await runOne(t, { model, toolbox: toolboxOf([echo]) })
  assert.deepEqual(got, [text])
  assert.equal(items.findLast((item) => item.type === 'gate')?.args, text)
})

test('text that ran into the limit of the model is marked as cut, the turn is done', async (t) => {
  const short: Script = async function* () {
    yield [{ type: 'text', text: 'Half a' }]
    yield [{ type: 'done', usage: noUsage, stop: 'length' }]
  }
  const { items, turn } = await runOne(t, { model: scripted([short]) })
  assert.deepEqual([turn.status, items.at(-1)], ['completed', { ...textMessage('assistant', 'Half a'), cut: true }])
  const silent: Script = async function* () {
    yield [{ type: 'reasoning', text: 'let me think' }]
    yield [{ type: 'done', usage: noUsage, stop: 'length' }]
  }
  const thought = await runOne(t, { model: scripted([silent]) })
  assert.deepEqual(thought.items.at(-1), { ...textMessage('assistant', ''), cut: true })
})

test('the model that answered in place of another is named with its way', async (t) => {
  const other: Script = async function* () {
    yield [{ type: 'text', text: 'ok' }]
    yield [{ type: 'done', usage: noUsage, model: 'spare', via: { host: 'b.example' } }]
  }
  const { steps, turn } = await runOne(t, { model: scripted([other]) })
  const { model, via } = steps[0]?.drafts[0]?.asked ?? {}
  assert.deepEqual([model, via, turn.usage.model], ['spare', { host: 'b.example' }, 'spare'])
})

test('an empty response ends the turn', async (t) => {
  const { steps, turn } = await runOne(t, { model: scripted([[]]) })
  assert.deepEqual(steps.map(kinds), ['message > completed'])
  assert.equal(turn.status, 'completed')
})

test('thoughts that a provider keeps to itself are kept for it', async (t) => {
  const model = scripted([[{ type: 'reasoning', text: '', signature: 'sealed' }, { name: 'read' }], ['ok']])
  await runOne(t, { model })
  assert.deepEqual(model.requests[1]?.items[1], { type: 'reasoning', text: '', seal: 'sealed' })
})

test('usage adds up over the steps, a resumed turn goes on from what it had', async (t) => {
  const usage = { inputTokens: 1, cachedTokens: 2, outputTokens: 3, reasoningTokens: 4, costUsd: 0.5 }
  const model = scripted([saying([{ name: 'read' }], usage), saying(['ok'], usage)])
  const store = openTestStore(t)
  const started = await store.turns.start(turnOf())
  const before = { ...noUsage, inputTokens: 10 }
  const { turn } = await runOne(t, { store, model, started: { ...started, turn: { ...started.turn, usage: before } } })
  assert.deepEqual(turn.usage, {
    inputTokens: 12,
    cachedTokens: 4,
    outputTokens: 6,
    reasoningTokens: 8,
    costUsd: 1,
    model: 'test',
  })
})

test('the model is offered the tools of the service and of the caller', async (t) => {
  const model = scripted([['ok']])
  await runOne(t, { model })
  assert.deepEqual(
    model.requests[0]?.tools.map(({ name }) => name),
    ['read', 'once', 'write', 'fn', 'fn2'],
  )
})

test('a turn carried on by another process asks the model with the same prompt', async (t) => {
  const store = openTestStore(t)
  const model = scripted([['Let me see', { name: 'read' }, { name: 'fn' }], ['ok']])
  const histories = createHistories({ threads: store.threads, fence })
  const { turn, history } = await runOne(t, { store, model, histories })
  const cold = await createHistories({ threads: store.threads, fence }).open({ turn, entries: [] })
  assert.deepEqual(cold.items, history.items)
  assert.deepEqual(cold.prompt, history.prompt)
})
