// The offline model by tables: what it calls, what it says, what it never does.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Item } from '#core/item.ts'
import { textMessage } from '#core/item.ts'
import type { JsonObject } from '#core/json.ts'
import type { ModelEvent, ModelRequest } from '#core/model.ts'
import type { ToolSpec } from '#core/tool.ts'
import { createOfflineModel, decideMove } from '#models/offline.ts'
import { fence } from '#safety/injection.ts'
import { createCalculateTool } from '#tools/calculate.ts'
import { createTimeTool } from '#tools/time.ts'

const NOW = Date.parse('2026-03-04T05:06:07Z')

const place = {
  city: { type: 'string', description: 'City name' },
  country_code: { type: 'string', description: 'ISO 3166-1 alpha-2 code' },
  units: { type: 'string', enum: ['metric', 'imperial'], default: 'metric' },
}

const weather = tool('weather', 'Current weather, 5-day forecast and air quality.', {
  oneOf: [
    {
      type: 'object',
      properties: { action: { const: 'get_current' }, ...place },
      required: ['action', 'city'],
      additionalProperties: false,
    },
    {
      type: 'object',
      properties: { action: { const: 'get_forecast' }, ...place },
      required: ['action', 'city'],
      additionalProperties: false,
    },
    {
      type: 'object',
      properties: {
        action: { const: 'get_air_quality' },
        lat: { type: 'number', minimum: -90, maximum: 90 },
        lon: { type: 'number', minimum: -180, maximum: 180 },
      },
      required: ['action', 'lat', 'lon'],
      additionalProperties: false,
    },
  ],
})

const getWeather = tool('get_weather', 'Get the current weather for a location, e.g. Berlin', {
  type: 'object',
  properties: {
    location: { type: 'string', description: 'City and country' },
    unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
  },
  required: ['location'],
})

const memoryWrite = tool('memory_write', 'Writes a note into memory.', {
  type: 'object',
  properties: { path: { type: 'string' }, content: { type: 'string' } },
  required: ['content'],
})
const withPath = tool('memory_write', 'Writes a note.', {
  type: 'object',
  properties: { path: { type: 'string' }, content: { type: 'string' } },
  required: ['path', 'content'],
})
const memorySearch = tool('memory_search', 'Searches the notes kept in memory.', {
  type: 'object',
  properties: { query: { type: 'string' }, limit: { type: 'integer' } },
  required: ['query'],
})
const stock = tool('get_stock_price', 'Returns the latest price of a stock.', {
  type: 'object',
  properties: { symbol: { type: 'string', description: 'Ticker symbol' } },
  required: ['symbol'],
})
const currency = tool('convert_currency', 'Converts an amount between currencies.', {
  type: 'object',
  properties: { amount: { type: 'number' }, from: { type: 'string' }, to: { type: 'string' } },
  required: ['amount', 'from', 'to'],
})
const webSearch = tool('web_search', 'Searches the web.', {
  type: 'object',
  properties: { query: { type: 'string' }, limit: { type: 'integer', minimum: 1, maximum: 20 } },
  required: ['query'],
})
const webFetch = tool('web_fetch', 'Fetches a web page.', {
  type: 'object',
  properties: { url: { type: 'string', format: 'uri' } },
  required: ['url'],
})
const readFile = tool('workspace_read', 'Reads a file of the workspace.', {
  type: 'object',
  properties: { path: { type: 'string' } },
  required: ['path'],
})
const flights = tool('search_flights', 'Search for flights between two cities.', {
  type: 'object',
  properties: {
    origin: { type: 'string' },
    destination: { type: 'string' },
    date: { type: 'string', format: 'date' },
    direct: { type: 'boolean' },
    passengers: { type: 'integer', minimum: 1, maximum: 9 },
  },
  required: ['origin', 'destination', 'date'],
})
const compare = tool('compare_cities', 'Compares cities.', {
  type: 'object',
  properties: { cities: { type: 'array', items: { type: 'string' } } },
  required: ['cities'],
})
const average = tool('average', 'The average of numbers.', {
  type: 'object',
  properties: { numbers: { type: 'array', items: { type: 'number' } } },
  required: ['numbers'],
})
const profile = tool('lookup_profile', 'Finds the profile of a person.', {
  type: 'object',
  properties: { email: { type: 'string', format: 'email' } },
  required: ['email'],
})
const echo = tool('echo', 'Echoes a text.', {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
})
const order = tool('get_order', 'Shows an order.', {
  type: 'object',
  properties: { order_id: { type: 'string' } },
  required: ['order_id'],
})
const addNumbers = tool('add', 'Adds two numbers.', {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
})
const strictWeather = tool('get_weather', 'Weather of a place.', {
  type: 'object',
  properties: {
    location: { $ref: '#/$defs/place' },
    unit: { type: ['string', 'null'], enum: ['celsius', 'fahrenheit', null] },
    days: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
  },
  required: ['location', 'unit', 'days'],
  $defs: { place: { type: 'string' } },
})
const flatWeather = tool('weather', 'Weather.', {
  type: 'object',
  properties: { action: { type: 'string', enum: ['get_air_quality', 'get_forecast', 'get_current'] }, ...place },
  required: ['action'],
})

