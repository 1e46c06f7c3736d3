// The gate that a call waits at: what its tool tells of it, without secrets and bounded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Settlement } from '#agent/move.ts'
import { type AskInput, attemptDraft, gateDraft, isGate, refusal, runCall } from '#agent/settle.ts'
import { AppError } from '#core/errors.ts'
import type { Progress } from '#core/event.ts'
import { userId } from '#core/ids.ts'
import type { Tool, ToolContext } from '#core/tool.ts'
import { boxOf, call, runParts, tool } from './tools.ts'

async function opened(act: Tool, args: object = {}, over: Partial<Settlement> = {}) {
  const toolbox = boxOf([act])
  const context = { user: userId('ada'), signal: AbortSignal.timeout(60_000) }
  const mask = (text: string): string => text.replaceAll('hush', '***')
  const asked = { call: call('c', 'act', { ...args }), how: 'approval', word: 'act asks', why: 'It asks' } as const
  const settlement = { ...asked, ...over }
  return (await gateDraft(settlement, { toolbox, context, mask })).item
}

const question = { text: 'Send hush?', brief: 'Send', sentence: 'Sends hush.', pending: 'Nothing has been sent yet.' }

test('what a tool tells of a call is kept with its gate, without secrets; a long text is cut and says so', async () => {
  const headers = { type: 'hush', 'x-key': 'hush hush' }
  const body = 'x'.repeat(30_001)
  const item = await opened(
    tool('act', {
      ask: () =>
        Promise.resolve({
          question,
          preview: { type: 'request', method: 'POST', url: 'https://a.example/hush', headers, body },
        }),
    }),
    { url: 'https://a.example/x' },
  )
  assert(item.type === 'gate')
  assert.deepEqual([item.reason, item.why], ['act asks', 'It asks'])
  assert.deepEqual(item.asks, {
    question: { ...question, text: 'Send ***?', sentence: 'Sends ***.' },
    preview: {
      type: 'request',
      method: 'POST',
      url: 'https://a.example/***',
      headers: { type: '***', 'x-key': '*** ***' },
      body: `${'x'.repeat(30_000)}\n[cut: 1 more characters]`,
    },
    reach: { type: 'url', url: 'https://a.example/x' },
  })
})

type Run = (args: string, context: ToolContext) => Promise<string>

async function resultOf(
  act: Tool,
  over: Partial<Settlement> = {},
  emitProgress: (progress: Progress) => void = () => {},
  askInput: AskInput = runParts.askInput,
) {
  const toolbox = boxOf([act])
  const context = { user: userId('ada'), threadId: 't', turnId: 'u', signal: AbortSignal.timeout(60_000) }
  const mask = (text: string): string => text.replaceAll('hush', '***')
  const parts = { ...runParts, toolbox, context, mask, emitProgress, askInput }
  return (await runCall({ call: call('c', 'act', {}), how: 'run', ...over }, parts)).item
}

async function ran(run: Run): Promise<string | false> {
  const item = await resultOf({ ...tool('act'), run })
  return item.type === 'result' && item.output
}

test('a result of 200,000 characters is kept whole, a longer one is cut and says so', async () => {
  const long = 'x'.repeat(200_000)
  assert.equal(await ran(() => Promise.resolve(long)), long)
  assert.equal(await ran(() => Promise.resolve(`${long}x`)), `${long}\n[cut: 1 more characters]`)
})

test('binary output reaches the model without its NULs, and they hide no secret', async () => {
  assert.equal(await ran(() => Promise.resolve('\0ELF\0 h\0u\0s\0h\0')), 'ELF ***')
  assert.equal(await ran(() => Promise.reject(new Error('no\0 h\0ush'))), 'no ***')
})

test('a tool without words of its own is asked for by its name', async () => {
  const item = await opened(tool('act'))
  assert(item.type === 'gate')
  assert.equal(item.asks?.question.text, 'Run act?')
  assert.deepEqual([item.asks.preview, item.asks.reach], [undefined, undefined])
})

test('nobody is asked for a call that its tool cannot do', async () => {
  const ask = () => Promise.reject(new AppError('invalid_input', 'find occurs in hush twice'))
  const item = await opened(tool('act', { ask }))
  assert(item.type === 'result')
  assert.deepEqual([item.error, item.output], [true, 'find occurs in *** twice'])
})

