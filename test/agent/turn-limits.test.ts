// The bounds of a turn, with their numbers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCallKeys, defaultBounds, reachedBound } from '#agent/turn-limits.ts'
import type { ReachedLimit } from '#core/errors.ts'
import type { Call, Item } from '#core/item.ts'
import type { Json } from '#core/json.ts'
import { call } from './tools.ts'

let made = 0
function done(name: string, args: Json, error = false): Item[] {
  const callId = `c${made++}`
  return [
    call(callId, name, args),
    { type: 'attempt', callId },
    { type: 'result', callId, output: 'boom', ...(error && { error }) },
  ]
}

function times(count: number, make: (at: number) => Item[]): Item[] {
  return Array.from({ length: count }, (_, at) => make(at)).flat()
}

const same = () => done('read', { a: 1, b: 2 })
const failing = (at: number) => done('read', { at }, true)

const bounds: readonly [what: string, spent: { items?: Item[]; steps?: number }, code: string | undefined][] = [
  ['nothing yet', {}, undefined],
  ['49 answers of the model', { steps: 49 }, undefined],
  ['50 answers of the model', { steps: 50 }, 'step_limit'],
  ['the same call 3 times', { items: times(3, same) }, undefined],
  ['the same call 4 times', { items: times(4, same) }, 'repeated_call'],
  [
    'the same arguments in another order',
    { items: [...times(3, same), ...done('read', { b: 2, a: 1 })] },
    'repeated_call',
  ],
  [
    'the same calls with others between',
    { items: times(4, (at) => [...same(), ...done('read', { at })]) },
    'repeated_call',
  ],
  ['the same arguments for another tool', { items: [...times(3, same), ...done('once', { a: 1, b: 2 })] }, undefined],
  ['arguments that differ', { items: times(30, (at) => done('read', { at })) }, undefined],
  [
    'arguments that differ beyond what a number can hold',
    {
      items: times(4, (at) => [{ type: 'call', callId: `n${at}`, name: 'read', args: `{"id":9007199254740993${at}}` }]),
    },
    undefined,
  ],
  ['the same garbled arguments 4 times', { items: times(4, () => done('read', '{"half')) }, 'repeated_call'],
  ['4 failures in a row', { items: times(4, failing) }, undefined],
  ['5 failures in a row', { items: times(5, failing) }, 'failing_tool'],
  [
    'a success between failures',
    { items: [...times(4, failing), ...done('read', 'ok'), ...times(4, failing)] },
    undefined,
  ],
  ['failures of two tools', { items: times(4, (at) => [...failing(at), ...done('once', { at }, true)]) }, undefined],
  [
    '5 failures with another tool between',
    { items: times(5, (at) => [...failing(at), ...done('once', { at })]) },
    'failing_tool',
  ],
  ['a result of an earlier turn', { items: times(9, (at) => failing(at).slice(1)) }, undefined],
]
const limits: Readonly<Record<string, ReachedLimit>> = {
  step_limit: { kind: 'steps', max: 50 },
  repeated_call: { kind: 'same_call', max: 4, tool: 'read' },
  failing_tool: { kind: 'failures_in_a_row', max: 5, tool: 'read' },
}
for (const [what, { items = [], steps = 0 }, code] of bounds) {
  test(`after ${what}: ${code ?? 'the turn goes on'}`, () => {
    const bound = reachedBound({ items, steps }, defaultBounds)
    assert.equal(bound?.code, code)
    assert.deepEqual(bound?.limit, limits[code ?? ''])
    if (bound) assert.match(bound.message, /: /, 'it says what to do, or what went wrong last')
  })
}

test('long arguments are not parsed: they repeat as they are written', () => {
  const long = { text: 'a'.repeat(5_000), more: 1 }
  const spaced: Item = { type: 'call', callId: 'x', name: 'read', args: JSON.stringify(long, null, 1) }
  const same = times(3, () => done('read', long)).flat()
  assert.equal(reachedBound({ items: [...same, spaced], steps: 0 }, defaultBounds), undefined)
  assert.equal(
    reachedBound({ items: [...same, ...done('read', long)], steps: 0 }, defaultBounds)?.code,
    'repeated_call',
  )
})

test('long arguments of the same length are others', () => {
  const items = ['a', 'b', 'c', 'd'].flatMap((letter) => done('read', { text: letter.repeat(5_000) }))
  assert.equal(reachedBound({ items, steps: 0 }, defaultBounds), undefined)
})

test('the key of a call is worked out once', () => {
  const keyOf = createCallKeys()
  let reads = 0
  const read: Call = {
    type: 'call',
    callId: 'x',
    name: 'read',
    get args() {
      reads++
      return '{ "a": 1 }'
    },
  }
  assert.equal(keyOf(read), keyOf(read))
  const once = reads
  keyOf(read)
  assert.equal(reads, once)
  assert.equal(keyOf(read), keyOf({ type: 'call', callId: 'y', name: 'read', args: '{"a":1}' }))
})

test('a turn has 30 minutes', () => assert.equal(defaultBounds.minutes, 30))
