// A stream that is kept open, and the news of the service that come through one.
import assert from 'node:assert/strict'
import { syncBuiltinESMExports } from 'node:module'
import { test } from 'node:test'
import type { ListChange } from '#core/bus.ts'
import { AppError } from '#core/errors.ts'
import { createNews } from '#doors/terminal/news.ts'
import { keepFollowing } from '#doors/terminal/reconnect.ts'
import { createQueue } from '#lib/queue.ts'
import type { OperatorClient } from '#turns/operator-client.ts'
import { turnOver, until } from '../../turns/house.ts'
import { clientOf, threadId } from './fake.ts'

const gone = new AppError('shutting_down', 'the service went away')

/** A stream that the test gives batches to, ends, or breaks; each opening is a new one. */
function streams<T>() {
  const opened: { give: (batch: T) => void; end: (error?: Error) => void; signal: AbortSignal }[] = []
  const refused: Error[] = []
  return {
    opened,
    /** The next attempts to open it fail with these. */
    refuse: (...errors: readonly Error[]) => void refused.push(...errors),
    async *open(signal: AbortSignal): AsyncGenerator<T> {
      const refusal = refused.shift()
      if (refusal) throw refusal
      const queue = createQueue<T>(100)
      let broken: Error | undefined
      opened.push({
        give: (batch) => void queue.push([batch]),
        end(error) {
          broken = error
          queue.close()
        },
        signal,
      })
      signal.addEventListener('abort', () => queue.close())
      for await (const batches of queue) yield* batches
      if (broken) throw broken
    },
  }
}

/** The longest wait that a timer can take: whoever waits so long is not seen again in a test. */
const maxWaitMs = 2 ** 31 - 1

function follow({ retryMs }: { retryMs?: number } = {}) {
  const source = streams<string>()
  const taken: string[] = []
  const ending = new AbortController()
  let lost = 0
  const done = keepFollowing({
    open: (signal) => source.open(signal),
    take: (batch) => void taken.push(batch),
    lost: () => void lost++,
    signal: ending.signal,
    ...(retryMs !== undefined && { retryMs }),
  })
  return { ...source, taken, ending, done, lost: () => lost }
}

test('a stream that ends or breaks is opened again at once, and each loss is told', async () => {
  const { opened, taken, ending, done, lost } = follow({ retryMs: maxWaitMs })
  opened[0]?.give('one')
  await until(() => taken.length === 1)
  opened[0]?.end()
  await until(() => opened.length === 2)
  assert.equal(lost(), 1)
  opened[1]?.give('two')
  await until(() => taken.length === 2)
  opened[1]?.end(gone)
  await until(() => opened.length === 3)
  assert.deepEqual([taken, lost()], [['one', 'two'], 2])
  ending.abort()
  await done
  assert.deepEqual([opened.length, lost()], [3, 2], 'an end that was wanted is no loss')
})

test('a stream that cannot be opened is tried again after a wait', async () => {
  const waiting = follow({ retryMs: maxWaitMs })
  waiting.refuse(gone)
  waiting.opened[0]?.end()
  await until(() => waiting.lost() === 2)
  await turnOver(50)
  assert.deepEqual([waiting.opened.length, waiting.lost()], [1, 2], 'it waits')
  waiting.ending.abort()
  await waiting.done
  const { opened, refuse, ending, done, lost } = follow({ retryMs: 1 })
  refuse(gone, gone)
  opened[0]?.end()
  await until(() => opened.length === 2)
  assert.equal(lost(), 3)
  ending.abort()
  await done
})

test('whoever leaves during the wait does not wait', async () => {
  const { opened, refuse, ending, done, lost } = follow({ retryMs: maxWaitMs })
  refuse(gone, gone, gone)
  opened[0]?.end()
  await until(() => lost() === 2)
  await turnOver()
  ending.abort()
  await done
  assert.equal(opened.length, 1)
})

test('a stream that never gave anything counts as one that cannot be opened', async () => {
  const { opened, ending, done, lost } = follow({ retryMs: maxWaitMs })
  opened[0]?.end()
  await until(() => opened.length === 2)
  opened[1]?.end()
  await until(() => lost() === 2)
  await turnOver(50)
  assert.equal(opened.length, 2)
  ending.abort()
  await done
})

