// The offline model by tables of phrasings: what each makes it call or say, and what must not trigger it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '#core/json.ts'
import type { ToolSpec } from '#core/tool.ts'
import { decide } from '#models/offline.ts'
import { ask, builtIn, flights, getWeather, object, text, time, tool, weather } from './offline-tools.ts'

type Called = readonly [name: string, args: JsonObject]

function callFor(message: string, tools: readonly ToolSpec[]): Called {
  const move = decide(ask(message, tools))
  return move.type === 'call' ? [move.name, move.args] : [move.text, {}]
}

const times: readonly (readonly [message: string, timezone?: string])[] = [
  ['What time is it?'],
  ['what time is it'],
  ["What's the time right now, please?"],
  ['time'],
  ['do you have the time?'],
  ['tell me the current time'],
  ['hey, what time is it?'],
  ['Which day is it?'],
  ["What's the date today?"],
  ['what year is it?'],
  ['what time is it in Tokyo?', 'Asia/Tokyo'],
  ['What is the time in new york right now?', 'America/New_York'],
  ["what's the current time in Europe/Paris", 'Europe/Paris'],
  ["what's the time in São Paulo?", 'America/Sao_Paulo'],
  ['what is the date in Auckland?', 'Pacific/Auckland'],
  ['what time is it in Springfield', 'Springfield'],
]

for (const [message, timezone] of times) {
  test(`"${message}" asks for the time: ${timezone ?? 'here'}`, () => {
    assert.deepEqual(callFor(message, [...builtIn, weather]), ['time', timezone === undefined ? {} : { timezone }])
  })
}

const sums: readonly (readonly [message: string, expression: string])[] = [
  ['what is 12 * (3+4)?', '12 * (3+4)'],
  ['What is 17 percent of 80?', '17% of 80'],
  ['17% of 80', '17% of 80'],
  ['Calculate 3 plus 4 times 5', '3 + 4 * 5'],
  ['what is 21 divided by 7 minus 1', '21 / 7 - 1'],
  ['100-25', '100-25'],
  ['6 x 7', '6 * 7'],
  ['What is 0.1 + 0.2.', '0.1 + 0.2'],
  ["what's 12 times 12", '12 * 12'],
  ['2^64', '2^64'],
  ['2**10 = ?', '2**10'],
  ['sqrt(2)', 'sqrt(2)'],
  ['what is sqrt(2) + 1', 'sqrt(2) + 1'],
  ['max(3, 5)', 'max(3, 5)'],
  ['what is 10 mod 3', '10 mod 3'],
  ['what is 5!', '5!'],
  ['What is pi * 2?', 'pi * 2'],
  ['what is 1,234.5 * 2', '1,234.5 * 2'],
  ['-5 + 3', '-5 + 3'],
  ['Can you tell me what 12*12 is?', '12*12'],
  ['please calculate: 15% of 230', '15% of 230'],
]

for (const [message, expression] of sums) {
  test(`"${message}" calculates ${expression}`, () => {
    assert.deepEqual(callFor(message, [...builtIn, weather]), ['calculate', { expression }])
  })
}

const now = (city: string, more: JsonObject = {}) => ['weather', { action: 'get_current', city, ...more }] as const
const later = (city: string, more: JsonObject = {}) => ['weather', { action: 'get_forecast', city, ...more }] as const
const air = (lat: number, lon: number) => ['weather', { action: 'get_air_quality', lat, lon }] as const
const forecasts: readonly (readonly [message: string, called: Called])[] = [
  ["What's the weather in Paris?", now('Paris')],
  ['weather in paris', now('paris')],
  ['How hot is it in New York?', now('New York')],
  ['is it cold in Oslo', now('Oslo')],
  ['do I need an umbrella in London?', now('London')],
  ['is it raining in Bergen', now('Bergen')],
  ['weather for "Saint-Denis"', now('Saint-Denis')],
  ["I am going to Paris. What's the weather there?", now('Paris')],
  ['weather tomorrow in New York', later('New York')],
  ['Will it rain in Oslo tomorrow?', later('Oslo')],
  ['will it rain in Oslo at the weekend', later('Oslo')],
  ['will it rain in oslo at the weekend?', later('oslo')],
  ['weather in zürich on friday', later('zürich')],
  ['Forecast for Rio de Janeiro, Brazil in imperial units', later('Rio de Janeiro', { units: 'imperial' })],
  ['air quality at 48.85, -2.35', air(48.85, -2.35)],
]

for (const [message, called] of forecasts) {
  test(`"${message}" calls weather by its schema`, () => {
    assert.deepEqual(callFor(message, [...builtIn, weather]), called)
  })
}

const note = (path: string, content: string) =>
  ['memory_write', { path: `notes/${path}.md`, content, append: true }] as const
