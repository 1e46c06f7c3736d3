// A stream that goes on behind the events that its client has: nothing twice, nothing left out.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Delta } from '#core/event.ts'
import { textMessage } from '#core/item.ts'
import { createStream } from '#doors/responses/tell/stream.ts'
import { createStreamRecords } from '#doors/responses/tell/stream-records.ts'
import type { Watched } from '#turns/watch.ts'
import { readEvents } from '../serve.ts'
import { delta, entry, rest, said, stored, tell, turn } from './running-turn.ts'

describe('createStream', () => {
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
})