const time = createTimeTool({ now: () => NOW }).spec
const calculate = createCalculateTool().spec
const builtIn = [time, calculate, memoryWrite, memorySearch, webFetch, readFile]

const calls: readonly (readonly [message: string, tools: readonly ToolSpec[], name: string, args: JsonObject])[] = [
  // time
  ['What time is it?', builtIn, 'time', {}],
  ['what time is it in Tokyo?', builtIn, 'time', { timezone: 'Asia/Tokyo' }],
  ['What is the time in new york right now?', builtIn, 'time', { timezone: 'America/New_York' }],
  ["what's the current time in Europe/Paris", builtIn, 'time', { timezone: 'Europe/Paris' }],
  ['what time is it in Springfield', builtIn, 'time', { timezone: 'Springfield' }],
  ['Which day is it?', builtIn, 'time', {}],
  ["What's today's date?", builtIn, 'time', {}],
  // arithmetic
  ['what is 12 * (3+4)?', builtIn, 'calculate', { expression: '12 * (3+4)' }],
  ['17% of 80', builtIn, 'calculate', { expression: '17% of 80' }],
  ['What is 17 percent of 80?', builtIn, 'calculate', { expression: '17% of 80' }],
  ['Calculate 3 plus 4 times 5', builtIn, 'calculate', { expression: '3 + 4 * 5' }],
  ['Can you tell me what twenty-one divided by seven is?', builtIn, 'calculate', { expression: '21 / 7' }],
  ['2+2', builtIn, 'calculate', { expression: '2+2' }],
  ['What is 2+2? ', builtIn, 'calculate', { expression: '2+2' }],
  ['what is the square root of 2', builtIn, 'calculate', { expression: 'sqrt(2)' }],
  ['5!', builtIn, 'calculate', { expression: '5!' }],
  ['how much is 1,234.5 - 34.5 =', builtIn, 'calculate', { expression: '1,234.5 - 34.5' }],
  ['6 x 7', builtIn, 'calculate', { expression: '6 * 7' }],
  ['max(3, 9)', builtIn, 'calculate', { expression: 'max(3, 9)' }],
  ['What is 0.1 + 0.2.', builtIn, 'calculate', { expression: '0.1 + 0.2' }],
  // memory
  ['Remember that my bike is blue.', builtIn, 'memory_write', { content: 'my bike is blue.' }],
  ['please remember: Anna likes tea', builtIn, 'memory_write', { content: 'Anna likes tea' }],
  ['What do you remember about my bike?', builtIn, 'memory_search', { query: 'bike' }],
  ['what is my favourite colour?', builtIn, 'memory_search', { query: 'favourite colour' }],
  ['search memory for green tea please', builtIn, 'memory_search', { query: 'green tea' }],
  ['remember to buy milk', [withPath], 'memory_write', { content: 'to buy milk', path: 'notes/to-buy-milk.md' }],
  // weather by its schema
  ["What's the weather in Paris?", [weather], 'weather', { action: 'get_current', city: 'Paris' }],
  ['weather in paris', [weather], 'weather', { action: 'get_current', city: 'paris' }],
  ['Paris weather please', [weather], 'weather', { action: 'get_current', city: 'Paris' }],
  ['How hot is it in New York?', [weather], 'weather', { action: 'get_current', city: 'New York' }],
  [
    'Forecast for Rio de Janeiro, Brazil in imperial units',
    [weather],
    'weather',
    { action: 'get_forecast', city: 'Rio de Janeiro', country_code: 'BR', units: 'imperial' },
  ],
  [
    'What will the weather be in Paris, FR tomorrow?',
    [weather],
    'weather',
    { action: 'get_forecast', city: 'Paris', country_code: 'FR' },
  ],
  [
    'Current weather in London in Fahrenheit',
    [weather],
    'weather',
    { action: 'get_current', city: 'London', units: 'imperial' },
  ],
  ['Air quality at 48.85, 2.35', [weather], 'weather', { action: 'get_air_quality', lat: 48.85, lon: 2.35 }],
  [
    'air quality at longitude -122.4 and latitude 37.7',
    [weather],
    'weather',
    { action: 'get_air_quality', lat: 37.7, lon: -122.4 },
  ],
  ['weather forecast for Oslo', [flatWeather], 'weather', { action: 'get_forecast', city: 'Oslo' }],
  ['weather in Oslo', [flatWeather], 'weather', { action: 'get_current', city: 'Oslo' }],
  ['WEATHER IN PARIS', [weather], 'weather', { action: 'get_current', city: 'PARIS' }],
  ['weather in The Hague', [weather], 'weather', { action: 'get_current', city: 'The Hague' }],
  [
    'Will it rain in San Francisco this weekend?',
    [weather],
    'weather',
    { action: 'get_forecast', city: 'San Francisco' },
  ],
  ['Do I need an umbrella in Oslo?', [weather], 'weather', { action: 'get_current', city: 'Oslo' }],
  [
    "Hi! I'm going to Madrid. What's the weather there in Madrid?",
    [weather],
    'weather',
    { action: 'get_current', city: 'Madrid' },
  ],
  // tools of a caller
  ["What's the weather in Paris?", [...builtIn, getWeather], 'get_weather', { location: 'Paris' }],
  ['What is the weather like in Paris, France today?', [getWeather], 'get_weather', { location: 'Paris, France' }],
  ["what's the weather like in berlin right now?", [getWeather], 'get_weather', { location: 'berlin' }],
  ['Weather in Boston in celsius', [getWeather], 'get_weather', { location: 'Boston', unit: 'celsius' }],
  ['Weather for "Saint-Denis"', [getWeather], 'get_weather', { location: 'Saint-Denis' }],
  [
    'Use get_weather with location: Lima, unit=fahrenheit',
    [getWeather],
    'get_weather',
    { location: 'Lima', unit: 'fahrenheit' },
  ],
  ['weather in Paris', [weather, getWeather], 'get_weather', { location: 'Paris' }],
  ['Weather in Kyiv', [strictWeather], 'get_weather', { location: 'Kyiv', unit: null, days: null }],
  ['What is the stock price of AAPL?', builtIn.concat(stock), 'get_stock_price', { symbol: 'AAPL' }],
  ['Convert 100 USD to EUR', [currency], 'convert_currency', { amount: 100, from: 'USD', to: 'EUR' }],
  ['convert 12.5 currency from usd to eur', [currency], 'convert_currency', { amount: 12.5, from: 'usd', to: 'eur' }],
  ['Search the web for rust async runtimes', [webSearch], 'web_search', { query: 'rust async runtimes' }],
  ['search the web for cats, top 5', [webSearch], 'web_search', { query: 'cats, top 5', limit: 5 }],
  ['Fetch https://example.com/a?b=1.', builtIn, 'web_fetch', { url: 'https://example.com/a?b=1' }],
  ['Read the file notes/today.md', builtIn, 'workspace_read', { path: 'notes/today.md' }],
  [
    'Search direct flights from Berlin to New York on 2026-05-01 for 2 passengers',
    [flights],
    'search_flights',
    { origin: 'Berlin', destination: 'New York', date: '2026-05-01', direct: true, passengers: 2 },
  ],
  [
    'flights to Rome from Oslo tomorrow',
    [flights],
    'search_flights',
    { origin: 'Oslo', destination: 'Rome', date: '2026-03-05' },
  ],
  ['Compare the cities Paris, London and Rome', [compare], 'compare_cities', { cities: ['Paris', 'London', 'Rome'] }],
  ['compare cities oslo, bergen and hamar', [compare], 'compare_cities', { cities: ['oslo', 'bergen', 'hamar'] }],
  ['average of 3, 4.5 and -2', [average], 'average', { numbers: [3, 4.5, -2] }],
  ['Lookup the profile of ann@example.org', [profile], 'lookup_profile', { email: 'ann@example.org' }],
  ['Use the echo tool to say good morning', [echo], 'echo', { text: 'good morning' }],
  ['echo hello world', [echo], 'echo', { text: 'hello world' }],
  ['read file "a b.txt"', builtIn, 'workspace_read', { path: 'a b.txt' }],
  ['show order 4711', [order], 'get_order', { order_id: '4711' }],
  ['Show me order ORD-123.', [order], 'get_order', { order_id: 'ORD-123' }],
  ['add 3 and 4', [addNumbers], 'add', { a: 3, b: 4 }],
  [
    'what time is it?',
    [time, tool('get_current_time', 'Current time', { type: 'object', properties: {} })],
    'get_current_time',
    {},
  ],
]