test('a failure of a question is text from outside when the tool is', async () => {
  const ask = () => Promise.reject(new Error('obey me'))
  for (const [untrusted, origin] of [
    [true, 'act'],
    [false, undefined],
  ] as const) {
    const item = await opened(tool('act', { ask, untrusted }))
    assert.equal(item.type === 'result' && item.origin, origin)
  }
})

test('a gate keeps what the model had read before, and the secrets that the tool uses', async () => {
  const item = await opened(tool('act', { secrets: ['WEATHER_KEY'] }), {}, { taint: 'fetch' })
  assert.deepEqual(item.type === 'gate' && [item.taint, item.secrets], ['fetch', ['WEATHER_KEY']])
  const plain = await opened(tool('act'))
  assert.deepEqual(Object.keys(plain).toSorted(), 'args asks callId kind name prompt reason type why'.split(' '))
})

test('a tool tells how far its call is, without secrets', async () => {
  const told: unknown[] = []
  const act: Tool = {
    ...tool('act'),
    run: async (_args, { reportProgress }) => {
      reportProgress?.({ progress: 1, total: 2, message: 'hush' })
      await new Promise(setImmediate)
      return 'ok'
    },
  }
  await resultOf(act, {}, (progress) => told.push(progress))
  assert.deepEqual(told, [{ type: 'progress', turnId: 'u', callId: 'c', progress: 1, total: 2, message: '***' }])
})

test('what a server asks a person comes without secrets, also where its call stays open', async () => {
  const input = { type: 'link', server: 'desk', message: 'Sign in with hush', url: 'https://a.example/in' } as const
  const run: Run = () => Promise.reject(new AppError('tool_refused', 'asks', { input: { request: input } }))
  const gate = await resultOf({ ...tool('act'), run })
  assert.equal(gate.type === 'gate' && gate.input?.message, 'Sign in with ***')
  const asked: unknown[] = []
  const held: Tool = { ...tool('act'), run: async (_args, { askInput }) => (await askInput?.(input))?.action ?? '' }
  await resultOf(held, {}, undefined, (draft) => {
    asked.push(draft.item.input?.message)
    return Promise.resolve({ action: 'decline' })
  })
  assert.deepEqual(asked, ['Sign in with ***'])
})

test('the gate of a caller’s function keeps which tools of ours the turn may use', async () => {
  const toolbox = boxOf([])
  const context = { user: userId('ada'), signal: AbortSignal.timeout(60_000), serviceTools: ['time'] }
  const { item } = await gateDraft({ call: call('c', 'act', {}), how: 'output' }, { ...runParts, toolbox, context })
  assert.deepEqual(item.type === 'gate' && item.serviceTools, ['time'])
})

test("a caller's function waits for its output, and no tool is asked about it", async () => {
  const item = await opened(tool('act', { ask: () => Promise.reject(new Error('asked')) }), {}, { how: 'output' })
  assert.deepEqual(item.type === 'gate' && [item.kind, item.callId, item.name], ['output', 'c', 'act'])
})

test('an approval and an output are gates; what runs or is refused is none', () => {
  const how = [
    'approval',
    'output',
    'run',
    'denied',
    'expired',
    'forbidden',
    'interrupted',
    'unknown',
    'invalid',
  ] as const
  const gates = how.filter((each) => isGate({ call: call('c', 'act'), how: each }))
  assert.deepEqual(gates, ['approval', 'output'])
})

const refusals: readonly [how: Settlement['how'], word: string | undefined, output: string][] = [
  ['denied', undefined, 'the user did not allow act'],
  ['denied', 'not today', 'the user did not allow act: not today'],
  ['expired', undefined, 'act was not run: its approval expired'],
  ['expired', 'after a week', 'act was not run: its approval expired, after a week'],
  ['forbidden', undefined, 'act is not allowed here'],
  ['forbidden', 'a rule', 'act is not allowed here: a rule'],
  [
    'interrupted',
    undefined,
    'interrupted: act was running when the service stopped; it may or may not have taken effect',
  ],
  ['unknown', undefined, 'there is no tool named act'],
  ['invalid', undefined, 'the arguments of act were not a JSON object; call it again with valid JSON'],
]
for (const [how, word, output] of refusals) {
  test(`the model reads: ${output}`, () => {
    const { item } = refusal({ call: call('c', 'act'), how, ...(word && { word }) })
    assert.deepEqual(item, { type: 'result', callId: 'c', output, error: true })
  })
}

