// Why a turn ended without an answer, in words; the limits are those that the service itself reaches.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultBounds, reachedBound } from '#agent/turn-limits.ts'
import type { Lease } from '#core/lease.ts'
import type { Turn } from '#core/turn.ts'
import { sentence } from '#core/words.ts'
import { faultWire } from '#doors/web/wire.ts'
import { createSpend } from '#turns/spend.ts'
import type { Settings } from '#doors/web/wire/settings.ts'
import { cutText } from '../../../web/lib/conversation.ts'
import { failureOf, otherModel } from '../../../web/lib/failure.ts'

const held = { granted: false, spentUsd: 4, heldUsd: 0 }
const store = {
  turns: { reserve: () => Promise.resolve(held) },
  usage: { list: () => Promise.resolve([]) },
}
const reserve = async (caps: { perTurn?: number; perDay?: number }, call: { spent: number; next: number }) => {
  const fault = await createSpend({ store, caps: () => caps }).reserve({ options: {} } as Turn, {} as Lease, call)
  assert.ok(fault)
  return faultWire(fault)
}

test('a turn at its cap goes on with as much again', async () => {
  const fault = await reserve({ perTurn: 0.5 }, { spent: 0.48, next: 0.1 })
  assert.deepEqual(failureOf(fault, { steps: 7, done: true }), {
    kind: 'sun',
    title: 'Stopped at the spend cap of $0.50',
    text: '7 steps are done, and kept. The turn can go on from here.',
    goOn: 'Go on with another $0.50',
    change: { words: 'Change the cap', at: '/settings/limits' },
  })
  const one = failureOf(fault, { steps: 1, done: true })
  assert.equal(one.text, '1 step is done, and kept. The turn can go on from here.')
})

test('where another message would end the same way, nobody is sent there', async () => {
  const dear = failureOf(await reserve({ perTurn: 0.5 }, { spent: 0, next: 2 }), { steps: 0, done: false })
  assert.deepEqual([dear.goOn, dear.kind], [undefined, 'sun'])
  assert.match(
    dear.text,
    /^The turn has cost \$0\.00 and the next call would cost about \$2\.00.* All of it is kept\.$/,
  )
  const day = failureOf(await reserve({ perDay: 4 }, { spent: 0, next: 0.1 }), { steps: 2, done: true })
  assert.deepEqual([day.title, day.goOn], ['Stopped at the spend cap of $4.00 a day', undefined])
  assert.match(day.text, /go on after midnight UTC, or raise it\. 2 steps are done, and kept\.$/)
})

test('a turn of too many steps, or too long, goes on with as many again', () => {
  const steps = reachedBound({ items: [], steps: 50 }, defaultBounds)
  assert.ok(steps)
  const { title, goOn, change } = failureOf(faultWire(steps), { done: true })
  assert.deepEqual([title, goOn], ['Stopped after 50 steps', 'Go on with another 50 steps'])
  assert.equal(change?.words, 'Change the limit')
  const message = 'the turn ran for 30 minutes: send a message to go on, or make the task smaller'
  const long = failureOf({ code: 'time_limit', message, limit: { kind: 'minutes', max: 30 } }, { done: true })
  assert.deepEqual([long.title, long.goOn], ['Stopped after 30 minutes', 'Go on with another 30 minutes'])
  assert.equal(long.change, undefined)
})

test('a limit from before its numbers were kept says less, and its words are not read', () => {
  const message = 'the turn asked the model 50 times without coming to an end: send a message to go on'
  const old = (code: string) => failureOf({ code, message }, { done: true })
  assert.deepEqual(
    ['spend_limit', 'step_limit', 'time_limit'].map((code) => [old(code).title, old(code).goOn]),
    [
      ['Stopped at the spend cap', undefined],
      ['Stopped after too many steps', undefined],
      ['The turn took too long', undefined],
    ],
  )
  assert.match(old('step_limit').text, /^The turn asked the model 50 times.* All of it is kept\.$/)
})

test('any other fault says what happened and what is kept', () => {
  const away = failureOf({ code: 'model_unreachable', message: 'api.example.com returned 529' }, { done: false })
  assert.deepEqual(
    [away.kind, away.title, away.text],
    ['clay', 'The model did not answer', 'api.example.com returned 529. Your message is kept.'],
  )
  const odd = failureOf({ code: 'internal', message: 'Something went wrong.' }, { done: true })
  assert.deepEqual([odd.title, odd.text], ['The turn failed', 'Something went wrong. What was done is kept.'])
})

