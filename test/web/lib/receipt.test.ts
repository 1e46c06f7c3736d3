// The parts of a receipt in words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { didWords, fencedWords, noteWords, requestWords } from '../../../web/lib/receipt.ts'

test('a call is told by what it did; one from before that was kept by nothing', () => {
  assert.deepEqual((['read', 'keep', 'write', 'danger', undefined] as const).map(didWords), [
    'reads',
    'writes',
    'writes',
    'danger',
    '',
  ])
})

test('a host is told with its requests, over all calls', () => {
  const sent = (method: string, host: string, times: number) => ({ method, host, times })
  const tools = [
    { sent: [sent('GET', 'a.example', 1), sent('POST', 'b.example', 1)] },
    { sent: [sent('GET', 'a.example', 2), sent('POST', 'a.example', 1)] },
    { sent: [] },
  ]
  assert.equal(requestWords('a.example', tools), '3 GET, 1 POST')
  assert.equal(requestWords('b.example', tools), '1 POST')
  assert.equal(requestWords('c.example', tools), '')
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
