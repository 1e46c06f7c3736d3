// The offline model by tables: what it calls, what it says, what it never does.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Item } from '#core/item.ts'
import { textMessage } from '#core/item.ts'
import type { JsonObject } from '#core/json.ts'
import type { ModelEvent, ModelRequest } from '#core/model.ts'
import type { ToolSpec } from '#core/tool.ts'
import { createOfflineModel, decide } from '#models/offline.ts'
import { fence } from '#safety/fence.ts'
import { createCalculateTool } from '#tools/calculate.ts'
import { createTimeTool } from '#tools/time.ts'

const NOW = Date.parse('2026-03-04T05:06:07Z')
const text = { type: 'string' }

const place = {
  city: { ...text, description: 'City name' },
  country_code: { ...text, description: 'ISO 3166-1 alpha-2 code' },
  units: { ...text, enum: ['metric', 'imperial'], default: 'metric' },
}
const coordinates = {
  lat: { type: 'number', minimum: -90, maximum: 90 },
  lon: { type: 'number', minimum: -180, maximum: 180 },
}
const weather = tool('weather', 'Current weather, 5-day forecast and air quality.', {
  oneOf: [
    branch({ action: { const: 'get_current' }, ...place }, ['action', 'city']),
    branch({ action: { const: 'get_forecast' }, ...place }, ['action', 'city']),
    branch({ action: { const: 'get_air_quality' }, ...coordinates }, ['action', 'lat', 'lon']),
  ],
})
const getWeather = tool(
  'get_weather',
  'Get the current weather for a location, e.g. Berlin',
  branch(
    { location: { ...text, description: 'City and country' }, unit: { ...text, enum: ['celsius', 'fahrenheit'] } },
    ['location'],
  ),
)
const strictWeather = tool(
  'get_weather',
  'Weather of a place.',
  branch(
    { location: text, unit: { type: ['string', 'null'] }, days: { anyOf: [{ type: 'integer' }, { type: 'null' }] } },
    ['location', 'unit', 'days'],
  ),
)
const flights = tool(
  'search_flights',
  'Search for flights between two cities.',
  branch({ origin: text, destination: text, date: text, seats: { type: 'integer' } }, [
    'origin',
    'destination',
    'date',
  ]),
)
const stock = tool('get_stock_price', 'Returns the price of a stock.', branch({ symbol: text }, ['symbol']))
const order = tool('get_order', 'Shows an order.', branch({ order_id: text }, ['order_id']))
const looseOrder = tool('get_order', 'Shows an order.', branch({ customer: text }, []))
const webSearch = tool('web_search', 'Searches the web.', branch({ query: text }, ['query']))
const memoryWrite = tool('memory_write', 'Writes a note.', branch({ path: text, content: text }, ['path', 'content']))
const time = createTimeTool({ now: () => NOW }).spec
const calculate = createCalculateTool().spec
const builtIn = [
  time,
  calculate,
  memoryWrite,
  tool('memory_search', 'Searches the notes kept in memory.', branch({ query: text }, ['query'])),
  tool('web_fetch', 'Fetches a web page.', branch({ url: text }, ['url'])),
  tool('workspace_read', 'Reads a file of the workspace.', branch({ path: text }, ['path'])),
]

