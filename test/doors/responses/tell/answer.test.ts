// A stream and its reader: who ended it decides what becomes of the turn.
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { describe, it } from 'node:test'
import { setImmediate as pass } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { fixedSource } from '#doors/openai/turn-events.ts'
import { collectTurn, eventStyle, streamTurn } from '#doors/responses/tell/answer.ts'
import { createStreamRecords } from '#doors/responses/tell/stream-records.ts'
import { logTo } from '#lib/log.ts'
import type { Watched } from '#turns/watch.ts'
import { fake } from '../../../fake.ts'
import { readEvents } from '../serve.ts'
import { delta, oneByOne, rest, said, tell, turn } from './running-turn.ts'

const hel = delta('a', 0, 'Hel')

type How = {
  leaves?: boolean
  leavesAt?: string
  lastCall?: boolean
  fails?: boolean
  followed?: typeof turn
  after?: number
}

/**
 * Streams these events, one by one; with `leaves` the client goes away after them, with `leavesAt` once it reads this.
 * Returns what became of the reader.
 */
async function streamed(events: Watched[], how: How = {}) {
  const { leaves = false, leavesAt, lastCall = false, fails = false, followed = turn, after } = how
  const raw = Object.assign(new PassThrough(), { writeHead() {}, setTimeout() {}, getHeader() {} })
  const writes: string[] = []
  raw.on('data', (chunk: Buffer) => {
    writes.push(String(chunk))
    if (leavesAt !== undefined && String(chunk).includes(leavesAt)) raw.destroy()
  })
  const closed = new Promise((resolve) => raw.once('close', resolve))
  const reply = { raw, request: {}, hijack() {} } as unknown as FastifyReply
  const told: string[] = []
  const lines: string[] = []
  let [points, closes] = [0, 0]
  const source = oneByOne(events, { raw, closed, leaves, fails })
  const records = createStreamRecords()
  await streamTurn(
    reply,
    {
      turn: followed,
      model: 'm',
      skip: 0,
      events: 'specified',
      ...(after !== undefined && { after }),
      source: Object.assign(source, { close: () => void closes++ }),
    },
    {
      records,
      readers: {
        open: () => ({ left: () => void told.push('left'), done: () => void told.push('done') }),
        seen() {},
        canStop: () => false,
        isLeft: () => false,
        gone() {},
      },
      threads: { addChainPoints: async () => void (await pass(), (points += 1)) } as never,
      ...(lastCall && { lastCall: AbortSignal.abort() }),
      log: logTo((_level, _fields, message) => lines.push(message), 'warn'),
    },
  )
  await closed
  assert.ok(closes > 0, 'nothing listens to the turn any more')
  assert.equal(lines.length, fails ? 1 : 0)
  return { writes, became: { told, points, recorded: records.take('t1', 0) !== undefined } }
}

describe('the reader of a stream', () => {
  for (const [what, events, how, expected] of [
    [
      'is done at its end, and nothing is kept',
      [hel, rest('completed')],
      {},
      { told: ['done'], points: 0, recorded: false },
    ],
    ['is done when the events end early', [hel], {}, { told: ['done'], points: 0, recorded: true }],
    ['is done when the events fail', [hel], { fails: true }, { told: ['done'], points: 0, recorded: true }],
    [
      'has left when it goes, and the text it has is noted',
      [hel],
      { leaves: true },
      { told: ['left'], points: 1, recorded: true },
    ],
    [
      'is done when it is cut at shutdown',
      [hel],
      { leaves: true, lastCall: true },
      { told: ['done'], points: 0, recorded: true },
    ],
    [
      'is done when it goes in the middle of a long end',
      [said('a', 'x'.repeat(300_000)), rest('completed')],
      { leavesAt: 'event: response.completed' },
      { told: ['done'], points: 0, recorded: false },
    ],
  ] as const) {
    it(what, async () => assert.deepEqual((await streamed([...events], how)).became, expected))
  }
})

describe('the reader of a whole answer', () => {
  for (const [what, events] of [
    ['at its end', [said('a', 'hi'), rest('completed')]],
    ['when the service goes down before', [said('a', 'hi')]],
  ] as const) {
    it(`is done ${what}`, async () => {
      let done = 0
      const readers = { open: () => ({ left: () => assert.fail('left'), done: () => void done++ }) }
      const parts = fake<Parameters<typeof collectTurn>[0]>({ readers: fake(readers), turnTimeoutMs: 60_000 })
      await collectTurn(parts, { turn, model: 'm', source: fixedSource(...events) }, []).catch(() => {})
      assert.equal(done, 1)
    })
  }
})

describe('a long answer', () => {
  const text = '\u2028"x'.repeat(90_000)
  for (const [what, events] of [
    ['that is replayed', [said('a', text), rest('completed')]],
    ['that was told while it was written', [delta('a', 0, text), said('a', text), rest('completed')]],
    ['after which the turn goes on', [said('a', text), delta('b', 0, 'and'), said('b', 'and more'), rest('completed')]],
  ] as const) {
    it(`${what} has the same events, written in pieces`, async () => {
      const { writes } = await streamed([...events])
      assert.deepEqual(readEvents(writes.join('')), tell([...events]).told)
      for (const { length } of writes) assert.ok(length < 500_000, `${length} characters at once`)
    })
  }
})

describe('a stream that is taken up again', () => {
  it('opens at once, before there is an event that the client does not have', async () => {
    const { writes } = await streamed([hel], { after: 9 })
    assert.equal(writes[0]?.slice(0, 11), ': resumed\n\n')
  })
})

describe('a response with long instructions', () => {
  it('begins with all of them', async () => {
    const instructions = '"'.repeat(300_000)
    const followed = { ...turn, options: { ...turn.options, echo: { instructions } } }
    const { writes } = await streamed([said('a', 'hi'), rest('completed')], { followed })
    const [created] = readEvents(writes.join(''))
    const response = created?.data['response'] as { instructions: string } | undefined
    assert.equal(response?.instructions, instructions)
  })
})

describe('eventStyle', () => {
  it('is that of the header when it is one, else the configured one', () => {
    const style = (header: string | undefined) =>
      eventStyle({ headers: { 'x-atrium-events': header } } as unknown as FastifyRequest, 'specified')
    assert.deepEqual(['reference', 'specified', 'other', undefined].map(style), [
      'reference',
      'specified',
      'specified',
      'specified',
    ])
  })
})
