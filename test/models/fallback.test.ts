// Several models as one: who is asked, who is skipped, who is named.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, type ErrorCode } from '#core/errors.ts'
import type { Model, ModelEvent } from '#core/model.ts'
import { noUsage } from '#core/turn.ts'
import { createFallback } from '#models/fallback.ts'
import { collect, fails } from './wire.ts'

/** A model that answers or fails as its script says, the last entry again and again. */
function model(name: string, script: readonly (ErrorCode | 'ok' | 'half')[]): Model & { asked: number } {
  const made = {
    provider: 'p',
    name,
    window: 1000,
    asked: 0,
    async *stream(): AsyncGenerator<readonly ModelEvent[]> {
      const next = script[Math.min(made.asked++, script.length - 1)] ?? 'ok'
      if (next === 'ok' || next === 'half') yield [{ type: 'text', text: name }]
      if (next === 'half') throw new AppError('model_failed', `${name} broke off`)
      if (next !== 'ok') throw new AppError(next, `${name} says ${next}`)
      yield [{ type: 'done', usage: noUsage }]
    },
  }
  return made
}

function together(first: Model, others: readonly Model[], clock = () => 0) {
  const lines: string[] = []
  const log = { warn: (_: unknown, line?: string) => void lines.push(line ?? '') }
  const candidates = others.map((each) => ({ label: `p/${each.name}`, open: () => Promise.resolve(each) }))
  return { all: createFallback({ first, others: candidates, log, clock }), lines }
}

for (const code of ['model_unreachable', 'model_rate_limited', 'model_failed', 'model_timeout'] as const) {
  test(`after ${code} the next is asked, and the end names who answered`, async () => {
    const { all } = together(model('a', [code]), [model('b', [code]), model('c', ['ok'])])
    assert.deepEqual(await collect(all), [
      { type: 'text', text: 'c' },
      { type: 'done', usage: noUsage, model: 'c' },
    ])
  })
}

for (const code of ['model_refused', 'model_unauthorized', 'model_unknown'] as const) {
  test(`${code} of the first is told: another would hide a fault of the set-up`, async () => {
    const second = model('b', ['ok'])
    assert.equal((await fails(collect(together(model('a', [code]), [second]).all))).code, code)
    assert.equal(second.asked, 0)
  })
}

test('after the first token nobody else is asked', async () => {
  const second = model('b', ['ok'])
  assert.match((await fails(collect(together(model('a', ['half']), [second]).all))).message, /a broke off/)
  assert.equal(second.asked, 0)
})

test('when nobody answers, the fault of the first is told, with who else was asked', async () => {
  const { all } = together(model('a', ['model_rate_limited']), [model('b', ['model_unauthorized'])])
  const error = await fails(collect(all))
  assert.equal(error.code, 'model_rate_limited')
  assert.match(error.message, /a says model_rate_limited.*p\/b/)
})

test('when nobody answers, each is named with its requests and its time', async () => {
  let now = 0
  const failing = (name: string, attempts: number): Model => ({
    ...model(name, []),
    // oxlint-disable-next-line require-yield
    async *stream() {
      now += 100 * attempts
      throw await Promise.resolve(new AppError('model_failed', 'no', { asked: [{ model: name, attempts }] }))
    },
  })
  const { all } = together(failing('a', 4), [failing('b', 1)], () => now)
  assert.deepEqual((await fails(collect(all))).asked, [
    { model: 'a', attempts: 4, ms: 400 },
    { model: 'b', attempts: 1, ms: 100 },
  ])
})

test('a model that fails five times in a row within a minute is skipped for half a minute, and the log says so', async () => {
  let now = 1_000
  const first = model('a', ['model_failed'])
  const { all, lines } = together(first, [model('b', ['ok'])], () => now)
  for (let at = 0; at < 5; at++) await collect(all)
  assert.deepEqual([first.asked, all.skippedModels()], [5, ['p/a']])
  assert.equal(lines.at(-1), 'model skipped for a while after repeated failures')
  now += 29_999
  await collect(all)
  assert.equal(first.asked, 5)
  now += 1
  await collect(all)
  assert.deepEqual([first.asked, all.skippedModels()], [6, []])
})

test('faults that are far apart, or not in a row, count for nothing', async () => {
  let now = 0
  const first = model('a', [...Array.from({ length: 4 }, () => 'model_failed' as const), 'ok', 'model_failed'])
  const { all } = together(first, [model('b', ['ok'])], () => now)
  for (let at = 0; at < 9; at++) await collect(all)
  assert.deepEqual(all.skippedModels(), [])
  const slow = together(model('a', ['model_failed']), [model('b', ['ok'])], () => now)
  for (let at = 0; at < 9; at++) {
    await collect(slow.all)
    now += 15_000
  }
  assert.deepEqual(slow.all.skippedModels(), [])
})

test('five faults count when the first is less than a minute before the last', async () => {
  for (const [spreadMs, skipped] of [
    [59_999, ['p/a']],
    [60_000, []],
  ] as const) {
    let now = 0
    const { all } = together(model('a', ['model_failed']), [model('b', ['ok'])], () => now)
    for (const at of [0, 1, 2, 3, spreadMs]) {
      now = at
      await collect(all)
    }
    assert.deepEqual(all.skippedModels(), skipped)
  }
})

test('when all are skipped, all are asked', async () => {
  const first = model('a', [...Array.from({ length: 5 }, () => 'model_failed' as const), 'ok'])
  const { all } = together(first, [model('b', ['model_failed'])])
  for (let at = 0; at < 5; at++) await fails(collect(all))
  assert.deepEqual(all.skippedModels(), ['p/a', 'p/b'])
  assert.deepEqual((await collect(all))[0], { type: 'text', text: 'a' })
})

test('a model is skipped no longer because the clock was set back', async (t) => {
  let passed = 0
  t.mock.method(performance, 'now', () => passed)
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 0, 2) })
  const first = model('a', ['model_failed'])
  const second = { label: 'p/b', open: () => Promise.resolve(model('b', ['ok'])) }
  const all = createFallback({ first, others: [second] })
  while (all.skippedModels().length === 0) await collect(all)
  t.mock.timers.setTime(Date.UTC(2026, 0, 1))
  passed += 60 * 60_000
  assert.deepEqual(all.skippedModels(), [])
})