const find = (query: string) => ['memory_search', { query }] as const
const memories: readonly (readonly [message: string, called: Called])[] = [
  ['Remember that my bike is blue.', note('my-bike-is-blue', 'my bike is blue.')],
  ['please remember: the code is "x y"', note('the-code-is-x-y', 'the code is "x y"')],
  ["don't forget that I like tea and coffee", note('i-like-tea-and-coffee', 'I like tea and coffee')],
  [
    'Note that I live in Oslo. I moved in May.',
    note('i-live-in-oslo-i-moved-in-may', 'I live in Oslo. I moved in May.'),
  ],
  ['What do you remember about my bike?', find('bike')],
  ['do you remember where I live?', find('live')],
  ['what is my favourite colour?', find('favourite colour')],
  ['when is my birthday', find('birthday')],
  ['what day is my birthday?', find('birthday')],
  ['search memory for bike', find('bike')],
  ['list memory', ['memory_list', {}]],
  ['what do you remember?', ['memory_list', {}]],
  ['What do you know about me?', ['memory_list', {}]],
  ['Fetch https://example.com/a?b=1.', ['web_fetch', { url: 'https://example.com/a?b=1' }]],
  ['Read the file notes/today.md', ['workspace_read', { path: 'notes/today.md' }]],
  ['read file "a b.txt"', ['workspace_read', { path: 'a b.txt' }]],
]

for (const [message, called] of memories) {
  test(`"${message}" calls ${called[0]}`, () => {
    assert.deepEqual(callFor(message, [...builtIn, weather]), called)
  })
}

const strictWeather = tool(
  'get_weather',
  'Weather of a place.',
  object({
    location: text,
    unit: { type: ['string', 'null'] },
    days: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
  }),
)
const stock = tool('get_stock_price', 'Returns the price of a stock.', object({ symbol: text }))
const order = tool('get_order', 'Shows an order.', object({ order_id: text }))
const looseOrder = tool('get_order', 'Shows an order.', object({ customer: text }, []))
const webSearch = tool('web_search', 'Searches the web.', object({ query: text, safe: { type: 'boolean' } }, ['query']))
const agenda = tool('list_events', 'Lists events of a day.', object({ day: { ...text, format: 'date' } }))
const genre = { ...text, enum: ['fiction', 'history', 'science'] }
const books = tool('find_books', 'Finds books.', object({ genre, limit: { type: 'integer', maximum: 50 } }, ['genre']))
const page = tool('read_page', 'Reads a page.', object({ address: { ...text, format: 'uri' } }))

const trip = { origin: 'Berlin', destination: 'New York', date: '2026-05-01' }
const callers: readonly (readonly [message: string, tools: readonly ToolSpec[], args: JsonObject])[] = [
  ["What's the weather in Paris?", [...builtIn, weather, getWeather], { location: 'Paris' }],
  ["what's the weather like in berlin right now?", [getWeather], { location: 'berlin' }],
  ['weather in boston in celsius', [getWeather], { location: 'boston', unit: 'celsius' }],
  ['Weather in Kyiv', [strictWeather], { location: 'Kyiv', unit: null, days: null }],
  ['What is the stock price of AAPL?', [...builtIn, stock], { symbol: 'AAPL' }],
  ['Search the web for rust async runtimes', [webSearch], { query: 'rust async runtimes' }],
  ['search the web for bread and butter', [...builtIn, webSearch], { query: 'bread and butter' }],
  ['search the web for the time and date', [...builtIn, webSearch], { query: 'time and date' }],
  ['safe search the web for cats', [webSearch], { query: 'cats', safe: true }],
  ['Search flights from Berlin to New York on 2026-05-01', [flights], trip],
  ['direct flights from Berlin to New York on 2026-05-01', [flights], { ...trip, direct: true }],
  ['show order 4711', [order], { order_id: '4711' }],
  ['find history books', [books], { genre: 'history' }],
  ['list events on 2026-05-01', [agenda], { day: '2026-05-01' }],
  ['Read the page https://example.com/a, please', [page], { address: 'https://example.com/a' }],
  ['show the order of Ann', [looseOrder], { customer: 'Ann' }],
  ['what time is it?', [time, tool('get_current_time', 'Current time', {})], {}],
]

for (const [message, tools, args] of callers) {
  test(`"${message}" fills ${tools.at(-1)?.name} (${tools.length} offered)`, () => {
    assert.deepEqual(callFor(message, tools), [tools.at(-1)?.name, args])
  })
}

const reminders: readonly (readonly [message: string, schedule: string, title: string])[] = [
  ['Remind me in an hour to call Ada.', 'in an hour', 'Call Ada'],
  ['please remind me every day at 9am to stretch', 'every day at 9am', 'Stretch'],
  ['Remind me to call Ada in an hour', 'in an hour', 'Call Ada'],
  ['remind me to call Ada at work in 30m!', 'in 30m', 'Call Ada at work'],
  ['Remind me to lock the door, tomorrow at 9pm.', 'tomorrow at 9pm', 'Lock the door'],
  ['remind me to water the plants every friday at 18:00', 'every friday at 18:00', 'Water the plants'],
]

for (const [message, schedule, title] of reminders) {
  test(`"${message}" becomes a mission`, () => {
    const mission = { title, schedule, prompt: `Reply with this reminder: ${title}.` }
    assert.deepEqual(callFor(message, [tool('mission_create', 'Creates a mission', object({}))]), [
      'mission_create',
      mission,
    ])
  })
}

test('a reminder without a time becomes no mission', () => {
  const message = 'Remind me to tell Bob to go'
  assert.equal(decide(ask(message, [tool('mission_create', 'Creates a mission', object({}))])).type, 'reply')
})

test('the run of a reminder says it', () => {
  const prompt = 'Reply with this reminder: Call Ada.\n\nThis is a run of your mission, planned for now.'
  assert.deepEqual(decide(ask(prompt, builtIn)), { type: 'reply', text: 'Reminder: Call Ada.' })
})
