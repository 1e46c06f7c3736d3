// Small parts of the MCP client: named values, exact arguments, bounds of a message, rounds of input, the time of a call.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AppError } from '#core/errors.ts'
import { createCallDeadline } from '#mcp/call-deadline.ts'
import { messageText } from '#mcp/exact-arguments.ts'
import { answered, askFirst, type InputRound, inputRequest, protocolAnswer, roundOf } from '#mcp/input.ts'
import { MessageExcess, shortened } from '#mcp/long-messages.ts'
import { readValues, secretsIn } from '#mcp/values.ts'
import { drained } from '#safety/drained.ts'

test('values come from secrets, from the environment, or as they are written', async () => {
  const sources = {
    secret: (name: string) => Promise.resolve(name === 'token' ? 'sealed' : undefined),
    environment: (name: string) => (name === 'REGION' ? 'eu' : undefined),
  }
  const named = { A: 'token', B: '$REGION', C: '=plain', D: '=', E: '=$REGION' }
  assert.deepEqual(await readValues(named, sources), { A: 'sealed', B: 'eu', C: 'plain', D: '', E: '$REGION' })
  assert.deepEqual(secretsIn({ ...named, F: 'other', G: 'token' }), ['token', 'other'])
  for (const [from, message] of [
    ['other', 'A needs the secret other, which is not set: run `atrium secret set other`'],
    ['$HOST', "A needs the variable HOST, which the service's environment does not have"],
  ] as const)
    await assert.rejects(readValues({ A: from }, sources), { code: 'tool_refused', message })
})

test('the arguments of a call go out as they were written, on one line', () => {
  const args = { id: 1e21 }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a', arguments: args } } as const
  const exact = new WeakMap<object, string>([[args, '{"id":\r\n1000000000000000000001}']])
  assert.equal(
    messageText(message, exact),
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"id":  1000000000000000000001}}}',
  )
  assert.equal(messageText(message, new WeakMap()), JSON.stringify(message))
  const dollars = new WeakMap<object, string>([[args, '{"id":"$&$1"}']])
  assert.match(messageText(message, dollars), /"arguments":\{"id":"\$&\$1"\}/)
  for (const other of [
    { jsonrpc: '2.0', method: 'x' },
    { jsonrpc: '2.0', id: 1, result: {} },
  ] as const)
    assert.equal(messageText(other, exact), JSON.stringify(other))
})

for (const [name, json, excess] of [
  ['200,000 values', `[${'1,'.repeat(199_998)}1]`, undefined],
  ['200,001 values', `[${'1,'.repeat(199_999)}1]`, '200000 values'],
  ['40,000 names', `{${'"a":1,'.repeat(39_999)}"a":1}`, undefined],
  ['40,001 names', `{${'"a":1,'.repeat(40_000)}"a":1}`, '40000 field names'],
  ['1,000 levels', `${'['.repeat(1_000)}${']'.repeat(1_000)}`, undefined],
  ['1,001 levels', `${'['.repeat(1_001)}${']'.repeat(1_001)}`, '1000 levels'],
] as const) {
  test(`a message with ${name} is ${excess === undefined ? 'read' : 'refused'}`, () =>
    assert.equal(excessIn(Buffer.from(json)), excess))
}

function excessIn(json: Buffer): string | undefined {
  try {
    drained(shortened(json))
  } catch (error) {
    if (error instanceof MessageExcess) return error.message
  }
  return undefined
}

const form = { message: 'Which?', requestedSchema: { properties: { city: { type: 'string' } } } }
const ask = { method: 'elicitation/create', params: form }

test('a request for input becomes a form or a page, or is refused with the reason', () => {
  const shown = inputRequest('desk', form)
  assert.deepEqual([shown.type, shown.server, shown.message], ['form', 'desk', 'Which?'])
  const link = inputRequest('desk', { ...form, mode: 'url', url: 'https://a.test/' })
  assert.deepEqual(link, { type: 'link', server: 'desk', message: 'Which?', url: 'https://a.test/' })
  for (const params of [undefined, 'x', {}, { mode: 'url', url: 'file:///x' }])
    assert.throws(() => inputRequest('desk', params), {
      code: 'tool_refused',
      message: /^the MCP server desk asks for input that cannot be shown: /,
    })
})

