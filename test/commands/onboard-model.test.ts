// The choice of a model in `atrium onboard`: which question comes next, and what repairs a fault.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ErrorCode } from '#core/errors.ts'
import {
  type ModelAnswers,
  type ModelFacts,
  type ModelQuestion,
  nextQuestion,
  providerOptions,
  type Repair,
  repairsOf,
  withoutAnswer,
} from '#commands/onboard-model.ts'
import { nothing, trial } from './onboard-house.ts'

const questions: readonly (readonly [answers: ModelAnswers, asks: ModelQuestion, facts?: Partial<ModelFacts>])[] = [
  [{}, 'provider'],
  [{ provider: 'offline' }, 'test'],
  [{ provider: 'ollama' }, 'name'],
  [{ provider: 'openai' }, 'key'],
  [{ provider: 'openai' }, 'name', { environmentKeys: ['OPENAI_API_KEY'] }],
  [{ provider: 'openai' }, 'key', { sealedKeys: ['OPENAI_API_KEY'] }],
  [{ provider: 'openai', key: 'kept' }, 'name'],
  [{ provider: 'openai', key: { typed: 'k' }, name: 'm' }, 'test'],
  [{ provider: 'openai-compatible' }, 'address'],
  [{ provider: 'openai-compatible', baseUrl: 'http://a/v1' }, 'key'],
  [{ provider: 'ollama', name: 'm', outcome: { trial } }, 'confirm'],
  [{ provider: 'ollama', name: 'm', outcome: { fault: 'model_unknown' } }, 'repair'],
]
for (const [answers, asks, facts] of questions) {
  test(`after ${JSON.stringify(answers).slice(0, 60)} with ${JSON.stringify(facts ?? {})} comes ${asks}`, () => {
    assert.equal(nextQuestion(answers, { ...nothing, ...facts }), asks)
  })
}

const faults: readonly (readonly [
  provider: NonNullable<ModelAnswers['provider']>,
  fault: ErrorCode,
  repairs: Repair[],
])[] = [
  ['openai', 'model_unauthorized', ['key', 'again', 'name', 'provider']],
  ['openai', 'model_unknown', ['name', 'again', 'key', 'provider']],
  ['openai', 'model_rate_limited', ['again', 'key', 'name', 'provider']],
  ['openai-compatible', 'model_unreachable', ['address', 'again', 'key', 'name', 'provider']],
  ['ollama', 'model_unreachable', ['again', 'name', 'provider']],
  ['offline', 'model_failed', ['again', 'provider']],
]
for (const [provider, fault, repairs] of faults) {
  test(`after ${fault} of ${provider}, the likeliest repair is first`, () => {
    assert.deepEqual(repairsOf({ provider, outcome: { fault } }, nothing), repairs)
  })
}

test('a repair asks for one answer again, and for a test', () => {
  const answers: ModelAnswers = {
    provider: 'openai-compatible',
    baseUrl: 'u',
    key: 'kept',
    name: 'm',
    outcome: { trial },
  }
  const asked = (repair: Repair) => nextQuestion(withoutAnswer(answers, repair), nothing)
  assert.deepEqual((['address', 'key', 'name', 'again', 'provider'] as const).map(asked), [
    'address',
    'key',
    'name',
    'test',
    'provider',
  ])
})

test('an Ollama that answers is offered first, then providers whose key is here; no model of tests', () => {
  const names = (facts: Partial<ModelFacts>) => providerOptions({ ...nothing, ...facts }).map(({ value }) => value)
  const found = names({ ollama: ['a', 'b'], sealedKeys: ['GEMINI_API_KEY'] })
  assert.deepEqual(found.slice(0, 2), ['ollama', 'google'])
  assert.equal(found.at(-1), 'offline')
  assert(!names({}).includes('scripted'))
  assert.equal(providerOptions({ ...nothing, ollama: ['a'] })[0]?.hint, 'found on this machine, 1 model')
})
