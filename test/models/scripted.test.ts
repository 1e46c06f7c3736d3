// The scripted model: what it says depends on the items only.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { type Item, textMessage } from '#core/item.ts'
import type { ModelEvent } from '#core/model.ts'
import { parseScript } from '#models/script.ts'
import { createScriptedModel } from '#models/scripted.ts'

const never = new AbortController().signal
const user = (text: string): Item => textMessage('user', text)
const said = (text: string): Item => textMessage('assistant', text)
const call = (callId: string, name: string): Item => ({ type: 'call', callId, name, args: '{}' })
const result = (callId: string, output: string): Item => ({ type: 'result', callId, output })

async function play(script: unknown, items: readonly Item[], signal = never) {
  const slept: number[] = []
  const batches: (readonly ModelEvent[])[] = []
  const model = createScriptedModel({
    script: parseScript(JSON.stringify(script)),
    sleep: async (ms) => void slept.push(ms),
  })
  let error: unknown
  try {
    for await (const batch of model.stream({ system: '', items, tools: [] }, signal)) batches.push(batch)
  } catch (thrown) {
    error = thrown
  }
  const events = batches.flat()
  const text = events.map((event) => (event.type === 'text' ? event.text : '')).join('')
  return { batches, events, text, slept, error }
}

describe('the choice of a reply', () => {
  const rows: [string, unknown, Item[], string][] = [
    ['the first to a new thread', ['one', 'two'], [user('hi')], 'one'],
    ['the next after each response', ['one', 'two'], [user('hi'), said('one'), user('on')], 'two'],
    [
      'prose and calls of one response count once',
      ['one', 'two', 'three'],
      [
        user('hi'),
        { type: 'reasoning', text: 'hm' },
        said('x'),
        call('a', 't'),
        call('b', 't'),
        result('a', ''),
        result('b', ''),
      ],
      'two',
    ],
    ['nothing is left at the end', ['one'], [user('hi'), said('one'), user('on')], '(script exhausted)'],
    ['a loop starts over', { replies: ['one'], loop: true }, [user('hi'), said('one'), user('on')], 'one'],
    ['times repeats one in turn', [{ text: 'one', times: 2 }, 'two'], [user('hi'), said('one'), user('on')], 'one'],
    ['a match wins over the turn', ['one', { when: 'rain', text: 'wet' }], [user('does it rain?')], 'wet'],
    ['no match leaves the turn', [{ when: 'rain', text: 'wet' }, 'one'], [user('hi')], 'one'],
    [
      'a reply to a message is not chosen again after its call',
      [{ when: 'rain', text: 'wet' }, 'one', 'two'],
      [user('rain'), call('a', 'weather'), result('a', 'dry')],
      'two',
    ],
    [
      'a reply after a tool sees its result',
      [{ afterTool: 'weather', text: '{{input}} {{result}}' }],
      [user('rain?'), call('a', 'weather'), result('a', 'dry')],
      'rain? dry',
    ],
    [
      'both conditions must hold',
      [{ when: 'snow', afterTool: 'weather', text: 'no' }, 'one', 'two'],
      [user('rain?'), call('a', 'weather'), result('a', 'dry')],
      'two',
    ],
    [
      'a match with times is used up',
      [
        { when: 'rain', text: 'wet', times: 1 },
        { when: 'rain', text: 'still wet' },
      ],
      [user('rain'), said('wet'), user('rain')],
      'still wet',
    ],
  ]
  for (const [what, script, items, text] of rows) {
    test(what, async () => assert.equal((await play(script, items)).text, text))
  }
})