test('what is not there any more is not asked for again; other faults are', async () => {
  const { opened, refuse, done, lost } = follow({ retryMs: 1 })
  refuse(new Error('a fault of no kind'), new AppError('not_found', 'deleted'))
  opened[0]?.end()
  await assert.rejects(done, { code: 'not_found' })
  assert.deepEqual([opened.length, lost()], [1, 2])
})

test('what ends with the signal, even with a fault, ends without a word', async () => {
  const { opened, ending, done, lost } = follow()
  opened[0]?.signal.addEventListener('abort', () => opened[0]?.end(new AppError('not_found', 'gone')))
  ending.abort()
  await done
  assert.equal(lost(), 0)
})

function openNews(own: Partial<OperatorClient> = {}) {
  const source = streams<readonly ListChange[]>()
  const told: string[] = []
  const reads = { gates: 0, refreshed: 0, drawn: 0 }
  let now = 1_000
  const client = clientOf({
    changes: (signal) => source.open(signal),
    gates: () => {
      reads.gates++
      return Promise.resolve([{ gate: { callId: `gate ${reads.gates}` } }] as never)
    },
    ...own,
  })
  const news = createNews({
    client,
    now: () => now,
    tell: (words) => void told.push(words),
    refreshed: () => {
      reads.refreshed++
      return Promise.resolve()
    },
    redraw: () => void reads.drawn++,
  })
  const ending = new AbortController()
  return {
    ...source,
    news,
    told,
    reads,
    ending,
    pass: (ms: number) => {
      now += ms
    },
  }
}

test('a refresh reads everything; what is wanted meanwhile is one more refresh', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  // For those who import a timer by its name.
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.timers.reset()
    syncBuiltinESMExports()
  })
  const { news, reads } = openNews()
  assert.deepEqual([news.threads, news.gates, news.status, news.awaySince], [[], [], undefined, undefined])
  news.refresh()
  news.refresh()
  news.refresh()
  await turnOver()
  assert.deepEqual([reads.gates, reads.refreshed, reads.drawn], [1, 1, 1])
  assert.deepEqual([news.threads[0]?.id, news.gates[0]?.gate.callId, news.status?.model], [threadId, 'gate 1', 'm'])
  t.mock.timers.tick(199)
  await turnOver(20)
  assert.equal(reads.gates, 1, 'there is a pause between')
  t.mock.timers.tick(1)
  await until(() => reads.gates === 2)
  await turnOver()
  assert.equal(news.gates[0]?.gate.callId, 'gate 2')
  news.refresh()
  t.mock.timers.tick(200)
  await until(() => reads.gates === 3)
})

test('a refresh that fails keeps what was known', async () => {
  let away = false
  const { news, reads } = openNews({
    status: () => (away ? Promise.reject(gone) : Promise.resolve({ model: 'm' } as never)),
  })
  news.refresh()
  await until(() => reads.drawn === 1)
  away = true
  news.refresh()
  await until(() => reads.drawn === 2)
  assert.deepEqual([news.status?.model, news.gates[0]?.gate.callId, reads.refreshed], ['m', 'gate 1', 1])
})

test('a service that goes away is told once, with the time; so is its return, which reads everything again', async () => {
  const { news, told, reads, opened, refuse, ending, pass } = openNews()
  const done = news.follow(ending.signal)
  opened[0]?.give([])
  await until(() => reads.gates === 1)
  assert.deepEqual([told, news.awaySince], [[], undefined])
  refuse(gone, gone)
  const drawn = reads.drawn
  opened[0]?.end(gone)
  await until(() => told.length === 1)
  pass(500)
  await until(() => opened.length === 2)
  assert.equal(news.awaySince, 1_000, 'since the first loss')
  assert.match(told[0] ?? '', /Reconnecting\.$/)
  assert(reads.drawn > drawn)
  opened[1]?.give([])
  await until(() => told.length === 2)
  assert.deepEqual([told[1], news.awaySince], ['The connection is back.', undefined])
  await until(() => reads.gates === 2)
  opened[1]?.give([])
  await until(() => reads.gates === 3)
  assert.equal(told.length, 2)
  ending.abort()
  await done
})
