// Long works share the event loop: each turn of it has some milliseconds for all of them.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { inPace, nextTurn, pace } from '#lib/pace.ts'

/** A clock that each step of a work sets forward. */
function clock(t: TestContext): { now: number } {
  const time = { now: 1_000 }
  t.mock.method(performance, 'now', () => time.now)
  return time
}

/** Some work takes all the time of this turn: what paces itself has to wait. */
async function takeAll(time: { now: number }): Promise<void> {
  await nextTurn()
  time.now += 10
}

/** Counts what is done in each turn of the loop. */
function turns(): { add(what: string): void; end(): string[][] } {
  const all: string[][] = [[]]
  let on = true
  const next = (): void => {
    all.push([])
    if (on) setImmediate(next)
  }
  setImmediate(next)
  return {
    add: (what) => all.at(-1)?.push(what),
    end() {
      on = false
      return all.filter((done) => done.length > 0)
    },
  }
}

test('a work yields once it has taken some milliseconds, and not before', async (t) => {
  const time = clock(t)
  const seen = turns()
  await inPace(
    (function* () {
      for (let step = 0; step < 12; step++) {
        seen.add('a')
        time.now += 4
        yield
      }
    })(),
  )
  assert.deepEqual(
    seen.end().map(({ length }) => length),
    [3, 3, 3, 3],
  )
})

test('works that begin at once share the time, also those of one long step', async (t) => {
  const time = clock(t)
  await takeAll(time)
  const seen = turns()
  const work = function* (name: string): Generator<void, void> {
    seen.add(name)
    time.now += 20
    if (name === '') yield
  }
  await Promise.all(['a', 'b', 'c'].map((name) => inPace(work(name))))
  assert.deepEqual(seen.end(), [['a'], ['b'], ['c']])
})

test('of several works with long steps each turn of the loop goes on with one', async (t) => {
  const time = clock(t)
  const seen = turns()
  const work = async (name: string): Promise<void> => {
    for (let step = 0; step < 3; step++) {
      await nextTurn()
      seen.add(name)
      time.now += 20
      await pace()
    }
  }
  await Promise.all(['a', 'b', 'c'].map(work))
  for (const done of seen.end()) assert.equal(done.length, 1)
})

test('works that end early leave the rest of the time to others', async (t) => {
  const time = clock(t)
  const seen = turns()
  await Promise.all(
    ['a', 'b', 'c', 'd'].map(async (name) => {
      seen.add(name)
      time.now += 1
      await pace()
      seen.add(name)
    }),
  )
  assert.deepEqual(seen.end().length, 1)
})

test('short works that wait share a turn of the loop, in their order', async (t) => {
  const time = clock(t)
  const names = Array.from({ length: 25 }, (_, at) => `work ${at}`)
  await takeAll(time)
  const seen = turns()
  await Promise.all(
    names.map(async (name) => {
      await pace()
      seen.add(name)
      time.now += 1
    }),
  )
  const done = seen.end()
  assert.deepEqual(done.flat(), names)
  assert.deepEqual(
    done.map(({ length }) => length),
    [10, 10, 5],
  )
})

test('what a work does behind its pause counts before the next one goes on', async (t) => {
  const time = clock(t)
  await takeAll(time)
  const seen = turns()
  await Promise.all(
    ['a', 'b', 'c'].map(async (name) => {
      await pace()
      for (let step = 0; step < 5; step++) await Promise.resolve()
      seen.add(name)
      time.now += 20
    }),
  )
  assert.deepEqual(seen.end(), [['a'], ['b'], ['c']])
})

test('a work that waits again in the same turn of the loop goes on in the next one', async (t) => {
  clock(t)
  const seen = turns()
  for (let step = 0; step < 3; step++) {
    await nextTurn()
    seen.add(`step ${step}`)
  }
  assert.deepEqual(seen.end(), [['step 0'], ['step 1'], ['step 2']])
})

test('a work goes on however late it is', async (t) => {
  let now = 1_000
  t.mock.method(performance, 'now', () => (now += 20))
  const done: string[] = []
  await Promise.all(
    ['a', 'b'].map(async (name) => {
      await nextTurn()
      done.push(name)
    }),
  )
  assert.deepEqual(done, ['a', 'b'])
})

test('a long step has a turn of the loop to itself, however short the works beside it', async (t) => {
  const time = clock(t)
  await takeAll(time)
  const seen = turns()
  const step = async (name: string, wait: () => Promise<void> | undefined): Promise<void> => {
    await wait()
    seen.add(name)
  }
  await Promise.all([step('a', pace), step('b', pace), step('long', nextTurn), step('c', pace), step('d', pace)])
  assert.deepEqual(seen.end(), [['a', 'b'], ['long'], ['c', 'd']])
})