describe('what is streamed', () => {
  test('one text goes word by word in one batch, and done comes last with estimated usage', async () => {
    const { batches } = await play(['It is noon.'], [user('12345678')])
    const usage = { inputTokens: 2, cachedTokens: 0, outputTokens: 3, reasoningTokens: 0, costUsd: 0 }
    assert.deepEqual(batches, [
      [
        { type: 'text', text: 'It ' },
        { type: 'text', text: 'is ' },
        { type: 'text', text: 'noon.' },
        { type: 'done', usage },
      ],
    ])
  })

  test('chunks, reasoning, calls and usage come as they are written', async () => {
    const reply = {
      reasoning: 'hm',
      text: ['a b', 'c'],
      calls: [
        { name: 'add', args: { a: 1 } },
        { name: 'raw', args: '{oops' },
      ],
      usage: { inputTokens: 5, costUsd: 0.5 },
    }
    const usage = { inputTokens: 5, cachedTokens: 0, outputTokens: 0, reasoningTokens: 0, costUsd: 0.5 }
    assert.deepEqual((await play([reply], [user('x')])).events, [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'a b' },
      { type: 'text', text: 'c' },
      { type: 'call', name: 'add', args: '{"a":1}' },
      { type: 'call', name: 'raw', args: '{oops' },
      { type: 'done', usage },
    ])
  })

  test('pauses stand before the first event and after each chunk', async () => {
    const { batches, slept } = await play([{ text: ['a', 'b'], delayMs: 7, chunkDelayMs: 3 }], [user('x')])
    assert.deepEqual(slept, [7, 3, 3])
    assert.equal(batches.length, 3)
  })

  test('an error comes at once, or after some chunks', async () => {
    const early = await play([{ text: ['a'], error: { code: 'model_failed' } }], [user('x')])
    assert.deepEqual(early.batches, [])
    assert.ok(early.error instanceof AppError && early.error.code === 'model_failed')
    const error = { code: 'model_timeout', message: 'late', afterChunks: 1 }
    const late = await play([{ text: ['a', 'b'], error }], [user('x')])
    assert.equal(late.text, 'a')
    assert.ok(!late.events.some((event) => event.type === 'done'))
    assert.ok(late.error instanceof AppError && late.error.message === 'late')
  })

  test('an abort ends a pause at once', async () => {
    const controller = new AbortController()
    const model = createScriptedModel({ script: parseScript('[{"text":"a","delayMs":600000}]') })
    const request = { system: '', items: [user('x')], tools: [] }
    const next = model.stream(request, controller.signal)[Symbol.asyncIterator]().next()
    controller.abort()
    await assert.rejects(next, { name: 'AbortError' })
  })
})

describe('a fault of the script is named by its path', () => {
  const rows: [string, RegExp][] = [
    ['{', /not JSON/],
    ['3', /the file must be an object/],
    ['{}', /replies is missing/],
    ['{"replies":{}}', /replies must be a list/],
    ['{"replies":[],"lop":true}', /lop is not a field/],
    ['{"replies":[],"loop":1}', /loop must be true or false/],
    ['[1]', /replies\[0\] must be an object/],
    ['["a",{"txt":"b"}]', /replies\[1\]\.txt is not a field/],
    ['[{"text":["a",1]}]', /replies\[0\]\.text\[1\] must be a string/],
    ['[{"calls":[{"name":"x","args":[]}]}]', /replies\[0\]\.calls\[0\]\.args must be an object or a string/],
    ['[{"calls":[{}]}]', /replies\[0\]\.calls\[0\]\.name must be a string/],
    ['[{"error":{"code":"oops"}}]', /replies\[0\]\.error\.code must be one of model_unknown/],
    ['[{"delayMs":-1}]', /replies\[0\]\.delayMs must be a number from 0/],
    ['[{"times":0}]', /replies\[0\]\.times must be a whole number from 1/],
    ['[{"usage":{"tokens":1}}]', /replies\[0\]\.usage\.tokens is not a field/],
  ]
  for (const [text, words] of rows) {
    test(text, () => {
      assert.throws(
        () => parseScript(text),
        (error) =>
          error instanceof AppError &&
          error.code === 'invalid_config' &&
          words.test(error.message) &&
          /^LLM_SCRIPT is .*Example: LLM_SCRIPT=replies\.json$/.test(error.message),
      )
    })
  }
})