for (const [message, tools, name, args] of calls) {
  test(`"${message}" calls ${name} (${tools.length} offered)`, () => {
    const move = decideMove(ask(message, tools), NOW)
    assert.equal(move.type, 'call', move.type === 'say' ? move.text : '')
    assert.deepEqual(move.type === 'call' && [move.name, JSON.parse(move.args)], [name, args])
  })
}

const says: readonly (readonly [message: string, tools: readonly ToolSpec[], words: RegExp])[] = [
  ['hello', builtIn, /^Hello!.*offline model.*LLM_PROVIDER and LLM_API_KEY/s],
  ['Good morning, Atrium!', [], /^Hello!/],
  ['help', builtIn, /- calculate: Calculates/],
  ['What can you do?', [], /No tools are offered/],
  ['thanks!', [], /welcome/],
  ['', [], /no text/],
  ['What is the meaning of life?', builtIn, /offline model.*cannot answer/],
  ['Tell me a story about a time machine in the weather station', builtIn, /offline model.*cannot answer/],
  ['My meeting is on 2026-03-04', builtIn, /cannot answer/],
  ['call 555-123-4567', builtIn, /cannot answer/],
  ['What time is it?', [], /2026-03-04T05:06:07/],
  ['remember that I like tea', [], /no memory tool/],
  // a required parameter is asked for
  ["What's the weather?", [weather], /^To use `weather` I still need city/],
  ['what is the weather like today?', [getWeather], /I still need location \(City and country\)/],
  ['air quality in Paris', [weather], /lat \(a number from -90 to 90\) and lon \(a number from -180 to 180\)/],
  ['air quality at 148.85, 2.35', [weather], /I still need lat/],
  ['stock price', [stock], /still need symbol \(Ticker symbol\)/],
  ['flights from Berlin', [flights], /still need destination and date/],
  // torn between two
  [
    'show the sales report and the stock report',
    [tool('sales_report', 'Sales.', {}), tool('stock_report', 'Stock.', {})],
    /^Several tools could do that: `sales_report` or `stock_report`/,
  ],
  [
    'show the report',
    [tool('sales_report', 'Sales report.', {}), tool('stock_report', 'Stock report.', {})],
    /cannot answer/,
  ],
]