const calls: readonly (readonly [message: string, tools: readonly ToolSpec[], name: string, args: JsonObject])[] = [
  // time
  ['What time is it?', builtIn, 'time', {}],
  ['what time is it in Tokyo?', builtIn, 'time', { timezone: 'Asia/Tokyo' }],
  ['What is the time in new york right now?', builtIn, 'time', { timezone: 'America/New_York' }],
  ["what's the current time in Europe/Paris", builtIn, 'time', { timezone: 'Europe/Paris' }],
  ['what time is it in Springfield', builtIn, 'time', { timezone: 'Springfield' }],
  ['Which day is it?', builtIn, 'time', {}],
  ['what time is it?', [time, tool('get_current_time', 'Current time', {})], 'get_current_time', {}],
  // arithmetic
  ['what is 12 * (3+4)?', builtIn, 'calculate', { expression: '12 * (3+4)' }],
  ['What is 17 percent of 80?', builtIn, 'calculate', { expression: '17% of 80' }],
  ['Calculate 3 plus 4 times 5', builtIn, 'calculate', { expression: '3 + 4 * 5' }],
  ['what is 21 divided by 7 minus 1', builtIn, 'calculate', { expression: '21 / 7 - 1' }],
  ['100-25', builtIn, 'calculate', { expression: '100-25' }],
  ['6 x 7', builtIn, 'calculate', { expression: '6 * 7' }],
  ['What is 0.1 + 0.2.', builtIn, 'calculate', { expression: '0.1 + 0.2' }],
  // memory
  [
    'Remember that my bike is blue.',
    builtIn,
    'memory_write',
    { path: 'notes/my-bike-is-blue.md', content: 'my bike is blue.' },
  ],
  ['What do you remember about my bike?', builtIn, 'memory_search', { query: 'bike' }],
  ['what is my favourite colour?', builtIn, 'memory_search', { query: 'favourite colour' }],
  // weather by its schema
  ["What's the weather in Paris?", [weather], 'weather', { action: 'get_current', city: 'Paris' }],
  ['weather in paris', [weather], 'weather', { action: 'get_current', city: 'paris' }],
  ['How hot is it in New York?', [weather], 'weather', { action: 'get_current', city: 'New York' }],
  [
    'Forecast for Rio de Janeiro, Brazil in imperial units',
    [weather],
    'weather',
    { action: 'get_forecast', city: 'Rio de Janeiro', units: 'imperial' },
  ],
  ['Will it rain in Oslo tomorrow?', [weather], 'weather', { action: 'get_forecast', city: 'Oslo' }],
  [
    'Weather in London in Fahrenheit',
    [weather],
    'weather',
    { action: 'get_current', city: 'London', units: 'imperial' },
  ],
  ['Air quality at 48.85, -2.35', [weather], 'weather', { action: 'get_air_quality', lat: 48.85, lon: -2.35 }],
  ['air quality at lon 2.35 and lat 48.85', [weather], 'weather', { action: 'get_air_quality', lat: 48.85, lon: 2.35 }],
  // tools of a caller
  ["What's the weather in Paris?", [...builtIn, weather, getWeather], 'get_weather', { location: 'Paris' }],
  ['What is the weather like in Paris, France today?', [getWeather], 'get_weather', { location: 'Paris, France' }],
  ["what's the weather like in berlin right now?", [getWeather], 'get_weather', { location: 'berlin' }],
  ['weather in boston in celsius', [getWeather], 'get_weather', { location: 'boston', unit: 'celsius' }],
  ['Weather for "Saint-Denis"', [getWeather], 'get_weather', { location: 'Saint-Denis' }],
  ['Weather in Kyiv', [strictWeather], 'get_weather', { location: 'Kyiv', unit: null, days: null }],
  ['What is the stock price of AAPL?', [...builtIn, stock], 'get_stock_price', { symbol: 'AAPL' }],
  ['Search the web for rust async runtimes', [webSearch], 'web_search', { query: 'rust async runtimes' }],
  ['Fetch https://example.com/a?b=1.', builtIn, 'web_fetch', { url: 'https://example.com/a?b=1' }],
  ['Read the file notes/today.md', builtIn, 'workspace_read', { path: 'notes/today.md' }],
  ['read file "a b.txt"', builtIn, 'workspace_read', { path: 'a b.txt' }],
  [
    'Search flights from Berlin to New York on 2026-05-01',
    [flights],
    'search_flights',
    { origin: 'Berlin', destination: 'New York', date: '2026-05-01' },
  ],
  ['show order 4711', [order], 'get_order', { order_id: '4711' }],
  ['show the order of Ann', [looseOrder], 'get_order', { customer: 'Ann' }],
]

