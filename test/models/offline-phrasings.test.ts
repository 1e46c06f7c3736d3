// The offline model by tables of phrasings: what each makes it call or say, and what must not trigger it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '#core/json.ts'
import type { ToolSpec } from '#core/tool.ts'
import { decide } from '#models/offline.ts'
import { ask, builtIn, flights, getWeather, moment, object, text, time, tool, weather } from './offline-tools.ts'

type Calls = readonly (readonly [name: string, args: JsonObject])[]

function callsFor(message: string, tools: readonly ToolSpec[]): Calls {
  return decide(ask(message, tools), moment).map((move) =>
    move.type === 'call' ? [move.name, move.args] : [move.text, {}],
  )
}

const times: readonly (readonly [message: string, ...zones: readonly (string | undefined)[]])[] = [
  ['What time is it?', undefined],
  ['what time is it', undefined],
  ["What's the time right now, please?", undefined],
  ['time', undefined],
  ['do you have the time?', undefined],
  ['tell me the current time', undefined],
  ['hey, what time is it?', undefined],
  ['Which day is it?', undefined],
  ["What's the date today?", undefined],
  ['what is today', undefined],
  ['what year is it?', undefined],
  ['what day is it tomorrow', undefined],
  ['What day of the week was yesterday?', undefined],
  ['what day is 2026-12-25?', undefined],
  ['what date is it in 10 days', undefined],
  ['how many days until 2026-12-25', undefined],
  ['what time is it in Tokyo?', 'Asia/Tokyo'],
  ['What is the time in new york right now?', 'America/New_York'],
  ["what's the current time in Europe/Paris", 'Europe/Paris'],
  ["what's the time in São Paulo?", 'America/Sao_Paulo'],
  ['time in San Francisco', 'America/Los_Angeles'],
  ['what time is it in the UK', 'Europe/London'],
  ['tokyo time', 'Asia/Tokyo'],
  ['what is the date in Auckland?', 'Pacific/Auckland'],
  ['what time is it in Springfield', 'Springfield'],
  ['what time is it in New York and Tokyo?', 'America/New_York', 'Asia/Tokyo'],
  ['time in Tokyo, London and Delhi', 'Asia/Tokyo', 'Europe/London', 'Asia/Kolkata'],
]

for (const [message, ...zones] of times) {
  test(`"${message}" asks for the time: ${zones.join(', ')}`, () => {
    const expected = zones.map((timezone) => ['time', timezone === undefined ? {} : { timezone }])
    assert.deepEqual(callsFor(message, [...builtIn, weather]), expected)
  })
}

const sums: readonly (readonly [message: string, ...expressions: readonly string[]])[] = [
  ['what is 12 * (3+4)?', '12 * (3+4)'],
  ['What is 17 percent of 80?', '17% of 80'],
  ['17% of 80', '17% of 80'],
  ['Calculate 3 plus 4 times 5', '3 + 4 * 5'],
  ['what is 21 divided by 7 minus 1', '21 / 7 - 1'],
  ['100-25', '100-25'],
  ['6 x 7', '6 * 7'],
  ['What is 0.1 + 0.2.', '0.1 + 0.2'],
  ["what's 12 times 12", '12 * 12'],
  ['whats 12*12', '12*12'],
  ['2^64', '2^64'],
  ['2**10 = ?', '2**10'],
  ['sqrt(2)', 'sqrt(2)'],
  ['what is sqrt(2) + 1', 'sqrt(2) + 1'],
  ['what is the square root of 2?', 'sqrt(2)'],
  ['square root of 144', 'sqrt(144)'],
  ['max(3, 5)', 'max(3, 5)'],
  ['half of 90', '1/2 * 90'],
  ['What is half of 90?', '1/2 * 90'],
  ["what's two plus two?", '2 + 2'],
  ['what is the sum of 2 and 3', '2 + 3'],
  ['what is 7 squared', '7^2'],
  ['what is 2 to the power of 10', '2 ^ 10'],
  ['what is 10 mod 3', '10 mod 3'],
  ['what is 5!', '5!'],
  ['factorial of 20', '20!'],
  ['what is 2+2!', '2+2'],
  ['What is pi * 2?', 'pi * 2'],
  ['what is 1,234.5 * 2', '1,234.5 * 2'],
  ['-5 + 3', '-5 + 3'],
  ['Can you tell me what 12*12 is?', '12*12'],
  ['How much is 20% of 50 dollars?', '20% of 50'],
  ['please calculate: 15% of 230', '15% of 230'],
  ['what is 2+2, 3*3 and 10/4?', '2+2', '3*3', '10/4'],
  ['2+2? 3+3?', '2+2', '3+3'],
  ['what is 2+2 and how is the weather?', '2+2'],
]

