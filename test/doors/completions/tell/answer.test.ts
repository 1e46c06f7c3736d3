// A stream of chunks and its reader: who ended it decides what becomes of the turn, and what is noted of its answer.
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { describe, it } from 'node:test'
import { setImmediate as pass } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import type { CompletionsParts } from '#doors/completions/parts.ts'
import { answerTurn } from '#doors/completions/tell/answer.ts'
import { logTo } from '#lib/log.ts'
import type { Watched } from '#turns/watch.ts'
import { delta, oneByOne, rest, turn } from '../../responses/tell/running-turn.ts'

const hel = delta('a', 0, 'Hel')

type How = {
  readonly stream?: boolean
  readonly leaves?: boolean
  readonly lastCall?: boolean
  readonly fails?: boolean
}

/** Streams these events, one by one; with `leaves` the client goes away after them. Returns what became of the reader. */
async function streamed(events: readonly Watched[], how: How) {
  const { stream = true, leaves = false, lastCall = false, fails = false } = how
  const raw = Object.assign(new PassThrough(), { writeHead() {}, setTimeout() {}, setHeader() {}, getHeader() {} })
  raw.resume()
  const closed = new Promise((resolve) => raw.once('close', resolve))
  const reply = { raw, request: {}, hijack() {} } as unknown as FastifyReply
  const told: string[] = []
  const lines: string[] = []
  let [points, closes] = [0, 0]
  const source = oneByOne(events, { raw, closed, leaves, fails })
  const parts = {
    readers: { open: () => ({ left: () => void told.push('left'), done: () => void told.push('done') }) },
    threads: { addChainPoints: async () => void (await pass(), (points += 1)) },
    progress: false,
    ...(lastCall && { lastCall: AbortSignal.abort() }),
    log: logTo((_level, _fields, message) => lines.push(message), 'warn'),
  } as unknown as CompletionsParts
  const style = { model: 'm', stream, includeUsage: false, history: 'h', linkOf: () => '' }
  const followed = { turn, source: Object.assign(source, { close: () => void closes++ }), entries: [], begins: true }
  const fault = await answerTurn(parts, reply, style, followed).then(
    () => undefined,
    (error: Error) => error.message,
  )
  const noted = points
  if (fault !== undefined || !stream) raw.destroy()
  await closed
  if (fault === undefined && stream) {
    assert.ok(closes > 0, 'nothing listens to the turn any more')
    assert.equal(lines.length, fails ? 1 : 0)
  }
  return { told, noted, ...(fault !== undefined && { fault }) }
}

describe('the reader of a stream of chunks', () => {
  const done = { told: ['done'], noted: 0 }
  for (const [what, events, how, expected] of [
    ['is done at its end', [hel, rest('completed')], {}, done],
    ['is done when the events end early', [hel], {}, done],
    ['is done when the events fail', [hel], { fails: true }, done],
    ['has left when it goes, and the text it has is noted', [hel], { leaves: true }, { told: ['left'], noted: 1 }],
    ['has left when it goes before the first word', [], { leaves: true }, { told: ['left'], noted: 0 }],
    ['is done when it is cut at shutdown', [hel], { leaves: true, lastCall: true }, done],
    ['finds what it was told of an answer that waits for a person', [hel, rest('waiting')], {}, { ...done, noted: 1 }],
  ] as const) {
    it(what, async () => assert.deepEqual(await streamed(events, how), expected))
  }

  it('of a whole answer is done, and finds what it was told of one that waits for a person', async () => {
    assert.deepEqual(await streamed([hel, rest('completed')], { stream: false }), done)
    assert.deepEqual(await streamed([hel, rest('waiting')], { stream: false }), { ...done, noted: 1 })
  })

  it('gets an error in place of a stream that has not begun', async () => {
    const fault = 'the service is going down: ask again in a moment'
    assert.deepEqual(await streamed([], {}), { ...done, fault })
    assert.deepEqual(await streamed([], { fails: true }), { ...done, fault: 'the database is away' })
  })
})