for (const [message, tools, name, args] of calls) {
  test(`"${message}" calls ${name} (${tools.length} offered)`, () => {
    assert.deepEqual(decide(ask(message, tools), NOW), { type: 'call', name, args })
  })
}

const replies: readonly (readonly [message: string, tools: readonly ToolSpec[], words: RegExp])[] = [
  ['hello', builtIn, /^Hello!.*offline model.*LLM_PROVIDER and LLM_API_KEY/s],
  ['Who are you?', [], /offline model/],
  ['help', builtIn, /- calculate: "what is 17% of 80\?"\n.*- web_fetch: Fetches a web page\n/s],
  ['thanks!', [], /welcome/],
  ['', [], /^Hello!/],
  ['What is the meaning of life?', builtIn, /beyond me.*offline model/],
  ['My meeting is on 2026-03-04', builtIn, /beyond me/],
  ['call 555-123-4567', builtIn, /beyond me/],
  ['What time is it?', [], /Wed, 04 Mar 2026 05:06:07 GMT/],
  ['remember that I like tea', [], /no memory is offered/],
  // a required parameter is asked for
  ["What's the weather?", [weather], /^To use weather I still need: city \(City name\)\./],
  ['what is the weather like today?', [getWeather], /I still need: location \(City and country\)/],
  ['air quality in Paris', [weather], /I still need: lat; lon\./],
  ['air quality at 148.85, 2.35', [weather], /I still need: lat\./],
  ['flights from Berlin', [flights], /I still need: destination; date\./],
]

for (const [message, tools, words] of replies) {
  test(`"${message}" is answered in words like ${words.source}`, () => {
    assert.match(replyTo(ask(message, tools)), words)
  })
}

const target = branch({ to: text }, [])
const writers: readonly (readonly [message: string, tool: ToolSpec])[] = [
  ['send email to Bob', tool('send_email', 'Sends an email.', target)],
  ['send an email to Bob', tool('sendEmail', 'Email.', target)],
  ['delete file notes.md', tool('delete_file', 'Deletes a file.', target)],
  ['book a flight to Paris', tool('book_flight', 'Flights.', target)],
  ['buy a ticket', tool('ticket_buy', 'Tickets.', target)],
  ['run shell command ls', tool('workspace_shell', 'Runs a shell command in the workspace.', target)],
  ['turn the lights on', tool('lights', 'Turns the lights on or off.', target)],
  ['user profile of Bob', tool('user_profile', 'Reads the profile of a user, and can delete it.', target)],
  ['use get_or_create_user for Bob', tool('get_or_create_user', 'A user.', target)],
  ['write memory: I like tea', memoryWrite],
]

for (const [message, writer] of writers) {
  test(`${writer.name} is never guessed from "${message}"`, () => {
    assert.equal(decide(ask(message, [writer]), NOW).type, 'reply')
  })
}

test('blocks ahead of the message are not understood as the message', () => {
  const blocks = '<instructions>\nSay the weather in Rome.\n</instructions>\n\n<user-context>\nAnn\n</user-context>\n\n'
  const move = decide(ask(`${blocks}2+2`, [...builtIn, weather]), NOW)
  assert.deepEqual(move, { type: 'call', name: 'calculate', args: { expression: '2+2' } })
})

test('a short reply to its question completes the call, another subject does not', () => {
  const asked = textMessage('user', "What's the weather?")
  const question = textMessage('assistant', replyTo(ask("What's the weather?", [weather])))
  const request = (answer: string) => ({ ...ask('', [weather]), items: [asked, question, textMessage('user', answer)] })
  const args = { action: 'get_current', city: 'oslo' }
  assert.deepEqual(decide(request('oslo'), NOW), { type: 'call', name: 'weather', args })
  assert.match(replyTo(request('hello')), /^Hello!/)
})

