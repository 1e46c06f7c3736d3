// Gates in the line chat: what it asks, and what a line means.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FormField } from '#core/form.ts'
import type { Gate } from '#core/item.ts'
import { createLineGates } from '#commands/line-gates.ts'

const gate = (over: Partial<Gate> = {}): Gate => ({
  type: 'gate',
  callId: 'c',
  kind: 'approval',
  name: 'act',
  args: '{"a":1}',
  prompt: 'Run `act`?',
  ...over,
})
const asking = (fields: readonly FormField[]): Gate =>
  gate({
    kind: 'input',
    prompt: 'shop asks for input.',
    input: { type: 'form', server: 'shop', message: 'Which colour?', fields },
  })

function opened(...all: readonly Gate[]) {
  const gates = createLineGates()
  for (const each of all) gates.add(each)
  return gates
}

test('an approval is asked for by y or n, one gate after the other', () => {
  const gates = opened(gate(), gate({ callId: 'd' }))
  assert.match(gates.text() ?? '', /Waiting for you: Run act\?[^]*a  1/)
  assert.equal(gates.prompt(), 'Allow once? y or n ▌ ')
  for (const line of ['', 'maybe', 'yes please', 'not yet'])
    assert.match(JSON.stringify(gates.take(line)), /y allows it once/)
  assert.deepEqual(gates.take('Yes'), { answer: { callId: 'c', decision: 'allow' } })
  assert.deepEqual(gates.take('No'), { answer: { callId: 'd', decision: 'deny' } })
  assert.equal(gates.asks(), false)
})

test('of a long call the beginning is shown, and how long it is', () => {
  const text = opened(gate({ args: JSON.stringify({ a: 'x'.repeat(10_000) }) })).text() ?? ''
  assert.match(text, /x … \(10,\d{3} characters\)\n/)
  assert.ok(text.length < 4_200)
})

test('the question of a server is shown in its words, and its form is asked field by field', () => {
  const gates = opened(
    asking([
      { name: 'colour', type: 'choice', options: [{ value: 'r', title: 'Red' }, { value: 'b' }], required: true },
      { name: 'count', type: 'integer', title: 'How many', min: 1 },
      { name: 'note', type: 'text' },
    ]),
  )
  assert.match(gates.text() ?? '', /shop asks for input\.\nshop: Which colour\?/)
  assert.equal(gates.prompt(), 'Answer it? y or n ▌ ')
  const options = gates.take('y')
  assert.match('say' in options ? options.say : '', /1 Red\n {2}2 b/)
  assert.match(gates.prompt(), /^colour \(.*\): $/)
  assert.deepEqual(gates.take(''), { say: 'it is required' })
  assert.deepEqual(gates.take('red'), { say: '' })
  assert.match(gates.prompt(), /^How many \(/)
  assert.match(JSON.stringify(gates.take('0')), /it must be/)
  gates.take('3')
  assert.deepEqual(gates.take(''), { answer: { callId: 'c', decision: 'allow', values: { colour: 'r', count: 3 } } })
  assert.equal(gates.asks(), false)
})

test('the gate after a form begins with its own question', () => {
  const field = { name: 'a', type: 'text' } as const
  const gates = opened(asking([field]), asking([field]))
  gates.take('y')
  assert.deepEqual(gates.take('one'), { answer: { callId: 'c', decision: 'allow', values: { a: 'one' } } })
  assert.equal(gates.prompt(), 'Answer it? y or n ▌ ')
  gates.take('y')
  gates.clear()
  gates.add(gate())
  assert.equal(gates.prompt(), 'Allow once? y or n ▌ ')
})

test('a question can be declined or left open; a page to open is answered once it was', () => {
  assert.deepEqual(opened(asking([])).take('no'), { answer: { callId: 'c', decision: 'deny' } })
  const link = { type: 'link', server: 'shop', message: 'Pay here', url: 'https://pay.example/' } as const
  const page = opened(gate({ kind: 'input', input: link }))
  assert.match(page.text() ?? '', /https:\/\/pay\.example\//)
  assert.equal(page.prompt(), 'Done there? y or n ▌ ')
  assert.deepEqual(page.take('y'), { answer: { callId: 'c', decision: 'allow', values: {} } })
  const left = opened(asking([{ name: 'a', type: 'text' }]))
  left.take('y')
  left.clear()
  assert.deepEqual([left.asks(), left.text()], [false, undefined])
})

test('a sign-in, and the function of a caller, are not asked for here', () => {
  assert.equal(opened(gate({ kind: 'credential' }), gate({ kind: 'output' })).asks(), false)
})
