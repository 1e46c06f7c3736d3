// The parts of a receipt in words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effectWords, fencedWords, hostsIn, noteWords, requestWords, secretsIn } from '../../../web/lib/receipt.ts'

test('a call is told by what it did; one from before that was kept by nothing', () => {
  assert.deepEqual((['read', 'keep', 'write', 'danger', undefined] as const).map(effectWords), [
    'reads',
    'writes',
    'writes',
    'danger',
    '',
  ])
})

const call = { model: 'm', input_tokens: 1, cached_tokens: 0, output_tokens: 1, cost_usd: 0, ms: 1 }

test('the host of a model and its key are told as those of tools are, each once', () => {
  const model_calls = [{ ...call, host: 'api.example', secret: 'EXAMPLE_KEY' }, { ...call, host: 'api.example' }, call]
  assert.deepEqual(hostsIn({ hosts: ['a.example'], model_calls }), ['a.example', 'api.example'])
  assert.deepEqual(hostsIn({ hosts: ['api.example'], model_calls }), ['api.example'])
  assert.deepEqual(secretsIn({ secrets: [], model_calls }), ['EXAMPLE_KEY'])
  assert.equal(requestWords('api.example', { tools: [], model_calls }), '2 POST')
})

test('a host is told with its requests, over all calls', () => {
  const sent = (method: string, host: string, times: number) => ({ method, host, times })
  const tools = [
    { sent: [sent('GET', 'a.example', 1), sent('POST', 'b.example', 1)] },
    { sent: [sent('GET', 'a.example', 2), sent('POST', 'a.example', 1)] },
    { sent: [] },
  ]
  assert.equal(requestWords('a.example', { tools, model_calls: [call] }), '3 GET, 1 POST')
  assert.equal(requestWords('b.example', { tools, model_calls: [{ ...call, host: 'b.example' }] }), '2 POST')
  assert.equal(requestWords('c.example', { tools, model_calls: [] }), '')
  const failed = { ...call, host: 'c.example', attempts: 4 }
  assert.equal(requestWords('c.example', { tools, model_calls: [failed] }), '4 POST')
})

test('what came from outside is told as fenced', () => {
  const page = { name: 'web_fetch', origin: 'https://a.example/' }
  const here = { name: 'calculate' }
  assert.equal(fencedWords([here]), undefined)
  assert.equal(fencedWords([here, page]), 'The page fetched was fenced as outside content.')
  assert.equal(fencedWords([page, page]), 'The pages fetched were fenced as outside content.')
  const file = { name: 'workspace_read', origin: 'a.md' }
  assert.equal(
    fencedWords([page, file, page]),
    'What web_fetch and workspace_read brought was fenced as outside content.',
  )
})

test('a note names the tool of its call, else the place', () => {
  const tools = [{ call_id: 'call_1', name: 'web_fetch' }]
  assert.equal(noteWords({ rule: 'urgency', where: 'call_1' }, tools), 'in what web_fetch brought')
  assert.equal(noteWords({ rule: 'urgency', where: 'file a.md' }, tools), 'in file a.md')
  assert.equal(noteWords({ rule: 'leak-jwt', where: 'call_1' }, tools), 'kept from going out by web_fetch')
})