test('a refusal names the leak rule that the call violates, and an attempt its call', () => {
  const { item } = refusal({ call: call('c', 'act'), how: 'forbidden', leak: 'aws-access-key' })
  assert.deepEqual(item.type === 'result' && item.leaks, ['aws-access-key'])
  assert.deepEqual(attemptDraft({ call: call('c', 'act'), how: 'run' }).item, { type: 'attempt', callId: 'c' })
})

const uses: readonly [what: string, run: Run, fields: object][] = [
  ['says nothing', () => Promise.resolve('ok'), { effects: 'read' }],
  [
    'sends requests, uses secrets and holds a leak back',
    (_, { reportUse }) => {
      const toA = { method: 'GET', host: 'a.example' }
      reportUse?.({ sent: [toA, { method: 'POST', host: 'a.example' }], secrets: ['KEY'] })
      reportUse?.({ sent: [toA, { method: 'GET', host: 'b.example' }], secrets: ['KEY'], leaks: ['jwt', 'jwt'] })
      return Promise.resolve('ok')
    },
    {
      effects: 'read',
      hosts: ['a.example', 'b.example'],
      sent: [
        { method: 'GET', host: 'a.example', times: 2 },
        { method: 'POST', host: 'a.example', times: 1 },
        { method: 'GET', host: 'b.example', times: 1 },
      ],
      secrets: ['KEY'],
      leaks: ['jwt'],
    },
  ],
  [
    'fails after a request',
    (_, { reportUse }) => {
      reportUse?.({ sent: [{ method: 'GET', host: 'a.example' }] })
      return Promise.reject(new Error('ok'))
    },
    {
      error: true,
      effects: 'read',
      hosts: ['a.example'],
      sent: [{ method: 'GET', host: 'a.example', times: 1 }],
    },
  ],
  [
    'returns text from outside',
    (_, { markUntrusted }) => {
      markUntrusted?.()
      return Promise.resolve('ok')
    },
    { origin: 'act', effects: 'read' },
  ],
  [
    'returns text from an address',
    (_, { markUntrusted }) => {
      markUntrusted?.(`https://a.example/${'x'.repeat(500)}`)
      return Promise.resolve('ok')
    },
    { origin: `https://a.example/${'x'.repeat(282)}`, effects: 'read' },
  ],
]
for (const [what, run, fields] of uses) {
  test(`the result of a tool that ${what} says so`, async () => {
    const item = await resultOf({ ...tool('act'), run })
    assert.deepEqual(item, { type: 'result', callId: 'c', output: 'ok', ...fields })
  })
}

test('a tool is told whether the model had read text from outside', async () => {
  const told: unknown[] = []
  const run: Run = (_, { tainted, callId }) => Promise.resolve(String(told.push([tainted, callId])))
  await resultOf({ ...tool('act'), run })
  await resultOf({ ...tool('act'), run }, { taint: 'fetch' })
  assert.deepEqual(told, [
    [false, 'c'],
    [true, 'c'],
  ])
})

test('a tool that has been removed since is unknown', async () => {
  const item = await resultOf(tool('other'))
  assert.deepEqual(item.type === 'result' && [item.error, item.output], [true, 'there is no tool named act'])
})

test('a missing credential is asked for with its name', async () => {
  for (const credential of [undefined, { tool: 'weather', secret: 'WEATHER_KEY' }] as const) {
    const missing = new AppError('credential_missing', 'a key is needed', credential && { credential })
    const item = await resultOf(tool('act', {}, () => Promise.reject(missing)))
    assert.deepEqual(item.type === 'gate' && [item.kind, item.prompt, item.credential], [
      'credential',
      'a key is needed',
      credential,
    ])
  }
})

test('a turn that was stopped while its tool began does not wait for the tool', async () => {
  const controller = new AbortController()
  const deaf = tool('act', {}, () => {
    controller.abort(new AppError('turn_cancelled', 'x'))
    return new Promise(() => {})
  })
  const toolbox = boxOf([deaf])
  const context = { user: userId('ada'), threadId: 't', turnId: 'u', signal: controller.signal }
  const running = runCall({ call: call('c', 'act'), how: 'run' }, { ...runParts, toolbox, context })
  await assert.rejects(running, { code: 'turn_cancelled' })
})
