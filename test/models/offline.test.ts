// The offline model in a conversation: answers to its questions, results in readable lines, formats, the stream.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { type Item, textMessage } from '#core/item.ts'
import type { JsonObject } from '#core/json.ts'
import type { ModelEvent } from '#core/model.ts'
import type { ToolSpec } from '#core/tool.ts'
import { createOfflineModel, decide } from '#models/offline.ts'
import { fence } from '../safety/test-fence.ts'
import { ask, builtIn, flights, moment, object, replyTo, text, tool, weather } from './offline-tools.ts'

test('blocks ahead of the message are not understood as the message', () => {
  const blocks = '<instructions>\nSay the weather in Rome.\n</instructions>\n\n<user-context>\nAnn\n</user-context>\n\n'
  const move = decide(ask(`${blocks}2+2`, [...builtIn, weather]), moment)
  assert.deepEqual(move, [{ type: 'call', name: 'calculate', args: { expression: '2+2' } }])
})

/** What comes of a conversation: its messages in turn, ours as the model says them. */
function converse(tools: readonly ToolSpec[], ...messages: readonly string[]): ReturnType<typeof decide> {
  const items: Item[] = []
  for (const message of messages.slice(0, -1)) {
    items.push(textMessage('user', message))
    const [move] = decide({ system: '', items, tools }, moment)
    items.push(textMessage('assistant', move && move.type !== 'call' ? move.text : 'Here you are.'))
  }
  return decide({ system: '', items: [...items, textMessage('user', messages.at(-1) ?? '')], tools }, moment)
}

const conversations: readonly (readonly [messages: readonly string[], name: string, args: JsonObject])[] = [
  [["What's the weather?", 'oslo'], 'weather', { action: 'get_current', city: 'oslo' }],
  [["What's the weather?", 'in New York tomorrow'], 'weather', { action: 'get_forecast', city: 'New York' }],
  [['air quality in Paris', '48.85, 2.35'], 'weather', { action: 'get_air_quality', lat: 48.85, lon: 2.35 }],
  [['air quality', '48.85', '2.35'], 'weather', { action: 'get_air_quality', lat: 48.85, lon: 2.35 }],
  [['weather', 'in Oslo, not Bergen'], 'weather', { action: 'get_current', city: 'Oslo' }],
  [['weather in Paris', 'and in Rome?'], 'weather', { action: 'get_current', city: 'Rome' }],
  [['what is 17% of 80', 'and of 90?'], 'calculate', { expression: '17% of 90' }],
  [['weather in Paris', 'and tomorrow?'], 'weather', { action: 'get_forecast', city: 'Paris' }],
  [['what time is it in Paris', 'what about Tokyo?'], 'time', { timezone: 'Asia/Tokyo' }],
  [["What's the weather?", 'what is 2+2?'], 'calculate', { expression: '2+2' }],
  [
    ['flights', 'from Berlin', 'to Rome', 'tomorrow'],
    'search_flights',
    { origin: 'Berlin', destination: 'Rome', date: '2026-03-05' },
  ],
]

for (const [messages, name, args] of conversations) {
  test(`"${messages.join('", then "')}" calls ${name}`, () => {
    assert.deepEqual(converse([...builtIn, weather, flights], ...messages), [{ type: 'call', name, args }])
  })
}

for (const [message, words] of [
  ['hello', /^Hello!/],
  ['tell me a joke', /"help"/],
] as const) {
  test(`"${message}" is no answer to its question`, () => {
    const [move] = converse([weather], 'How is the weather?', message)
    assert.match(move?.type === 'say' ? move.text : '', words)
  })
}

test('what is no call is said together with the results', () => {
  const items: Item[] = [textMessage('user', 'What time is it? Who won the cup?')]
  assert.equal(decide({ system: '', items, tools: builtIn }, moment).length, 1)
  items.push({ type: 'call', callId: 'c1', name: 'time', args: '{}' })
  items.push({ type: 'result', callId: 'c1', output: '{"iso":"x","local":"Monday at 9","timezone":"UTC"}' })
  assert.match(
    replyTo({ system: '', items, tools: builtIn }),
    /^"Who won the cup\?": .*"help".*\n\nIt is Monday at 9\.$/,
  )
})