for (const [message, tools, words] of says) {
  test(`"${message}" is answered in words like ${words.source}`, () => {
    const move = decideMove(ask(message, tools), NOW)
    assert.equal(move.type, 'say', JSON.stringify(move))
    assert.match(move.type === 'say' ? move.text : '', words)
  })
}

const target = { type: 'object', properties: { to: { type: 'string' } } }
const writers: readonly (readonly [message: string, tool: ToolSpec])[] = [
  ['send email to Bob', tool('send_email', 'Sends an email.', target)],
  ['send an email to Bob', tool('sendEmail', 'Email.', target)],
  ['delete file notes.md', tool('delete_file', 'Deletes a file.', target)],
  ['book a flight to Paris', tool('book_flight', 'Flights.', target)],
  ['buy a ticket', tool('ticket_buy', 'Tickets.', target)],
  ['run shell command ls', tool('workspace_shell', 'Runs a shell command in the workspace.', target)],
  ['turn the lights on', tool('lights', 'Turns the lights on or off.', target)],
  [
    'user profile of Bob',
    tool('user_profile', 'Reads the profile of a user or updates it, and can delete it.', target),
  ],
  ['use get_or_create_user for Bob', tool('get_or_create_user', 'A user.', target)],
  ['order a pizza', tool('order_pizza', 'Pizza.', target)],
  ['write memory: I like tea', memoryWrite],
]