test('a round asks one request after the other, and ends with all answers', () => {
  const round = roundOf('desk', { a: ask, b: ask }, 'their state')
  assert.deepEqual(round, {
    responses: {},
    waiting: [
      ['a', form],
      ['b', form],
    ],
    state: 'their state',
  })
  assert.equal('state' in roundOf('desk', { a: ask }, 5), false)
  assert.deepEqual(roundOf('desk', undefined, undefined), { responses: {}, waiting: [] })
  const stateOf = (of: InputRound): string => {
    try {
      askFirst('desk', of)
    } catch (error) {
      const { code, input } = error as AppError
      assert.deepEqual([code, input?.request.type], ['input_required', 'form'])
      return input?.state ?? ''
    }
    return 'nothing is asked'
  }
  const once = answered({ action: 'accept', values: { city: 'Bern' }, state: stateOf(round) })
  assert.ok(once)
  assert.deepEqual(once.responses, { a: { action: 'accept', content: { city: 'Bern' } } })
  const twice = answered({ action: 'decline', state: stateOf(once) })
  assert.ok(twice)
  assert.deepEqual(twice, {
    responses: { a: { action: 'accept', content: { city: 'Bern' } }, b: { action: 'decline' } },
    waiting: [],
    state: 'their state',
  })
  assert.equal(stateOf(twice), 'nothing is asked')
  for (const input of [
    undefined,
    { action: 'decline' } as const,
    { action: 'decline', state: 'no JSON' } as const,
    { action: 'decline', state: JSON.stringify(twice) } as const,
  ])
    assert.equal(answered(input), undefined)
  assert.deepEqual(protocolAnswer(form, { action: 'decline' }), { action: 'decline' })
})

test('a server asks for a few inputs only, of one kind, with a bounded state', () => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, ask]))
  assert.equal(roundOf('desk', many(20), undefined).waiting.length, 20)
  assert.throws(() => roundOf('desk', many(21), undefined), /asks for more than 20 inputs at once/)
  for (const request of [null, { method: 'sampling/createMessage' }])
    assert.throws(() => roundOf('desk', { a: request }, undefined), /asks for something that is not offered/)
  const small = roundOf('desk', { a: ask }, '')
  const room = 256 * 1024 - JSON.stringify(small).length
  const code = (state: string) => {
    try {
      askFirst('desk', { ...small, state })
    } catch (error) {
      return (error as AppError).code
    }
    return undefined
  }
  assert.deepEqual([code('x'.repeat(room)), code('x'.repeat(room + 1))], ['input_required', 'tool_refused'])
})

test('a call has its time anew with each progress, none while a person is asked, and ends with its turn', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const open = (over = {}) => {
    const stop = new AbortController()
    const deadline = createCallDeadline({ signal: stop.signal, callMs: 100, maxMs: 1_000_000, ...over })
    return { ...deadline, stop, state: () => [deadline.isOver(), deadline.signal.aborted] }
  }
  const call = open()
  t.mock.timers.tick(99)
  call.renew()
  t.mock.timers.tick(99)
  assert.deepEqual(call.state(), [false, false])
  t.mock.timers.tick(1)
  assert.deepEqual(call.state(), [true, true])
  const asked = open()
  const [first, second] = [asked.hold(), asked.hold()]
  asked.renew()
  t.mock.timers.tick(1_000)
  first()
  t.mock.timers.tick(1_000)
  assert.equal(asked.isOver(), false)
  second()
  t.mock.timers.tick(99)
  assert.equal(asked.isOver(), false)
  t.mock.timers.tick(1)
  assert.equal(asked.isOver(), true)
  const short = open({ maxMs: 50 })
  t.mock.timers.tick(49)
  assert.equal(short.isOver(), false)
  t.mock.timers.tick(1)
  assert.equal(short.isOver(), true)
  const stopped = open()
  stopped.stop.abort()
  assert.deepEqual(stopped.state(), [false, true])
  const ended = open()
  const answer = ended.hold()
  ended.end()
  answer()
  ended.renew()
  t.mock.timers.tick(1_000)
  assert.equal(ended.isOver(), false)
})