for (const [message, ...expressions] of sums) {
  test(`"${message}" calculates ${expressions.join(', ')}`, () => {
    const expected = expressions.map((expression) => ['calculate', { expression }])
    assert.deepEqual(callsFor(message, [...builtIn, weather]), expected)
  })
}

const now = (city: string, more: JsonObject = {}) => ['weather', { action: 'get_current', city, ...more }] as const
const later = (city: string, more: JsonObject = {}) => ['weather', { action: 'get_forecast', city, ...more }] as const
const air = (lat: number, lon: number) => ['weather', { action: 'get_air_quality', lat, lon }] as const
const forecasts: readonly (readonly [message: string, ...calls: Calls])[] = [
  ["What's the weather in Paris?", now('Paris')],
  ['weather in paris', now('paris')],
  ['How hot is it in New York?', now('New York')],
  ['is it cold in Oslo', now('Oslo')],
  ['do I need an umbrella in London?', now('London')],
  ['is it raining in Bergen', now('Bergen')],
  ['Weather in London in Fahrenheit', now('London', { units: 'imperial' })],
  ['weather for "Saint-Denis"', now('Saint-Denis')],
  ["I am going to Paris. What's the weather there?", now('Paris')],
  ['weather tomorrow in New York', later('New York')],
  ['Will it rain in Oslo tomorrow?', later('Oslo')],
  ['will it rain in Oslo at the weekend', later('Oslo')],
  ['will it rain in oslo at the weekend?', later('oslo')],
  ['weather in zürich on friday', later('zürich')],
  ['Forecast for Rio de Janeiro, Brazil in imperial units', later('Rio de Janeiro', { units: 'imperial' })],
  ['air quality at 48.85, -2.35', air(48.85, -2.35)],
  ['Air quality at lon 2.35 and lat 48.85', air(48.85, 2.35)],
  ["What's the weather in Paris and Rome?", now('Paris'), now('Rome')],
  ['weather in paris and rome', now('paris'), now('rome')],
  ['weather in Paris, France and in Rome, Italy', now('Paris'), now('Rome')],
  ["what's the weather in Oslo and what is 2+2?", now('Oslo'), ['calculate', { expression: '2+2' }]],
  ['What time is it? And will it rain in Oslo tomorrow?', ['time', {}], later('Oslo')],
]

for (const [message, ...calls] of forecasts) {
  test(`"${message}" calls ${calls.map(([name]) => name).join(', ')} by the schema of weather`, () => {
    assert.deepEqual(callsFor(message, [...builtIn, weather]), calls)
  })
}

const note = (path: string, content: string) =>
  ['memory_write', { path: `notes/${path}.md`, content, append: true }] as const
const find = (query: string) => ['memory_search', { query }] as const
const memories: readonly (readonly [message: string, ...calls: Calls])[] = [
  ['Remember that my bike is blue.', note('my-bike-is-blue', 'my bike is blue.')],
  ['please remember: the code is "x y"', note('the-code-is-x-y', 'the code is "x y"')],
  ["don't forget that I like tea and coffee", note('i-like-tea-and-coffee', 'I like tea and coffee')],
  ['Note that I live in Oslo. I moved in May.', note('i-live-in-oslo-i-moved', 'I live in Oslo. I moved in May.')],
  ['remember that 2+2 is 4. What time is it?', note('2-2-is-4', '2+2 is 4.'), ['time', {}]],
  ['What do you remember about my bike?', find('bike')],
  ['do you remember where I live?', find('live')],
  ['what is my favourite colour?', find('favourite colour')],
  ["what's my name?", find('name')],
  ['who am I?', find('name')],
  ['when is my birthday', find('birthday')],
  ['what day is my birthday?', find('birthday')],
  ['do you know my favourite food', find('favourite food')],
  ['search memory for bike', find('bike')],
  ['list memory', ['memory_list', {}]],
  ['what do you remember?', ['memory_list', {}]],
  ['What do you know about me?', ['memory_list', {}]],
  ['Fetch https://example.com/a?b=1.', ['web_fetch', { url: 'https://example.com/a?b=1' }]],
  ['Read the file notes/today.md', ['workspace_read', { path: 'notes/today.md' }]],
  ['read file "a b.txt"', ['workspace_read', { path: 'a b.txt' }]],
]