for (const [message, writer] of writers) {
  test(`${writer.name} is never guessed from "${message}"`, () => {
    assert.equal(decideMove(ask(message, [writer]), NOW).type, 'say')
  })
}

test('blocks ahead of the message are not understood as the message', () => {
  const text =
    '<instructions>\nAlways say the weather in Rome.\n</instructions>\n\n<user-context>\nuser: Ann\n</user-context>\n\n2+2'
  assert.deepEqual(decideMove(ask(text, [...builtIn, weather]), NOW), {
    type: 'call',
    name: 'calculate',
    args: '{"expression":"2+2"}',
  })
})

test('a short reply to its question completes the call', () => {
  const question = decideMove(ask("What's the weather?", [weather]), NOW)
  assert.equal(question.type, 'say')
  const items = [
    textMessage('user', "What's the weather?"),
    textMessage('assistant', question.type === 'say' ? question.text : ''),
    textMessage('user', 'oslo'),
  ]
  assert.deepEqual(decideMove({ system: '', items, tools: [weather] }, NOW), {
    type: 'call',
    name: 'weather',
    args: '{"action":"get_current","city":"oslo"}',
  })
})

const outcomes: readonly (readonly [name: string, output: string, error: boolean, words: RegExp])[] = [
  ['calculate', '2+2 = 4', false, /^2\+2 = 4$/],
  ['time', '{"iso":"x","local":"Monday at 9","timezone":"UTC"}', false, /^It is Monday at 9 \(UTC\)\.$/],
  [
    'weather',
    '{"city":"Paris","feels_like":3.5,"humidity":80}',
    false,
    /^Here is the weather for Paris:\ncity: Paris\nfeels like: 3.5/,
  ],
  [
    'weather',
    '{"city":"X","entries":[{"date":"2026-01-01","temp_max":3}]}',
    false,
    /entries:\n {2}- date: 2026-01-01, temp max: 3/,
  ],
  ['weather', 'City not found: Xyz', true, /reported an error: City not found: Xyz$/],
  ['get_stock_price', '{"error":"no such symbol"}', false, /reported an error: no such symbol$/],
  ['find', '["a","b"]', false, /- a\n- b$/],
  ['find', 'plain words', false, /found:\nplain words$/],
  ['find', '', false, /answered with nothing/],
  ['find', fence('{"a":1}', 'find'), false, /found:\na: 1$/],
  ['find', '{"a":{"b":[1,2],"c":null},"d":[]}', false, /a:\n {2}- b: 1, 2\n {2}- c: none\nd: none$/],
  ['find', 'x'.repeat(100_000), false, /… \(shortened\)$/],
  ['find', JSON.stringify(Array.from({ length: 500 }, (_, index) => index)), false, /and 440 more lines$/],
]

for (const [name, output, error, words] of outcomes) {
  test(`${error ? 'an error' : 'a result'} of ${name} (${output.slice(0, 40)}) is told in readable lines`, () => {
    const result: Item = { type: 'result', callId: 'c1', output, ...(error ? { error } : {}) }
    const items: Item[] = [
      textMessage('user', "What's the weather in Paris?"),
      { type: 'call', callId: 'c1', name, args: {} },
      result,
    ]
    const move = decideMove({ system: '', items, tools: [weather] }, NOW)
    assert.equal(move.type, 'say')
    assert.match(move.type === 'say' ? move.text : '', words)
  })
}

const formats: readonly (readonly [message: string, schema: JsonObject, answer: unknown])[] = [
  [
    'Ann is 31 years old',
    { type: 'object', properties: { name: { type: 'string' }, age: { type: 'integer' } }, required: ['name', 'age'] },
    { name: 'Ann', age: 31 },
  ],
  [
    'It rains',
    { type: 'object', properties: { summary: { type: 'string' } }, required: ['summary'] },
    { summary: 'It rains' },
  ],
  [
    'this was terrible, negative',
    {
      type: 'object',
      properties: { mood: { enum: ['positive', 'negative'] }, sure: { type: 'boolean' } },
      required: ['mood', 'sure'],
    },
    { mood: 'negative', sure: false },
  ],
  [
    'hm',
    {
      type: 'object',
      properties: {
        a: { type: 'number', minimum: 5 },
        b: { type: 'array', items: { type: 'string' }, minItems: 2 },
        c: { type: ['string', 'null'] },
        d: { $ref: '#/$defs/d' },
        e: { enum: ['x', 'y'] },
        f: { type: 'string' },
      },
      required: ['a', 'b', 'c', 'd', 'e'],
      $defs: { d: { type: 'object', properties: { day: { type: 'string', format: 'date' } }, required: ['day'] } },
    },
    { a: 5, b: ['hm', 'hm'], c: 'hm', d: { day: '2026-03-04' }, e: 'x' },
  ],
  ['hm', { anyOf: [{ type: 'object', properties: { k: { const: 1 } }, required: ['k'] }] }, { k: 1 }],
]

