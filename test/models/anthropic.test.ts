// Anthropic's client against a strict server: answers and thoughts.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { textMessage } from '#core/item.ts'
import { messageEvents, saying, signatureOf } from './strict-anthropic.ts'
import { collect, fails, hello, list, send, textsOf } from './wire.ts'
import { ask, itemsOf, resultsOf, serve, text, tool } from './anthropic-client.ts'

describe('reading', () => {
  test('text comes in deltas, and done comes last with cached and reasoning tokens inside the totals', async (t) => {
    const { model } = await serve(t, [
      saying([text], {
        usage: { input_tokens: 10, cache_read_input_tokens: 30, cache_creation_input_tokens: 5 },
        output: { output_tokens: 9, output_tokens_details: { thinking_tokens: 4 } },
      }),
    ])
    assert.deepEqual(await collect(model), [
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
      {
        type: 'done',
        usage: { inputTokens: 45, cachedTokens: 30, outputTokens: 9, reasoningTokens: 4, costUsd: null },
      },
    ])
  })

  test('what was written into the cache is told to the price apart', async (t) => {
    const counted: unknown[] = []
    const { model } = await serve(
      t,
      [saying([text], { usage: { input_tokens: 1, cache_read_input_tokens: 2, cache_creation_input_tokens: 4 } })],
      { priceOf: (counts) => counted.push(counts) },
    )
    const done = (await collect(model)).at(-1)
    assert.equal(done?.type === 'done' && done.usage.costUsd, 1)
    assert.partialDeepStrictEqual(counted, [{ inputTokens: 7, cachedTokens: 2, cacheWriteTokens: 4 }])
  })

  test('counts that no answer can have are counted as zero', async (t) => {
    const usage = { input_tokens: 1e300, cache_read_input_tokens: -2 }
    const { model } = await serve(t, [saying([text], { usage, output: { output_tokens: 2 ** 53 } })])
    const none = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, reasoningTokens: 0, costUsd: null }
    assert.deepEqual((await collect(model)).at(-1), { type: 'done', usage: none })
  })

  test('each delta is told before the next has come', async (t) => {
    let more = (): void => {}
    const gate = new Promise<void>((resolve) => {
      more = resolve
    })
    const pieces = messageEvents([text])
    const { model } = await serve(t, [
      async (response) => {
        await send(response, pieces.slice(0, 4), false)
        await gate
        for (const piece of pieces.slice(4)) response.write(piece)
        response.end()
      },
    ])
    const seen: string[] = []
    for await (const batch of model.stream(hello, new AbortController().signal)) {
      seen.push(...textsOf(batch))
      more()
    }
    assert.deepEqual(seen, ['Hel', 'lo'])
  })

  test('calls beside each other keep their order and every letter of their arguments', async (t) => {
    const pieces = ['{"q": "a', '\\u00e9", "n": 1.50}']
    const { model } = await serve(t, [
      saying([text, { call: { name: 'lookup', pieces } }, { call: { name: 'time', pieces: [] } }]),
    ])
    const calls = (await collect(model)).filter((each) => each.type === 'call')
    assert.deepEqual(calls, [
      { type: 'call', name: 'lookup', args: '{"q": "a\\u00e9", "n": 1.50}' },
      { type: 'call', name: 'time', args: '{}' },
    ])
  })

  test('an answer that ran into its limit says so, a refusal is a fault', async (t) => {
    const { model } = await serve(t, [saying([text], { stop: 'max_tokens' }), saying([text], { stop: 'refusal' })])
    assert.partialDeepStrictEqual((await collect(model)).at(-1), { type: 'done', stop: 'length' })
    assert.equal((await fails(collect(model))).code, 'model_filtered')
  })
})

describe('thoughts', () => {
  const thinking = [{ thinking: 'hm' }, { redacted: 'redacted-1' }]
  const calling = [...thinking, { call: { name: 'lookup', pieces: ['{"q":"x"}'] } }]

  test('they come back as they were sealed, within a turn and in the next', async (t) => {
    const { model, asked } = await serve(t, [saying(calling), saying([...thinking, text]), saying([text])])
    const user = textMessage('user', 'hello')
    const first = itemsOf(await collect(model, ask([user], { tools: [tool] })))
    assert.deepEqual(
      first.map(({ type }) => type),
      ['reasoning', 'reasoning', 'call'],
    )
    const more = [user, ...first, ...resultsOf(first)]
    const second = itemsOf(await collect(model, ask(more, { tools: [tool] })))
    await collect(model, ask([...more, ...second, textMessage('user', 'and now?')], { tools: [tool] }))
    const said = list(asked[2]?.body['messages']).filter(({ role }) => role === 'assistant')
    for (const message of said) {
      assert.deepEqual(list(message['content']).slice(0, 2), [
        { type: 'thinking', thinking: 'hm', signature: signatureOf('hm') },
        { type: 'redacted_thinking', data: 'redacted-1' },
      ])
    }
    assert.equal(said.length, 2)
  })

  test('what another provider sealed, or nobody did, stays away', async (t) => {
    const { model, asked } = await serve(t, [saying([text])])
    const seal = JSON.stringify({ google: { thoughtSignature: 'theirs' } })
    await collect(
      model,
      ask([
        textMessage('user', 'a'),
        { type: 'reasoning', text: 'secret thought', seal },
        { type: 'reasoning', text: 'open thought' },
        { type: 'call', callId: 'call_1', name: 'lookup', args: '{}', seal },
        { type: 'result', callId: 'call_1', output: 'fine' },
      ]),
    )
    assert.doesNotMatch(asked[0]?.text ?? '', /theirs|thought/)
  })
})