for (const [message, ...calls] of memories) {
  test(`"${message}" calls ${calls.map(([name]) => name).join(', ')}`, () => {
    assert.deepEqual(callsFor(message, [...builtIn, weather]), calls)
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
const kinds = { type: 'array', items: { ...text, enum: ['fiction', 'history', 'science'] } }
const books = tool('find_books', 'Finds books.', object({ kinds, limit: { type: 'integer', maximum: 50 } }, ['kinds']))
const agenda = tool('list_events', 'Lists events of a day.', object({ day: { ...text, format: 'date' } }))
const nearby = tool('nearby', 'Finds shops nearby.', {
  oneOf: [object({ at: { $ref: '#/$defs/at' } })],
  $defs: { at: object({ lat: { type: 'number' } }) },
})

const trip = { origin: 'Berlin', destination: 'New York' }
const callers: readonly (readonly [message: string, tools: readonly ToolSpec[], args: JsonObject])[] = [
  ["What's the weather in Paris?", [...builtIn, weather, getWeather], { location: 'Paris' }],
  ['What is the weather like in Paris, France today?', [getWeather], { location: 'Paris, France' }],
  ["what's the weather like in berlin right now?", [getWeather], { location: 'berlin' }],
  ['weather in boston in celsius', [getWeather], { location: 'boston', unit: 'celsius' }],
  ['Weather in Kyiv', [strictWeather], { location: 'Kyiv', unit: null, days: null }],
  ['Weather in Kyiv for 3 days', [strictWeather], { location: 'Kyiv', unit: null, days: 3 }],
  ['What is the stock price of AAPL?', [...builtIn, stock], { symbol: 'AAPL' }],
  ['Search the web for rust async runtimes', [webSearch], { query: 'rust async runtimes' }],
  ['search the web for bread and butter', [...builtIn, webSearch], { query: 'bread and butter' }],
  ['search the web for the time and date', [...builtIn, webSearch], { query: 'time and date' }],
  ['safe search the web for cats', [webSearch], { query: 'cats', safe: true }],
  ['Search flights from Berlin to New York on 2026-05-01', [flights], { ...trip, date: '2026-05-01' }],
  ['flights to New York from Berlin tomorrow', [flights], { ...trip, date: '2026-03-05' }],
  ['flights from Berlin to New York on Friday, 2 seats', [flights], { ...trip, date: '2026-03-06', seats: 2 }],
  ['direct flights from Berlin to New York in 3 days', [flights], { ...trip, date: '2026-03-07', direct: true }],
  ['show order 4711', [order], { order_id: '4711' }],
  ['show the order of Ann', [looseOrder], { customer: 'Ann' }],
  ['what time is it?', [time, tool('get_current_time', 'Current time', {})], {}],
  ['find history and science books', [books], { kinds: ['history', 'science'] }],
  ['find fiction books, limit 5', [books], { kinds: ['fiction'], limit: 5 }],
  ['list events tomorrow', [agenda], { day: '2026-03-05' }],
  ['shops nearby lat 48.5', [nearby], { at: { lat: 48.5 } }],
]

for (const [message, tools, args] of callers) {
  test(`"${message}" fills ${tools.at(-1)?.name} (${tools.length} offered)`, () => {
    assert.deepEqual(callsFor(message, tools), [[tools.at(-1)?.name, args]])
  })
}