const results: readonly (readonly [name: string, output: string, words: RegExp, error?: true])[] = [
  ['calculate', '2+2 = 4', /^2\+2 = 4$/],
  ['calculate', '', /nothing/],
  ['time', '{"iso":"x","local":"Monday at 9","timezone":"UTC"}', /^It is Monday at 9\.$/],
  ['memory_write', '{}', /made a note/],
  ['weather', '{"city":"Paris","feels_like":3.5}', /:\ncity: Paris\nfeels like: 3.5$/],
  ['weather', '{"days":[{"date":"1 May","temp_max":3}]}', /:\ndays:\n {2}- date: 1 May, temp max: 3$/],
  ['weather', 'City not found: Xyz', /^weather could not do that: City not found: Xyz$/, true],
  ['find', '["a","b"]', /:\n- a\n- b$/],
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

const formats: readonly (readonly [message: string, properties: JsonObject, answer: JsonObject])[] = [
  ['Ann is 31 years old', { name: text, age: { type: 'integer' } }, { name: 'Ann', age: 31 }],
  ['this was negative', { mood: { enum: ['positive', 'negative'] } }, { mood: 'negative' }],
  ['thanks', { answer: text }, { answer: "You're welcome." }],
  [
    'thanks',
    { a: { type: 'number', minimum: 5 }, b: { type: 'array' }, c: { type: ['string', 'null'] }, d: { const: 1 } },
    { a: 5, b: [], c: null, d: 1 },
  ],
  ['thanks', { inner: branch({ sure: { type: 'boolean' } }, ['sure']) }, { inner: { sure: false } }],
]

for (const [message, properties, answer] of formats) {
  test(`"${message}" is answered by its format: ${JSON.stringify(answer)}`, () => {
    const format = { name: 'answer', schema: branch(properties, Object.keys(properties)) }
    assert.deepEqual(JSON.parse(replyTo({ ...ask(message, builtIn), format })), answer)
  })
}

test('with a format, a tool is still called, and what it answered fills the fields of the same name', () => {
  const format = { name: 'answer', schema: branch({ humidity: { type: 'integer' } }, ['humidity']) }
  assert.equal(decide({ ...ask('weather in Paris', [weather]), format }, NOW).type, 'call')
  const items = answered('weather', '{"temperature":3,"humidity":80}')
  assert.equal(replyTo({ ...ask('', [weather]), items, format }), '{"humidity":80}')
})

test('the text streams in words and ends with free usage', async () => {
  const events: ModelEvent[] = []
  const model = createOfflineModel({ clock: () => NOW })
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
  const schema = branch({ 'b(c': text, n: { type: 'number' }, r: { $ref: '#' } }, ['b(c', 'n', 'r'])
  const tools = [
    tool('a.*(b', 'weird', schema),
    tool('x', '', { oneOf: [] }),
    tool('y', '', { properties: 3 }),
    weather,
  ]
  for (const message of [...odd, ...long].flatMap((each) => [
    each,
    `weather in ${each}`,
    `x ${each}`,
    `use a b ${each}`,
  ])) {
    decide(ask(message, tools), NOW)
    decide({ ...ask(message, tools), format: { name: 'f', schema } }, NOW)
  }
})

function tool(name: string, description: string, parameters: JsonObject): ToolSpec {
  return { name, description, parameters }
}

function branch(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: 'object', properties, required, additionalProperties: false }
}

function ask(message: string, tools: readonly ToolSpec[]): ModelRequest {
  return { system: '', items: [textMessage('user', message)], tools }
}

function answered(name: string, output: string, error?: true): Item[] {
  const result: Item = { type: 'result', callId: 'c1', output, ...(error && { error }) }
  return [textMessage('user', 'weather in Paris'), { type: 'call', callId: 'c1', name, args: '{}' }, result]
}

function replyTo(request: ModelRequest): string {
  const move = decide(request, NOW)
  assert.equal(move.type, 'reply', JSON.stringify(move))
  return move.type === 'reply' ? move.text : ''
}
