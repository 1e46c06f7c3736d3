// What becomes of a call: run, left to the caller, asked for, or refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '#core/ids.ts'
import { type Item, textMessage } from '#core/item.ts'
import type { Verdict } from '#core/policy.ts'
import { loopTurns } from '../loop-turns.ts'
import { runOne } from './bench.ts'
import { boxOf, call, scripted, specOf, tool, toolsOf } from './tools.ts'

const tools = [tool('read', { repeatable: true }), tool('write', { repeatable: false })]
const open = (verdict: Verdict = { do: 'allow' }) =>
  boxOf(tools, { callerTools: [specOf('theirs')], judge: () => verdict })

test('a call is run where the policy allows it, and keeps what the policy says of it', () => {
  assert.deepEqual(open().kindOf(call('c', 'read')), { do: 'run' })
  const ask: Verdict = { do: 'ask', reason: 'a word', why: 'it asks' }
  assert.deepEqual(open(ask).kindOf(call('c', 'read')), ask)
})

test('a function of the caller is theirs, whatever the policy says', () => {
  assert.deepEqual(open({ do: 'deny', reason: 'no' }).kindOf(call('c', 'theirs')), { do: 'caller' })
})

test('a tool that nobody has is unknown; arguments that are no object are invalid', () => {
  const box = open()
  assert.deepEqual(box.kindOf(call('c', 'nobody')), { do: 'unknown' })
  for (const args of ['', '[]', '1', '{']) {
    for (const name of ['read', 'theirs']) {
      assert.deepEqual(box.kindOf({ type: 'call', callId: 'c', name, args }), { do: 'invalid' }, `${name} ${args}`)
    }
    assert.deepEqual(box.kindOf({ type: 'call', callId: 'c', name: 'nobody', args }), { do: 'unknown' })
  }
})

test('only a tool of the service that says so may run again', () => {
  const box = open()
  assert.deepEqual(
    ['read', 'write', 'theirs', 'nobody'].map((name) => box.repeatable(call('c', name))),
    [true, false, false, false],
  )
  assert.deepEqual([box.find('read')?.spec.name, box.find('theirs')], ['read', undefined])
})

test('the model sees the functions of the caller behind the tools; without them the list is the same one for all', () => {
  assert.deepEqual(
    open()
      .specs()
      .map(({ name }) => name),
    ['read', 'write', 'theirs'],
  )
  const ours = toolsOf(tools)
  assert.equal(boxOf([], { tools: ours }).specs(), ours.specs)
})

/** A toolbox with one tool, and what it was asked for in order. */
function watched() {
  const order: string[] = []
  const toolbox = boxOf([tool('read')], {
    async prepare(calls) {
      await new Promise(setImmediate)
      for (const { call } of calls) order.push(`prepared ${call.args}`)
    },
    judge({ args }) {
      order.push(`judged ${args}`)
      return { do: 'allow' }
    },
  })
  return { order, toolbox }
}

test('the calls of a response are prepared before they are judged', async (t) => {
  const { order, toolbox } = watched()
  await runOne(t, { model: scripted([[{ name: 'read', args: { at: 1 } }], ['Done']]), toolbox })
  assert.deepEqual(order.slice(0, 2), ['prepared {"at":1}', 'judged {"at":1}'])
})

test('the calls of a response are judged once, and others have a turn between two of them', async (t) => {
  let judged = 0
  const toolbox = boxOf(tools, { judge: () => (judged++, { do: 'allow' }) })
  const calls = Array.from({ length: 20 }, (_, at) => call(`c${at}`, 'read', { at }))
  const turns = await loopTurns(t, async () => toolbox.prepare(calls))
  assert.ok(turns >= calls.length - 1, `${turns} turns of the loop`)
  assert.deepEqual(
    calls.map((each) => toolbox.kindOf(each)),
    calls.map(() => ({ do: 'run' })),
  )
  assert.equal(judged, calls.length)
})

test('a judgement holds until calls are prepared again', async () => {
  let verdict: Verdict = { do: 'allow' }
  const toolbox = boxOf(tools, { judge: () => verdict })
  const items = [call('c', 'read')]
  await toolbox.prepare(items)
  verdict = { do: 'deny', reason: 'no' }
  assert.deepEqual(
    items.map((each) => toolbox.kindOf(each)),
    [{ do: 'run' }],
  )
  await toolbox.prepare(items)
  assert.deepEqual(
    items.map((each) => toolbox.kindOf(each)),
    [verdict],
  )
})

test('a call whose gate waits for an answer is not judged before that', () => {
  const gate: Item = { type: 'gate', callId: 'c', kind: 'approval', name: 'write', args: '{}', prompt: 'Run it?' }
  assert.equal(open().prepare([call('c', 'write'), gate]), undefined)
})

test('a call that is open when its turn goes on is prepared too', async (t) => {
  const { order, toolbox } = watched()
  const input = [textMessage('user', 'read it'), call('c', 'read', { at: 1 })].map((item) => ({ id: newId(), item }))
  await runOne(t, { model: scripted([['Done']]), toolbox, given: { input } })
  assert.deepEqual(order.slice(0, 2), ['prepared {"at":1}', 'judged {"at":1}'])
})
