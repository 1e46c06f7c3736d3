// Tools as the offline model is offered them in its tests.
import assert from 'node:assert/strict'
import { textMessage } from '#core/item.ts'
import type { JsonObject } from '#core/json.ts'
import type { ModelRequest } from '#core/model.ts'
import type { ToolSpec } from '#core/tool.ts'
import type { Documents } from '#memory/documents.ts'
import { createMemoryTools } from '#memory/memory-tools.ts'
import { decide } from '#models/offline.ts'
import { createCalculateTool } from '#tools/calculate.ts'
import { createTimeTool } from '#tools/time.ts'
import { schema } from '../../tools/weather/params.ts'

/** A Wednesday. */
const moment = Date.parse('2026-03-04T05:06:07Z')
export const text = { type: 'string' }

export function tool(name: string, description: string, parameters: JsonObject): ToolSpec {
  return { name, description, parameters }
}

/** The schema of an object; all of its properties are required unless told. */
export function object(properties: JsonObject, required: readonly string[] = Object.keys(properties)): JsonObject {
  return { type: 'object', properties, required, additionalProperties: false }
}

export function ask(message: string, tools: readonly ToolSpec[]): ModelRequest {
  return { system: '', items: [textMessage('user', message)], tools }
}

export const time = createTimeTool({ now: () => moment }).spec

const memory = createMemoryTools({} as Documents)
/** The service's own tools, with their real schemas. */
export const builtIn: readonly ToolSpec[] = [
  time,
  createCalculateTool().spec,
  ...memory.map(({ spec }) => spec),
  tool('web_fetch', 'Fetches a web page.', object({ url: text })),
  tool('workspace_read', 'Reads a file of the workspace.', object({ path: text })),
]
export const weather = tool(
  'weather',
  'Weather for any place: get_current (temperature, humidity and wind in a city now), get_forecast (the next five ' +
    'days in a city), get_air_quality (European air quality index and fine dust at coordinates).',
  schema as unknown as JsonObject,
)
const unit = { ...text, enum: ['celsius', 'fahrenheit'] }
export const getWeather = tool(
  'get_weather',
  'Get the current weather for a location, e.g. Berlin',
  object({ location: { ...text, description: 'City and country' }, unit }, ['location']),
)
export const flights = tool(
  'search_flights',
  'Search for flights between two cities.',
  object({ origin: text, destination: text, date: text, seats: { type: 'integer' }, direct: { type: 'boolean' } }, [
    'origin',
    'destination',
    'date',
  ]),
)

export function replyTo(request: ModelRequest): string {
  const move = decide(request)
  assert.ok(move.type === 'reply', JSON.stringify(move))
  return move.text
}
