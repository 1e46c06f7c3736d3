import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Delta } from '#core/event.ts'
import { type Entry, type Item, textMessage } from '#core/item.ts'
import { createStream } from '#doors/responses/tell/stream.ts'
import { createStreamRecords } from '#doors/responses/tell/stream-records.ts'
import type { Watched } from '#turns/watch.ts'
import { outputOf, readEvents, textIn, type Wire } from '../serve.ts'
import { delta, rest, turn } from './running-turn.ts'

const entry = (id: string, item: Item, turnId = 't1'): Entry => ({ seq: 1, id, turnId, at: 0, item })
const stored = (...entries: Entry[]): Watched => ({ type: 'entries', entries })
const said = (id: string, text: string): Watched => stored(entry(id, textMessage('assistant', text)))
const gate: Item = { type: 'gate', callId: 'c1', kind: 'output', name: 'f', args: '{}', prompt: '' }

function tell(events: readonly Watched[], more: { skip?: number; after?: number } = {}) {
  const stream = createStream({
    turn,
    model: 'm',
    skip: more.skip ?? 0,
    ...(more.after !== undefined && { after: more.after }),
  })
  const told = readEvents(stream.created() + stream.write(events))
  return {
    told,
    types: told.map(({ event }) => event.replace('response.', '')),
    over: stream.isOver(),
    last: told.at(-1)?.data['response'] as Wire,
  }
}

