// The maker of vectors over a fake store: batches, refused texts, failures, and whose duty it is.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { AppError } from '#core/errors.ts'
import type { ChunkVector, PendingChunk, VectorStore } from '#core/vector.ts'
import { logTo } from '#lib/log.ts'
import type { Embed } from '#memory/embed.ts'
import { createVectorMaker } from '#memory/vector-maker.ts'
import { until } from '../until.ts'

const chunkOf = (id: number, text = `text ${id}`): PendingChunk => ({ id, path: `p${id}`, text })
const refused = new AppError('model_refused', 'too long')

type Given = {
  readonly chunks: readonly PendingChunk[]
  readonly embed?: Embed
  readonly mine?: () => boolean
  /** Called with the number of a look, after it was answered. */
  readonly looked?: (at: number) => unknown
}

function opened(t: TestContext, given: Given) {
  const state = {
    chunks: [...given.chunks],
    saved: [] as ChunkVector[],
    asked: [] as string[][],
    looks: [] as number[],
    duties: [] as unknown[],
    warnings: 0,
  }
  const store: Partial<VectorStore> = {
    tail: () => Promise.resolve(state.saved.at(-1)?.chunk.id ?? 0),
    pending: (_, { after, limit }) => {
      state.looks.push(after)
      const some = state.chunks.filter(({ id }) => id > after).slice(0, limit)
      const made = new Set(state.saved.map(({ chunk }) => chunk.id))
      const answer = { chunks: some.filter(({ id }) => !made.has(id)), through: some.at(-1)?.id ?? after }
      given.looked?.(state.looks.length)
      return Promise.resolve(answer)
    },
    save: (_, vectors) => Promise.resolve(void state.saved.push(...vectors)),
  }
  const maker = createVectorMaker({
    store: store as VectorStore,
    leases: {
      takeDuty: (...duty) => {
        state.duties.push(duty)
        return Promise.resolve(given.mine?.() ?? true)
      },
      leaveDuty: (...duty) => Promise.resolve(void state.duties.push(duty)),
    },
    embed: (texts, signal) => {
      state.asked.push([...texts])
      return given.embed?.(texts, signal) ?? Promise.resolve(texts.map(() => Float32Array.from([1])))
    },
    model: 'm',
    owner: 'one',
    log: logTo(() => state.warnings++, 'warn'),
    firstPauseMs: 1,
  })
  t.after(() => maker.stop())
  return { state, maker }
}

test('chunks are made in batches of 32, each with its path, until none is left', async (t) => {
  const { state } = opened(t, { chunks: Array.from({ length: 70 }, (_, at) => chunkOf(at + 1)) })
  await until(() => state.saved.length === 70)
  assert.deepEqual(
    state.asked.map((texts) => texts.length),
    [32, 32, 6],
  )
  assert.equal(state.asked[0]?.[0], 'p1\n\ntext 1')
  await until(() => state.looks.length >= 4)
  assert.deepEqual(state.looks.slice(0, 4), [0, 32, 64, 70])
  assert.deepEqual(state.duties[0], ['vectors', 'one', 120_000])
})

test('after a whole look only what is newer is looked at, and at once when it is woken', async (t) => {
  const { state, maker } = opened(t, { chunks: [chunkOf(1)] })
  await until(() => state.looks.length === 2)
  state.chunks.push(chunkOf(2))
  maker.wake()
  await until(() => state.saved.length === 2)
  assert.deepEqual(state.looks.slice(0, 3), [0, 1, 1])
})

/** Whatever needs no time has happened. */
async function settled(): Promise<void> {
  for (let round = 0; round < 50; round++) await new Promise(setImmediate)
}

test('a write that a look did not see is looked for without a rest, once', async (t) => {
  // No time passes: a rest would end by a wake alone.
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { state, maker } = opened(t, {
    chunks: [chunkOf(1)],
    looked(at) {
      if (at !== 3) return
      state.chunks.push(chunkOf(2))
      maker.wake()
    },
  })
  await until(() => state.looks.length === 2)
  maker.wake()
  await until(() => state.saved.length === 2)
  await settled()
  assert.deepEqual(state.looks, [0, 1, 1, 1, 2])
})

test('a write during the look at everything is followed by a look at its end', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { state, maker } = opened(t, {
    chunks: Array.from({ length: 40 }, (_, at) => chunkOf(at + 1)),
    looked: (at) => at === 1 && maker.wake(),
  })
  await until(() => state.saved.length === 40)
  await settled()
  assert.deepEqual(state.looks, [0, 32, 40, 40])
})

test('another process may have left gaps: whoever takes the duty over looks at everything again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let mine = true
  const { state, maker } = opened(t, { chunks: [chunkOf(1)], mine: () => mine })
  await until(() => state.looks.length === 2)
  mine = false
  maker.wake()
  await until(() => state.duties.length === 3)
  mine = true
  maker.wake()
  await settled()
  assert.equal(state.duties.length, 3, 'no wake ends the wait for the duty')
  t.mock.timers.tick(5_000)
  await until(() => state.looks.length >= 3)
  assert.equal(state.looks[2], 0)
})

test('a text that the model refuses is tried by its beginning, and holds up no other', async (t) => {
  const long = 'x'.repeat(2_000)
  const embed: Embed = (texts) =>
    texts.some((text) => text.length > 900 || text.includes('bad'))
      ? Promise.reject(refused)
      : Promise.resolve(texts.map((text) => Float32Array.from([text.length])))
  const { state } = opened(t, { chunks: [chunkOf(1), chunkOf(2, long), chunkOf(3, 'bad')], embed })
  await until(() => state.saved.length === 3)
  assert.deepEqual(
    state.saved.map(({ vector }) => vector?.[0]),
    ['p1\n\ntext 1'.length, 800, undefined],
  )
  assert.deepEqual(state.asked.at(-1), ['memory'], 'the server takes other texts')
})

test('a server that refuses every text passes for no refusal: nothing is stored', async (t) => {
  const { state } = opened(t, { chunks: [chunkOf(1)], embed: () => Promise.reject(refused) })
  await until(() => state.asked.filter(([text]) => text === 'memory').length >= 3)
  assert.deepEqual([state.saved, state.warnings], [[], 1])
})

test('a failure is told once and tried again from where it was', async (t) => {
  let failures = 3
  const embed: Embed = (texts) =>
    failures-- > 0
      ? Promise.reject(new AppError('model_unreachable', 'x'))
      : Promise.resolve(texts.map(() => Float32Array.from([1])))
  const { state } = opened(t, { chunks: [chunkOf(1), chunkOf(2)], embed })
  await until(() => state.saved.length === 2)
  assert.deepEqual([state.warnings, state.asked.length], [1, 4])
})

test('without the duty nothing is made, and a stop gives the duty back', async (t) => {
  const { state, maker } = opened(t, { chunks: [chunkOf(1)], mine: () => false })
  await until(() => state.duties.length === 1)
  await maker.stop()
  assert.deepEqual([state.looks, state.saved], [[], []])
  assert.deepEqual(state.duties.at(-1), ['vectors', 'one'])
})
