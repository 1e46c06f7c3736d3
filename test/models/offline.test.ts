// The offline model in a conversation: whose words it reads, answers to its questions, results in readable lines, the stream.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Item, type Part, textMessage } from '#core/item.ts'
import type { JsonObject } from '#core/json.ts'
import type { ModelEvent } from '#core/model.ts'
import type { ToolSpec } from '#core/tool.ts'
import { createOfflineModel, decide, type Move } from '#models/offline.ts'
import { growth } from '../safety/growth.ts'
import { fence } from '../safety/test-fence.ts'
import { ask, builtIn, flights, object, replyTo, text, tool, weather } from './offline-tools.ts'

test('blocks ahead of the message are not understood as the message', () => {
  const blocks = '<instructions>\nSay the weather in Rome.\n</instructions>\n\n<user-context>\nAnn\n</user-context>\n\n'
  const move = decide(ask(`${blocks}2+2`, [...builtIn, weather]))
  assert.deepEqual(move, { type: 'call', name: 'calculate', args: { expression: '2+2' } })
})

const attachments: readonly (readonly [what: string, part: Part])[] = [
  ['an attached file', { type: 'file', name: 'sum.txt', text: '2+2' }],
  [
    'a fence',
    {
      type: 'text',
      text: `\n${fence('What is the weather in Rome?', 'attached file a.txt')}\n`,
      origin: 'attached file a.txt',
    },
  ],
  ['code', { type: 'text', text: '```\nwhat is 2+2?\n```' }],
]

for (const [what, part] of attachments) {
  test(`${what} chooses no tool`, () => {
    const items = [textMessage('user', 'review this', [part])]
    assert.match(replyTo({ system: '', items, tools: [...builtIn, weather] }), /did not understand/)
    const asked = [textMessage('user', 'what is 3*3?', [part])]
    const move = decide({ system: '', items: asked, tools: builtIn })
    assert.deepEqual(move, { type: 'call', name: 'calculate', args: { expression: '3*3' } })
  })
}

test('a URL is only taken from the message, whatever else it says', () => {
  const message = 'Make me a table of 2^10, 2^20 and 2^30, then read https://example.com/'
  const move = decide(ask(message, builtIn))
  assert.deepEqual(move, { type: 'call', name: 'web_fetch', args: { url: 'https://example.com/' } })
  assert.match(replyTo(ask('Fetch the web page of Example', builtIn)), /^To use web_fetch I still need: url/)
})

/** What comes of a conversation: its messages in turn, ours as the model says them. */
function converse(tools: readonly ToolSpec[], ...messages: readonly string[]): Move {
  const items: Item[] = []
  for (const message of messages.slice(0, -1)) {
    items.push(textMessage('user', message))
    const move = decide({ system: '', items, tools })
    items.push(textMessage('assistant', move.type === 'reply' ? move.text : 'Here you are.'))
  }
  return decide({ system: '', items: [...items, textMessage('user', messages.at(-1) ?? '')], tools })
}

const conversations: readonly (readonly [messages: readonly string[], name: string, args: JsonObject])[] = [
  [["What's the weather?", 'oslo'], 'weather', { action: 'get_current', city: 'oslo' }],
  [["What's the weather?", 'in New York tomorrow'], 'weather', { action: 'get_forecast', city: 'New York' }],
  [['air quality in Paris', '48.85, 2.35'], 'weather', { action: 'get_air_quality', lat: 48.85, lon: 2.35 }],
  [['weather', 'in Oslo, not Bergen'], 'weather', { action: 'get_current', city: 'Oslo' }],
  [["What's the weather?", 'what is 2+2?'], 'calculate', { expression: '2+2' }],
  [
    ['flights', 'from Berlin', 'to Rome', '2026-03-05'],
    'search_flights',
    { origin: 'Berlin', destination: 'Rome', date: '2026-03-05' },
  ],
]

for (const [messages, name, args] of conversations) {
  test(`"${messages.join('", then "')}" calls ${name}`, () => {
    assert.deepEqual(converse([...builtIn, weather, flights], ...messages), { type: 'call', name, args })
  })
}

for (const [message, words] of [
  ['hello', /^Hello!/],
  ['tell me a joke', /"help"/],
] as const) {
  test(`"${message}" is no answer to its question`, () => {
    const move = converse([weather], 'How is the weather?', message)
    assert.match(move.type === 'reply' ? move.text : '', words)
  })
}

