// A running turn as a stream: messages, calls, cut text, attempts that were lost, and the end.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Delta } from '#core/event.ts'
import { type Item, textMessage } from '#core/item.ts'
import { createStream } from '#doors/responses/tell/stream.ts'
import type { Watched } from '#turns/watch.ts'
import { outputOf, readEvents, textIn, type Wire } from '../serve.ts'
import { delta, entry, rest, said, stored, tell, turn } from './running-turn.ts'

const gate: Item = { type: 'gate', callId: 'c1', kind: 'output', name: 'f', args: '{}', prompt: '' }

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

  it('keeps every event on two lines, whatever the text', () => {
    const odd = 'a\n\nb\r\nc\u2028d\u2029e\u0085f"\\\u0000\ud800'
    const stream = createStream({ turn, model: 'm', skip: 0 })
    const text = stream.write([delta('a', 0, odd)])
    assert.ok(!/[\r\u2028\u2029\u0085]/.test(text))
    assert.equal(readEvents(text).at(-1)?.data['delta'], odd)
  })
})
