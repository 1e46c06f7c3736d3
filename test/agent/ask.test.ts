// One call of the model: what it costs when it ends without an answer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, type Reply } from '#agent/ask.ts'
import { AppError, type ErrorCode } from '#core/errors.ts'
import type { Model, ModelEvent } from '#core/model.ts'

type Price = NonNullable<Model['priceOf']>

function failing(fault: AppError, events: readonly ModelEvent[] = [], priceOf?: Price): Promise<Reply> {
  const model: Model = {
    provider: 'test',
    name: 'test-1',
    via: { host: 'api.example' },
    window: 1_000,
    ...(priceOf && { priceOf }),
    async *stream() {
      if (events.length > 0) yield events
      throw await Promise.resolve(fault)
    },
  }
  const request = { system: '', items: [], tools: [] }
  const signal = new AbortController().signal
  return ask({ model, request, turnId: 't', signal, emit: () => {} })
}

async function costOf(priceOf: Price | undefined, code: ErrorCode, events: ModelEvent[] = []): Promise<number | null> {
  const { usage } = await failing(new AppError(code, 'no more'), events, priceOf)
  return usage.costUsd
}

const unpriced: Price = () => null
const priced: Price = ({ inputTokens, outputTokens }) => (inputTokens + outputTokens) * 2
const words: ModelEvent[] = [{ type: 'text', text: 'four' }]

for (const [what, cost, ...given] of [
  ['a model without a price that was cut', null, unpriced, 'model_failed'],
  ['a model without a price that was cut after some words', null, unpriced, 'model_failed', words],
  ['a model without a price that could not be reached', 0, unpriced, 'model_unreachable'],
  ['a model without a price that refused the key', 0, unpriced, 'model_unauthorized'],
  ['a model with a price that was cut before its first word', 0, priced, 'model_failed'],
  ['a local model that was cut', 0, undefined, 'model_failed'],
] as const) {
  test(`${what} costs ${cost ?? 'an unknown amount'}`, async () => {
    assert.equal(await costOf(...(given as unknown as Parameters<typeof costOf>)), cost)
  })
}

const a = { model: 'a', via: { host: 'a.example' }, attempts: 4, ms: 40 }
const b = { model: 'b', attempts: 1, ms: 10 }
const thinking: ModelEvent[] = [{ type: 'reasoning', text: 'Hm' }]

for (const [what, fault, events, calls] of [
  ['the model and its host', new AppError('internal', 'no'), [], [['test-1', 'api.example', undefined, true]]],
  [
    'each model that was asked',
    new AppError('model_failed', 'no', { asked: [a, b] }),
    [],
    [
      ['a', 'a.example', 4, true],
      ['b', undefined, 1, true],
    ],
  ],
  ['nobody where there was no key', new AppError('model_key_missing', 'no'), [], []],
  [
    'a call that left only thoughts',
    new AppError('model_failed', 'no'),
    thinking,
    [['test-1', 'api.example', undefined, undefined]],
  ],
  ['nothing that a stored text names already', new AppError('model_failed', 'no'), words, []],
] as const) {
  test(`a call that fails names ${what}`, async () => {
    const { failedCalls } = await failing(fault, events)
    assert.deepEqual(
      failedCalls?.map(({ model, via, attempts, failed }) => [model, via?.host, attempts, failed]),
      calls,
    )
  })
}

test('reasoning is told as it comes, under the id that its item is stored with', async () => {
  const pieces: { type: string; itemId: string; firstId?: string; offset: number; text: string }[] = []
  const model: Model = {
    provider: 'test',
    name: 'test-1',
    window: 1_000,
    async *stream() {
      yield [
        { type: 'reasoning', text: 'First ' },
        { type: 'reasoning', text: 'this.' },
      ]
      yield [{ type: 'text', text: 'Done.' }]
    },
  }
  const { drafts } = await ask({
    model,
    request: { system: '', items: [], tools: [] },
    turnId: 't',
    signal: new AbortController().signal,
    emit: (told) => pieces.push(...told),
  })
  const [thought, text] = drafts
  assert.deepEqual(
    pieces.map(({ type, itemId, offset, text: said }) => [type, itemId, offset, said]),
    [
      ['thought', thought?.id, 0, 'First '],
      ['thought', thought?.id, 6, 'this.'],
      ['delta', text?.id, 0, 'Done.'],
    ],
  )
  // The first piece of each tells where the response began.
  assert.deepEqual(
    pieces.map(({ firstId }) => firstId),
    [thought?.id, undefined, thought?.id],
  )
})

for (const [what, event] of [
  ['a name of a call', { type: 'call', name: 'n'.repeat(257), args: '{}' }],
  ['the signature of a thought', { type: 'reasoning', text: '', signature: 's'.repeat(5_000_000) }],
  ['the signature of a call', { type: 'call', name: 'now', args: '{}', signature: 's'.repeat(5_000_000) }],
] as const satisfies (readonly [string, ModelEvent])[]) {
  test(`${what} that is too long ends the answer`, async () => {
    const { fault, drafts } = await failing(new AppError('internal', 'not read so far'), [event])
    assert.match(String(fault), /the model sent more than (?:256 characters in the name|4194304 bytes)/)
    assert.deepEqual(drafts, [])
  })
}

test('a call may have the longest name that is allowed', async () => {
  const call = { type: 'call', name: 'n'.repeat(256), args: '{}' } as const
  const { fault } = await failing(new AppError('internal', 'not read so far'), [call])
  assert.match(String(fault), /not read so far/)
})