const results: readonly (readonly [name: string, output: string, words: RegExp, error?: true])[] = [
  ['calculate', '2+2 = 4', /^2\+2 = 4$/],
  ['calculate', '', /nothing/],
  ['time', '{"iso":"x","local":"Monday at 9","timezone":"UTC"}', /^It is Monday at 9 \(UTC\)\.$/],
  ['memory_search', '## notes/bike.md\nmy bike is blue', /^## notes\/bike\.md\nmy bike is blue$/],
  ['memory_search', fence('## notes/bike.md\nblue', 'memory_search'), /^## notes\/bike\.md\nblue$/],
  ['memory_search', 'Nothing in memory matches.', /^Nothing in memory matches\.$/],
  ['memory_write', '{}', /made a note/],
  ['weather', '{"city":"Paris","feels_like":3.5}', /:\ncity: Paris\nfeels like: 3.5$/],
  ['weather', '{"days":[{"date":"1 May","temp_max":3}]}', /:\ndays:\n {2}- date: 1 May, temp max: 3$/],
  ['weather', 'City not found: Xyz', /^weather could not do that: City not found: Xyz$/, true],
  ['find', '["a","b"]', /:\n- a\n- b$/],
  ['constructor', 'plain words', /^Here is what constructor says:\nplain words$/],
  ['find', 'plain words', /:\nplain words$/],
  ['find', fence('{"a":1}', 'find'), /says:\na: 1$/],
  ['find', '['.repeat(5_000) + ']'.repeat(5_000), /…$/],
  ['find', JSON.stringify(Array.from({ length: 500 }, (_, index) => index)), /- 59\n… and more$/],
]

for (const [name, output, words, error] of results) {
  test(`${error ? 'an error' : 'a result'} of ${name} (${output.slice(0, 40)}) ends the turn in readable lines`, () => {
    assert.match(replyTo({ ...ask('', [weather]), items: answered(name, output, error) }), words)
  })
}

test('a format is refused in honest words', async () => {
  const format = { name: 'answer', schema: object({ name: text }) }
  const read = () =>
    Array.fromAsync(createOfflineModel().stream({ ...ask('hello', []), format }, new AbortController().signal))
  await assert.rejects(read, { code: 'model_refused', message: /offline model/ })
})

test('the text streams in words and ends with free usage', async () => {
  const events: ModelEvent[] = []
  const model = createOfflineModel()
  for await (const batch of model.stream(ask('help', builtIn), new AbortController().signal)) events.push(...batch)
  const words = events.flatMap((event) => (event.type === 'text' ? [event.text] : []))
  assert.equal(words.join(''), replyTo(ask('help', builtIn)))
  assert.ok(words.every((word) => /^\s*\S+\s*$/.test(word)))
  const usage = { cachedTokens: 0, reasoningTokens: 0, costUsd: 0, inputTokens: 1 }
  const outputTokens = Math.ceil(words.join('').length / 4)
  assert.deepEqual(events.at(-1), { type: 'done', usage: { ...usage, outputTokens } })
})

test('an aborted request stops before anything is said', async () => {
  const read = async () => {
    const stream = createOfflineModel().stream(ask('help', []), AbortSignal.abort(new Error('stop')))
    for await (const _ of stream) assert.fail('said something')
  }
  await assert.rejects(read, /stop/)
})

test('odd messages and schemas never make it throw', () => {
  const odd = ['"', '<instructions>', '((((', '\u0000', '🙂'.repeat(500), '$& $1 \\b', "'".repeat(999)]
  const long = ['A ', '-', '1,', 'a/', 'a.', 'x=y ', '9', ' of '].map((each) => each.repeat(2_000))
  const schema = object({ 'b(c': text, n: { type: 'number' }, r: { $ref: '#' } }, ['b(c', 'n', 'r'])
  const tools = [
    tool('a.*(b', 'weird', schema),
    tool('constructor', '', object({ __proto__: text, x: { ...text, format: 'constructor' } })),
    tool('x', '', { oneOf: [] }),
    tool('y', '', { properties: 3 }),
    weather,
  ]
  for (const message of [...odd, ...long].flatMap((each) => [
    each,
    `weather in ${each}`,
    `x ${each}`,
    `use a b ${each}`,
    `constructor ${each}`,
    'help',
  ])) {
    decide(ask(message, tools))
  }
})

const pieces = ['A ', '-', '1,', 'a/', 'a.', '!', '"', '```', 'https://', 'get ', '(', 'sqrt(', 'in ', '<instructions>']
for (const piece of pieces) {
  test(`a long message is read in linear time: ${piece}`, () => {
    const read = (times: number) => decide(ask(piece.repeat((times * 10) / piece.length), [...builtIn, weather]))
    assert.ok(growth(read) < 3)
  })
}

function answered(name: string, output: string, error?: true): Item[] {
  const result: Item = {
    type: 'result',
    callId: 'c1',
    output,
    ...(error && { error }),
    ...(output.startsWith('<') && { origin: name }),
  }
  return [textMessage('user', 'weather in Paris'), { type: 'call', callId: 'c1', name, args: '{}' }, result]
}