describe('createStream', () => {
  it('opens a message with its first delta and closes it with its entry', () => {
    const { types, over, last, told } = tell([
      delta('a', 0, 'Hel'),
      delta('a', 3, 'lo'),
      said('a', 'Hello'),
      rest('completed'),
    ])
    assert.deepEqual(types, [
      'created',
      'output_item.added',
      'output_text.delta',
      'output_text.delta',
      'output_item.done',
      'completed',
    ])
    assert.equal(over, true)
    assert.equal(textIn(last), 'Hello')
    assert.deepEqual(
      told.map(({ data }) => data['sequence_number']),
      [0, 1, 2, 3, 4, 5],
    )
  })

  it('tells a message that came without deltas as one', () => {
    const { types, told } = tell([said('a', 'Hello'), rest('completed')])
    assert.deepEqual(types, ['created', 'output_item.added', 'output_text.delta', 'output_item.done', 'completed'])
    assert.equal(told[2]?.data['delta'], 'Hello')
  })

  it('makes up for deltas that were lost', () => {
    const { told } = tell([delta('a', 0, 'Hel'), said('a', 'Hello'), rest('completed')])
    assert.deepEqual(
      told.filter(({ event }) => event.endsWith('delta')).map(({ data }) => data['delta']),
      ['Hel', 'lo'],
    )
  })

  it('tells the texts of one response one after the other, and each once', () => {
    const second: Delta = { type: 'delta', turnId: 't1', itemId: 'b', after: 'a', offset: 0, text: 'you' }
    const both = stored(entry('a', textMessage('assistant', 'Hello')), entry('b', textMessage('assistant', 'you')))
    const { types, last, told } = tell([delta('a', 0, 'Hello'), second, both, rest('completed')])
    const item = ['output_item.added', 'output_text.delta', 'output_item.done']
    assert.deepEqual(types, ['created', ...item, ...item, 'completed'])
    assert.deepEqual(
      outputOf(last).map(({ id, status }) => [id, status]),
      [1, 4].map((at) => [(told[at]?.data['item'] as Wire | undefined)?.['id'], 'completed']),
    )
    const late = tell([{ ...second, type: 'snapshot' }, both, rest('completed')])
    assert.deepEqual([late.types, outputOf(late.last)], [types, outputOf(last)])
  })

  it('tells cut text as incomplete, and why', () => {
    const short = stored(entry('a', { ...textMessage('assistant', 'Hal'), cut: true }))
    const { types, last } = tell([delta('a', 0, 'Hal'), short, rest('completed')])
    assert.equal(types.at(-1), 'completed')
    assert.deepEqual([last['status'], last['incomplete_details']], ['incomplete', { reason: 'max_output_tokens' }])
    assert.equal(outputOf(last)[0]?.status, 'incomplete')
    const failed = tell([short, rest('failed')]).last
    assert.deepEqual([failed['status'], failed['incomplete_details']], ['failed', null])
    assert.equal(outputOf(failed)[0]?.status, 'incomplete')
  })

  it('goes on from a snapshot', () => {
    const snapshot: Watched = { type: 'snapshot', turnId: 't1', itemId: 'a', text: 'Hel' }
    const { last, told } = tell([snapshot, delta('a', 3, 'lo'), said('a', 'Hello'), rest('completed')])
    assert.equal(textIn(last), 'Hello')
    assert.equal(told.length, 6)
  })

  it('leaves out the input, and what belongs to other turns', () => {
    const other: Watched[] = [
      { type: 'delta', turnId: 't0', itemId: 'x', offset: 0, text: 'no' },
      stored(entry('x', textMessage('assistant', 'no'), 't0')),
      { type: 'turn', turn: { ...turn, id: 't0', status: 'completed' } },
    ]
    const input = stored(
      entry('u', textMessage('user', 'hi')),
      entry('v', textMessage('assistant', 'was')),
      entry('a', textMessage('assistant', 'Yes')),
    )
    const { last, types } = tell([...other, input, rest('completed')], { skip: 2 })
    assert.equal(textIn(last), 'Yes')
    assert.equal(types.length, 5)
  })

  it('tells a call with the same item twice, after the text before it', () => {
    const { types, told } = tell([
      delta('a', 0, 'Hm.'),
      stored(entry('a', textMessage('assistant', 'Hm.')), entry('g', gate)),
      rest('completed'),
    ])
    assert.deepEqual(types, [
      'created',
      'output_item.added',
      'output_text.delta',
      'output_item.done',
      'output_item.added',
      'output_item.done',
      'completed',
    ])
    assert.deepEqual(told[4]?.data['item'], told[5]?.data['item'])
  })

  it('closes text that was never stored as incomplete, and still lists it', () => {
    const { types, last } = tell([delta('a', 0, 'Hal'), rest('cancelled')])
    assert.deepEqual(types, ['created', 'output_item.added', 'output_text.delta', 'output_item.done', 'failed'])
    assert.deepEqual(
      outputOf(last).map(({ status }) => status),
      ['incomplete'],
    )
  })

  it('never splices two attempts: what was told of a lost one ends the stream', () => {
    const others: Watched[] = [
      delta('b', 0, 'Hello'),
      { type: 'snapshot', turnId: 't1', itemId: 'b', text: 'Hello' },
      said('b', 'Hello'),
      stored(entry('g', gate)),
      rest('queued'),
    ]
    for (const other of others) {
      const { types, last, over } = tell([delta('a', 0, 'Hal'), other, said('b', 'Hello'), rest('completed')])
      assert.deepEqual(types, ['created', 'output_item.added', 'output_text.delta', 'output_item.done', 'failed'])
      assert.equal(over, true)
      assert.equal((last['error'] as Wire)['code'], 'turn_interrupted')
      assert.deepEqual([textIn(last), outputOf(last)[0]?.status], ['Hal', 'incomplete'])
    }
  })

  it('goes on with another attempt when nothing was told of the lost one', () => {
    const { last, types } = tell([
      rest('queued'),
      rest('running'),
      delta('b', 0, 'Hel'),
      said('b', 'Hello'),
      rest('completed'),
    ])
    assert.equal(types.at(-1), 'completed')
    assert.equal(textIn(last), 'Hello')
  })

  it('is not interrupted by what stands between two messages, or by other turns', () => {
    const call: Item = { type: 'call', callId: 'c0', name: 'time', args: '{}' }
    const { last } = tell([
      delta('a', 0, 'One'),
      { type: 'delta', turnId: 't0', itemId: 'x', offset: 0, text: 'no' },
      stored(entry('x', textMessage('assistant', 'no'), 't0')),
      { type: 'turn', turn: { ...turn, id: 't0', status: 'queued' } },
      stored(
        entry('r', { type: 'reasoning', text: 'hm' }),
        entry('a', textMessage('assistant', 'One')),
        entry('k', call),
      ),
      delta('b', 0, 'Two'),
      said('b', 'Two'),
      rest('completed'),
    ])
    assert.equal(last['status'], 'completed')
    assert.deepEqual(
      outputOf(last).map(({ status }) => status),
      ['completed', 'completed'],
    )
  })

  it('ends with failed for every end but completed, and tells nothing after it', () => {
    for (const status of ['failed', 'cancelled', 'waiting'] as const) {
      assert.deepEqual(tell([rest(status), said('z', 'late'), rest('completed')]).types, ['created', 'failed'])
    }
    assert.deepEqual(tell([rest('queued'), rest('running')]).types, ['created'])
    assert.equal(tell([]).over, false)
  })

  it('leaves out events up to a number, but never the last', () => {
    const events = [said('a', 'Hello'), rest('completed')]
    assert.deepEqual(tell(events, { after: 2 }).types, ['output_item.done', 'completed'])
    const { told } = tell(events, { after: 99 })
    assert.deepEqual(
      told.map(({ data }) => data['sequence_number']),
      [100],
    )
  })

  it('sends whatever happens after the catch-up, also without a record of what the client had', () => {
    const snapshot: Watched = { type: 'snapshot', turnId: 't1', itemId: 'a', text: 'Hel' }
    const lost = { type: 'delta', turnId: 't1', itemId: 'b', after: 'a', offset: 0, text: 'you' } as const
    const table: [events: Watched[], told: [number, string][]][] = [
      [
        [snapshot, delta('a', 3, 'lo'), said('a', 'Hello'), rest('completed')],
        [
          [51, 'output_text.delta'],
          [52, 'output_item.done'],
          [53, 'completed'],
        ],
      ],
      [
        [snapshot, said('a', 'Hello'), rest('completed')],
        [
          [51, 'output_text.delta'],
          [52, 'output_item.done'],
          [53, 'completed'],
        ],
      ],
      [
        [said('z', 'Stored'), delta('a', 0, 'Hel'), rest('cancelled')],
        [
          [51, 'output_item.added'],
          [52, 'output_text.delta'],
          [53, 'output_item.done'],
          [54, 'failed'],
        ],
      ],
      [
        [snapshot, lost, rest('cancelled')],
        [
          [51, 'output_item.done'],
          [52, 'output_item.added'],
          [53, 'output_text.delta'],
          [54, 'output_item.done'],
          [55, 'failed'],
        ],
      ],
      [[said('a', 'Hello'), rest('completed')], [[51, 'completed']]],
    ]
    for (const [events, expected] of table) {
      const { told, types } = tell(events, { after: 50 })
      assert.deepEqual(
        told.map(({ data }, at) => [data['sequence_number'], types[at]]),
        expected,
      )
    }
  })

  it('goes on after any event of a stream that was cut, whatever came meanwhile', () => {
    const hello = [delta('a', 0, 'Hel'), delta('a', 3, 'lo')]
    const both = stored(
      entry('a', textMessage('assistant', 'Hello')),
      entry('b', textMessage('assistant', 'you there')),
    )
    const snapshot = (text: string): Watched => ({ type: 'snapshot', turnId: 't1', itemId: 'b', text })
    const apart = [...hello, said('a', 'Hello'), delta('b', 0, 'yo'), delta('b', 2, 'u ')]
    // Texts of one response are stored together.
    const second: Delta = { type: 'delta', turnId: 't1', itemId: 'b', after: 'a', offset: 0, text: 'yo' }
    const joined = [...hello, second, { ...second, offset: 2, text: 'u ' }]
    const table: [live: Watched[], meanwhile: Watched[]][] = [
      [apart, [said('a', 'Hello'), snapshot('you th'), delta('b', 6, 'ere'), said('b', 'you there')]],
      [apart, [said('a', 'Hello'), snapshot('y'), delta('b', 1, 'ou '), said('b', 'you there')]],
      [apart, [said('a', 'Hello'), snapshot('you there'), said('b', 'you there')]],
      [apart, [both]],
      [joined, [{ ...second, type: 'snapshot' }, { ...second, offset: 2, text: 'u ' }, both]],
      [joined, [both]],
    ]
    for (const [live, meanwhile] of table) {
      const cut = createStream({ turn, model: 'm', skip: 0 })
      const before = readEvents(cut.created() + cut.write(live))
      for (const last of before.keys()) {
        const records = createStreamRecords()
        records.open(cut.record)
        const resumed = createStream({ turn, model: 'm', skip: 0, after: last, record: records.take('t1', last) })
        const all = [
          ...before.slice(0, last + 1),
          ...readEvents(resumed.created() + resumed.write([...meanwhile, rest('completed')])),
        ]
        assert.deepEqual(
          all.map(({ data }) => data['sequence_number']),
          [...all.keys()],
        )
        const text = all.map(({ data }) => (data['delta'] as string | undefined) ?? '').join('')
        assert.equal(text, 'Helloyou there', `after ${last}`)
        const item = ['output_item.added', 'output_text.delta', 'output_item.done']
        const types = all.map(({ event }) => event.replace('response.', ''))
        const once = types.filter((type, at) => type !== types[at - 1])
        assert.deepEqual(once, ['created', ...item, ...item, 'completed'])
      }
    }
  })

  it('can be cut and go on again and again', () => {
    const records = createStreamRecords()
    let had = ''
    let last = -1
    for (const size of [2, 3, 3, 7]) {
      const record = records.take('t1', last)
      const stream = createStream({ turn, model: 'm', skip: 0, after: last, record })
      records.open(stream.record)
      const text = '0123456789'.slice(0, size)
      const told = readEvents(stream.created() + stream.write([{ type: 'snapshot', turnId: 't1', itemId: 'a', text }]))
      had += told.map(({ data }) => (data['delta'] as string | undefined) ?? '').join('')
      for (const { data } of told) assert.equal(data['sequence_number'], ++last)
      records.left(stream.record)
    }
    assert.equal(had, '0123456')
  })

  it('fails when the client has the beginning of a message that was lost', () => {
    for (const other of [delta('b', 0, 'Hello'), said('b', 'Hello')]) {
      const cut = createStream({ turn, model: 'm', skip: 0 })
      cut.created()
      cut.write([delta('a', 0, 'Hal')])
      const stream = createStream({ turn, model: 'm', skip: 0, after: 2, record: cut.record })
      const told = readEvents(stream.created() + stream.write([other, rest('completed')]))
      assert.deepEqual(
        told.map(({ data }) => [data['type'], data['sequence_number']]),
        [['response.failed', 3]],
      )
      assert.match(JSON.stringify(told[0]?.data['response']), /"code":"turn_interrupted"/)
    }
  })

  it('keeps every event on two lines, whatever the text', () => {
    const odd = 'a\n\nb\r\nc\u2028d\u2029e\u0085f"\\\u0000\ud800'
    const stream = createStream({ turn, model: 'm', skip: 0 })
    const text = stream.write([delta('a', 0, odd)])
    assert.ok(!/[\r\u2028\u2029\u0085]/.test(text))
    assert.equal(readEvents(text).at(-1)?.data['delta'], odd)
  })
})
