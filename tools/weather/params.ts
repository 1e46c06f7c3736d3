// The parameters of the weather tool: their schema for the model, and reading them.

export type Params =
  | {
      readonly action: 'get_current' | 'get_forecast'
      readonly city: string
      readonly country: string
      readonly units: Units
    }
  | { readonly action: 'get_air_quality'; readonly lat: number; readonly lon: number }

export type Units = 'metric' | 'imperial'

const cityParams = {
  city: { type: 'string', description: 'City name, such as "Lisbon".' },
  country_code: { type: 'string', description: 'ISO 3166-1 alpha-2 country code, such as "PT", to narrow the search.' },
  units: {
    type: 'string',
    enum: ['metric', 'imperial'],
    default: 'metric',
    description: 'metric: Celsius and m/s; imperial: Fahrenheit and mph.',
  },
}

/** The JSON schema, one branch for each action. */
export const schema = {
  type: 'object',
  oneOf: [
    branch('get_current', 'The weather in a city now.', cityParams, ['city']),
    branch('get_forecast', 'The weather in a city for five days.', cityParams, ['city']),
    branch(
      'get_air_quality',
      'The air quality at a place now.',
      {
        lat: { type: 'number', minimum: -90, maximum: 90, description: 'Latitude in degrees.' },
        lon: { type: 'number', minimum: -180, maximum: 180, description: 'Longitude in degrees.' },
      },
      ['lat', 'lon'],
    ),
  ],
}

/** Reads the parameters. Throws an error that says what is wrong with them. */
export function readParams(json: string): Params {
  const value = parse(json)
  const { action } = value
  if (action !== 'get_current' && action !== 'get_forecast' && action !== 'get_air_quality') {
    const shown = action === undefined ? 'is missing' : `${JSON.stringify(action)} is unknown`
    throw invalid(`'action' ${shown}; expected get_current, get_forecast or get_air_quality`)
  }
  if (action === 'get_air_quality') {
    checkKeys(value, ['action', 'lat', 'lon'])
    return { action, lat: coordinate(value, 'lat', 90), lon: coordinate(value, 'lon', 180) }
  }
  checkKeys(value, ['action', ...Object.keys(cityParams)])
  const city = text(value, 'city')
  if (city === undefined) throw invalid(`'city' is missing`)
  const units = text(value, 'units') ?? 'metric'
  if (units !== 'metric' && units !== 'imperial') throw invalid(`'units' must be metric or imperial`)
  if (city.trim() === '') throw new Error(`'city' must not be empty`)
  return { action, city: city.trim(), country: (text(value, 'country_code') ?? '').trim(), units }
}

function branch(action: string, description: string, params: object, required: string[]): object {
  return {
    type: 'object',
    description,
    properties: { action: { const: action, type: 'string' }, ...params },
    required: ['action', ...required],
    additionalProperties: false,
  }
}

function parse(json: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : String(error))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('expected a JSON object')
  return value as Record<string, unknown>
}

function checkKeys(value: Record<string, unknown>, known: readonly string[]): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key))
  if (unknown !== undefined) throw invalid(`unknown field '${unknown}'`)
}

/** A string. Null counts as absent, since models often write it. */
function text(value: Record<string, unknown>, key: string): string | undefined {
  const found = value[key]
  if (found === undefined || found === null) return undefined
  if (typeof found !== 'string') throw invalid(`'${key}' must be a string`)
  return found
}

function coordinate(value: Record<string, unknown>, key: 'lat' | 'lon', max: number): number {
  const found = value[key]
  if (found === undefined || found === null) throw invalid(`'${key}' is missing`)
  if (typeof found !== 'number' || !Number.isFinite(found)) throw invalid(`'${key}' must be a number`)
  if (found < -max || found > max) throw new Error(`'${key}' must be between -${max} and ${max}`)
  return found
}

function invalid(detail: string): Error {
  return new Error(`Invalid parameters: ${detail}`)
}
