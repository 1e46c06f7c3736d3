// A model call outside of any turn: what it costs, what it gives back, and what comes of a fault.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tokensInItem, tokensInText } from '#agent/tokens.ts'
import { AppError } from '#core/errors.ts'
import { textMessage } from '#core/item.ts'
import type { Model, ModelEvent, ModelRequest } from '#core/model.ts'
import { noUsage, type ModelCall, type Usage } from '#core/turn.ts'
import { callOnce } from '#turns/single-call.ts'
import { ada } from '../store/harness.ts'

const usage: Usage = { ...noUsage, inputTokens: 10, outputTokens: 2, costUsd: 0.5 }
const items = [textMessage('user', 'a title for: soup with bread')]
const done: ModelEvent = { type: 'done', usage }

type Given = {
  readonly says?: readonly ModelEvent[]
  /** Thrown after what the model says. */
  readonly fault?: Error
  readonly priceOf?: NonNullable<Model['priceOf']>
  readonly allows?: boolean
  readonly signal?: AbortSignal
}

/** One call, with everything that it asked for on its way. */
async function call({ says = [{ type: 'text', text: 'Soup' }, done], fault, priceOf, allows, signal }: Given) {
  const requests: ModelRequest[] = []
  const usages: unknown[] = []
  const steps: (ModelCall | undefined)[] = []
  const prices: unknown[] = []
  const texts: string[] = []
  const model: Model = {
    provider: 'test',
    name: 'small',
    window: 1_000,
    ...(priceOf && { priceOf }),
    // oxlint-disable-next-line require-await -- a stream by its type
    async *stream(request) {
      requests.push(request)
      for (const event of says) yield [event]
      if (fault) throw fault
    },
  }
  const answer = await callOnce(
    {
      store: {
        usage: {
          add: (...given: unknown[]) => Promise.resolve(void usages.push(given)),
          list: () => Promise.reject(new Error('not asked')),
          totals: () => Promise.reject(new Error('not asked')),
        },
      },
      model: () => Promise.resolve(model),
      observer: { stepped: (_entries, _earlier, _items, asked) => void steps.push(asked) },
      ...(allows !== undefined && {
        spend: {
          allows(user, usd) {
            prices.push([user, usd])
            return Promise.resolve(allows)
          },
        },
      }),
    },
    ada,
    { door: 'completions', system: 'Be brief.', items },
    { signal: signal ?? new AbortController().signal, onText: (text) => texts.push(text) },
  ).catch((error: unknown) => error)
  return { answer, requests, usages, steps, prices, texts }
}

test('the answer comes as it is written, without tools, and its usage is counted once', async () => {
  const says: ModelEvent[] = [
    { type: 'reasoning', text: 'Hm. ' },
    { type: 'text', text: 'Soup ' },
    { type: 'text', text: 'and bread' },
    { type: 'reasoning', text: 'Good.' },
    done,
  ]
  const { answer, requests, usages, steps, texts } = await call({ says })
  assert.deepEqual(answer, {
    text: 'Soup and bread',
    reasoning: 'Hm. Good.',
    cut: false,
    usage: { ...usage, model: 'small' },
  })
  assert.deepEqual(texts, ['Soup ', 'and bread'])
  assert.deepEqual(requests, [{ system: 'Be brief.', items, tools: [] }])
  assert.equal(usages.length, 1)
  assert.deepEqual((usages[0] as unknown[]).slice(0, 2), [ada, 'completions'])
  assert.deepEqual(steps, [(usages[0] as unknown[])[2]])
  assert.deepEqual(steps[0]?.usage, usage)
})

test('the caps are asked for the input and 500 tokens of output; an unknown price counts as none', async () => {
  const inputTokens = tokensInText('Be brief.') + items.reduce((sum, item) => sum + tokensInItem(item), 0)
  const seen: unknown[] = []
  const priced = await call({
    allows: true,
    priceOf(counts) {
      seen.push(counts)
      return 0.25
    },
  })
  assert.deepEqual(seen, [{ inputTokens, cachedTokens: 0, outputTokens: 500, reasoningTokens: 0 }])
  assert.deepEqual(priced.prices, [[ada, 0.25]])
  assert.deepEqual((await call({ allows: true, priceOf: () => null })).prices, [[ada, 0]])
  assert.deepEqual((await call({ allows: true })).prices, [[ada, 0]])
})

test('a call that a cap forbids does not reach the model', async () => {
  const { answer, requests, usages } = await call({ allows: false })
  assert.ok(answer instanceof AppError && answer.code === 'spend_limit')
  assert.deepEqual([requests, usages], [[], []])
})

test('an answer at the length limit says so', async () => {
  const says: ModelEvent[] = [
    { type: 'text', text: 'Soup and' },
    { type: 'done', usage, stop: 'length' },
  ]
  const { answer } = await call({ says })
  assert.deepEqual(answer, { text: 'Soup and', reasoning: '', cut: true, usage: { ...usage, model: 'small' } })
})

const broken = new AppError('model_failed', 'broke off')
const left = new AppError('turn_cancelled', 'the reader left')
const bug = new TypeError('a bug')
const faults: readonly [what: string, given: Given, thrown: AppError | undefined, kept: AppError | undefined][] = [
  ['before any text is thrown', { says: [], fault: broken }, broken, undefined],
  ['after some text comes with it', { says: [{ type: 'text', text: 'So' }], fault: broken }, undefined, broken],
  [
    'of a reader who left is the reason of leaving',
    { says: [], fault: bug, signal: AbortSignal.abort(left) },
    left,
    undefined,
  ],
]
for (const [what, given, thrown, kept] of faults) {
  test(`a fault ${what}`, async () => {
    const { answer, usages } = await call(given)
    if (thrown) assert.equal(answer, thrown)
    else {
      assert.deepEqual(answer, {
        text: 'So',
        reasoning: '',
        cut: false,
        usage: (answer as { usage: Usage }).usage,
        fault: kept,
      })
    }
    assert.equal(usages.length, thrown ? 0 : 1, 'what was written is paid for')
  })
}

test('a fault of the service itself says nothing of its inside', async () => {
  const { answer } = await call({ says: [], fault: bug })
  assert.ok(answer instanceof AppError)
  assert.deepEqual([answer.code, answer.message.includes('a bug'), answer.cause], ['internal', false, bug])
})