test('a model that had begun to answer is not told as one that did not', () => {
  const title = (code: string, cut: boolean) => failureOf({ code, message: 'it broke' }, { done: cut, cut }).title
  assert.equal(title('model_unreachable', true), 'The model broke off its answer')
  assert.equal(title('model_rate_limited', true), 'The model broke off its answer')
  assert.equal(title('model_unreachable', false), 'The model did not answer')
  assert.equal(title('model_failed', false), 'The model failed')
  assert.equal(title('internal', true), 'The turn failed')
})

test('the line below an incomplete text says who ended it, and nothing while the turn goes on', () => {
  assert.deepEqual((['cancelled', 'failed', 'completed', 'running', undefined] as const).map(cutText), [
    'Stopped here.',
    'The answer broke off here.',
    'The answer ends here: it reached the length limit of the model.',
    undefined,
    undefined,
  ])
})

test('the other model is one that has its key, else a fallback, and none where the environment decides', () => {
  const model = (provider: string, role: Settings['models'][number]['role']) => ({
    provider,
    name: `${provider}-1`,
    description: '',
    role,
    input_usd: null,
    output_usd: null,
  })
  const settings = (chosen_by: Settings['model']['chosen_by'], ...models: Settings['models']) =>
    ({ model: { provider: 'anthropic', name: 'anthropic-1', fallback: [], chosen_by }, models }) as unknown as Settings
  const used = model('anthropic', 'in_use')
  const [offline, spare, ready] = [model('offline', 'ready'), model('ollama', 'fallback'), model('openai', 'ready')]
  assert.equal(otherModel(settings('settings', used, spare, offline, ready)), ready)
  assert.equal(otherModel(settings('key', used, spare, offline)), spare)
  assert.equal(otherModel(settings('key', used, offline)), undefined)
  assert.equal(otherModel(settings('environment', used, ready)), undefined)
})

test('every kind of fault has its title; those of the model lead to its settings', () => {
  const titles = {
    turn_timeout: 'The turn took too long',
    repeated_call: 'Stopped: it went in circles',
    failing_tool: 'Stopped: a tool kept failing',
    model_rate_limited: 'The model refused for now',
    model_unauthorized: 'The model refused the key',
    model_key_missing: 'The model has no key',
    model_refused: 'The model refused',
    model_filtered: 'The answer was filtered',
    model_unknown: 'The model is not known',
    model_timeout: 'The model took too long',
  }
  for (const [code, title] of Object.entries(titles)) {
    const shown = failureOf({ code, message: 'x' }, { done: true })
    const change = code.startsWith('model_') ? { words: 'Change the model', at: '/settings/model' } : undefined
    assert.deepEqual([shown.title, shown.change, shown.kind], [title, change, 'clay'])
  }
})

test('a call that fits the cap exactly can be made; a cap of a day has no more today', () => {
  const at = (kind: 'spend_per_turn' | 'spend_per_day', next_usd: number) =>
    failureOf({ code: 'spend_limit', message: 'x', limit: { kind, max_usd: 0.5, next_usd } as never }, { done: true })
  assert.deepEqual(
    [at('spend_per_turn', 0.5), at('spend_per_turn', 0.51), at('spend_per_day', 0.1)].map(({ goOn }) => goOn),
    ['Go on with another $0.50', undefined, undefined],
  )
})

test('no model is offered that may not be able to answer', () => {
  const ready = (provider: string) => ({ provider, name: 'm', role: 'ready' })
  const settings = (provider: string) =>
    ({ model: { chosen_by: 'key' }, models: [ready(provider)] }) as unknown as Settings
  assert.deepEqual(
    ['offline', 'scripted', 'ollama', 'openai'].map((provider) => otherModel(settings(provider))?.provider),
    [undefined, undefined, undefined, 'openai'],
  )
})

test('a message becomes a sentence; the name of a host or a tool keeps its letters', () => {
  for (const [text, words] of [
    ['it broke', 'It broke.'],
    ['busy', 'Busy.'],
    [' title must be short\n', 'Title must be short.'],
    ['no, it did not!', 'No, it did not!'],
    ['api.example.com is away', 'api.example.com is away.'],
    ['web_fetch failed?', 'web_fetch failed?'],
    ['Done.', 'Done.'],
  ] as const) {
    assert.equal(sentence(text), words)
  }
})