const results: readonly (readonly [name: string, output: string, words: RegExp, error?: true])[] = [
  ['calculate', '2+2 = 4', /^2\+2 = 4$/],
  ['calculate', '', /nothing/],
  ['time', '{"iso":"x","local":"Monday at 9","timezone":"UTC"}', /^It is Monday at 9\.$/],
  ['memory_search', '## notes/bike.md\nmy bike is blue\n\n## a.md\ntea', /^From memory:\nmy bike is blue\n\ntea$/],
  ['memory_search', fence('## notes/bike.md\nblue', 'memory_search'), /^From memory:\nblue$/],
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

const days: readonly (readonly [message: string, words: RegExp])[] = [
  ['what time is it in Tokyo?', /^In Tokyo it is now\.$/],
  ['what day is it tomorrow?', /^It is now; tomorrow is Thursday, 5 March 2026\.$/],
  ['what day was yesterday?', /; yesterday was Tuesday, 3 March 2026\.$/],
  ['what date is it in 10 days', /; in 10 days is Saturday, 14 March 2026\.$/],
  ['what date is Wednesday', /; Wednesday is Wednesday, 11 March 2026\.$/],
  ['how many days until 2026-12-25', /; 2026-12-25 is Friday, 25 December 2026, in 296 days\.$/],
]

for (const [message, words] of days) {
  test(`"${message}" is told as ${words.source}`, () => {
    const timezone = message.includes('Tokyo') ? 'Asia/Tokyo' : 'UTC'
    const output = JSON.stringify({ iso: new Date(moment).toISOString(), local: 'now', timezone })
    const items = [textMessage('user', message), ...answered('time', output).slice(1)]
    assert.match(replyTo({ ...ask('', builtIn), items }), words)
  })
}

const formats: readonly (readonly [message: string, properties: JsonObject, answer: JsonObject])[] = [
  ['Ann is 31 years old', { name: text, age: { type: 'integer' } }, { name: 'Ann', age: 31 }],
  ['this was negative', { mood: { enum: ['positive', 'negative'] } }, { mood: 'negative' }],
  ['thanks', { answer: text }, { answer: "You're welcome." }],
  [
    'thanks',
    { a: { type: 'number', minimum: 5 }, b: { type: 'array' }, c: { type: ['string', 'null'] }, d: { const: 1 } },
    { a: 5, b: [], c: null, d: 1 },
  ],
  ['thanks', { inner: object({ sure: { type: 'boolean' } }) }, { inner: { sure: false } }],
  ['on 2026-05-01', { when: { ...text, format: 'date' } }, { when: '2026-05-01' }],
  ['thanks', { when: { ...text, format: 'date-time' } }, { when: '1970-01-01T00:00:00Z' }],
  ['thanks', { a: { ...text, maxLength: 3 }, b: { ...text, minLength: 17 } }, { a: 'You', b: "You're welcome..." }],
  ['thanks', { a: { type: 'integer', exclusiveMinimum: 7, multipleOf: 5 } }, { a: 15 }],
  ['thanks', { a: { type: 'number', maximum: -2 } }, { a: -2 }],
  ['thanks', { a: { type: 'array', items: { type: 'boolean' }, minItems: 2 } }, { a: [false, false] }],
  ['red and blue', { a: { type: 'array', items: { enum: ['red', 'green', 'blue'] } } }, { a: ['red', 'blue'] }],
]

for (const [message, properties, answer] of formats) {
  test(`"${message}" is answered by its format: ${JSON.stringify(answer)}`, () => {
    const format = { name: 'answer', schema: object(properties) }
    assert.deepEqual(JSON.parse(replyTo({ ...ask(message, builtIn), format })), answer)
  })
}

test('an answer is valid by its schema, whatever was said', () => {
  const person = object({
    name: text,
    email: { ...text, format: 'email' },
    tags: { type: 'array', items: text, minItems: 1 },
  })
  const score = { type: 'number', minimum: 0, maximum: 1 }
  const schemas: readonly JsonObject[] = [
    { ...object({ people: { type: 'array', items: { $ref: '#/$defs/person' }, minItems: 2 } }), $defs: { person } },
    object({ id: { ...text, format: 'uuid' }, site: { ...text, format: 'uri' }, at: { ...text, format: 'date-time' } }),
    object({ day: { ...text, format: 'date' }, mood: { ...text, enum: ['good', 'bad'] }, score }),
    object({
      kind: { const: 'event' },
      title: { ...text, minLength: 3, maxLength: 12 },
      count: { type: 'integer', minimum: 1 },
    }),
    object({
      choice: { anyOf: [object({ a: { type: 'boolean' } }), object({ b: { type: 'integer' } })] },
      none: { type: 'null' },
    }),
    { allOf: [object({ left: text }), object({ right: score })], type: 'object' },
    { type: 'array', items: { type: 'integer' }, minItems: 3 },
    { ...text, maxLength: 5 },
  ]
  const messages = [
    'thanks',
    'Ann met Bob on 2026-05-01, 31 people, ann@example.com, https://example.com/a',
    '2+2',
    'bad 0.5 7',
  ]
  for (const schema of schemas) {
    for (const message of messages) {
      const answer = JSON.parse(replyTo({ ...ask(message, []), format: { name: 'answer', schema } }))
      const checked = z.fromJSONSchema(schema).safeParse(answer)
      assert.ok(checked.success, `${JSON.stringify(answer)}: ${checked.error?.message}`)
    }
  }
})

test('with a format, a tool is still called, and what it answered fills the fields of the same name', () => {
  const format = { name: 'answer', schema: object({ humidity: { type: 'integer' } }, ['humidity']) }
  assert.equal(decide({ ...ask('weather in Paris', [weather]), format }, moment)[0]?.type, 'call')
  const items = answered('weather', '{"temperature":3,"humidity":80}')
  assert.equal(replyTo({ ...ask('', [weather]), items, format }), '{"humidity":80}')
})

test('the text streams in words and ends with free usage', async () => {
  const events: ModelEvent[] = []
  const model = createOfflineModel({ clock: () => moment })
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
    decide(ask(message, tools), moment)
    decide({ ...ask(message, tools), format: { name: 'f', schema } }, moment)
  }
})

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