for (const [message, schema, answer] of formats) {
  test(`"${message}" answers by the schema ${JSON.stringify(answer)}`, () => {
    const move = decideMove({ ...ask(message, builtIn), format: { name: 'answer', schema } }, NOW)
    assert.deepEqual(move.type === 'say' && JSON.parse(move.text), answer)
  })
}

test('with a format, what a tool answered fills the fields of the same name', () => {
  const items: Item[] = [
    textMessage('user', 'weather in Paris'),
    { type: 'call', callId: 'c1', name: 'weather', args: {} },
    { type: 'result', callId: 'c1', output: '{"city":"Paris","humidity":80}' },
  ]
  const schema = { type: 'object', properties: { humidity: { type: 'integer' } }, required: ['humidity'] }
  const move = decideMove({ system: '', items, tools: [], format: { name: 'answer', schema } }, NOW)
  assert.deepEqual(move, { type: 'say', text: '{"humidity":80}' })
})

test('the text streams in words, in a few batches, and ends with free usage', async () => {
  const batches: (readonly ModelEvent[])[] = []
  const model = createOfflineModel({ clock: () => NOW })
  for await (const batch of model.stream(ask('help', builtIn), new AbortController().signal)) batches.push(batch)
  const events = batches.flat()
  const text = events.map((event) => (event.type === 'text' ? event.text : '')).join('')
  assert.deepEqual(decideMove(ask('help', builtIn), NOW), { type: 'say', text })
  assert.ok(batches.length >= 3 && batches.length <= 5, `${batches.length} batches`)
  const done = events.at(-1)
  assert.equal(done?.type, 'done')
  assert.deepEqual(done?.type === 'done' && done.usage, {
    inputTokens: 1,
    cachedTokens: 0,
    outputTokens: Math.ceil(text.length / 4),
    reasoningTokens: 0,
    costUsd: 0,
  })
})

test('an aborted request stops before anything is said', async () => {
  const stopped = AbortSignal.abort(new Error('stop'))
  const read = async () => {
    for await (const _ of createOfflineModel().stream(ask('help', []), stopped)) assert.fail('said something')
  }
  await assert.rejects(read, /stop/)
})

test('odd messages and schemas never make it throw', () => {
  const odd = [
    '"',
    '<instructions>',
    '</instructions>',
    '((((',
    '\u0000',
    '🙂'.repeat(500),
    'A '.repeat(2_000),
    '-'.repeat(4_000),
    '1,'.repeat(2_000),
    'a/'.repeat(2_000),
    '$& $1 \\b',
    "'".repeat(999),
    'x=y '.repeat(900),
    '9'.repeat(4_000),
  ]
  const self = { type: 'object', properties: { a: { $ref: '#' }, 'b(c': { type: 'string' } }, required: ['a', 'b(c'] }
  const tools = [
    tool('a.*(b', 'weird', self),
    tool('x', '', { oneOf: [] }),
    tool('y', '', { properties: 3, required: 'z' }),
    weather,
    flights,
  ]
  for (const text of odd) {
    for (const prefix of ['', 'weather in ', 'x ', 'use y ', 'flights ']) {
      decideMove(ask(prefix + text, tools), NOW)
      decideMove({ ...ask(text, tools), format: { name: 'f', schema: self } }, NOW)
    }
  }
})

function tool(name: string, description: string, parameters: JsonObject): ToolSpec {
  return { name, description, parameters }
}

function ask(message: string, tools: readonly ToolSpec[]): ModelRequest {
  return { system: '', items: [textMessage('user', message)], tools }
}
