// The weather tool: current weather, a forecast, and air quality, from Open-Meteo.
import { httpRequest } from 'near:agent/host@0.3.0'
import { airQualityUrl, forecastUrl, geocodingUrl } from './urls.ts'
import { type Params, readParams, schema, type Units } from './params.ts'
import { describeAir, describeWeather } from './tables.ts'

type Fields = Readonly<Record<string, unknown>>
type Place = { readonly city: string; readonly country: string; readonly query: string }

const forecastDays = 5
const maxErrorChars = 100_000
const headers = JSON.stringify({ Accept: 'application/json', 'User-Agent': 'atrium-weather/1.0' })
const unitParams: Readonly<Record<Units, string>> = {
  metric: 'temperature_unit=celsius&wind_speed_unit=ms',
  imperial: 'temperature_unit=fahrenheit&wind_speed_unit=mph',
}

/** The component's exports. */
export const tool = {
  execute({ params }: { params: string }): { output: string | null; error: string | null } {
    try {
      return { output: JSON.stringify(answer(readParams(params))), error: null }
    } catch (error) {
      return { output: null, error: error instanceof Error ? error.message : String(error) }
    }
  },
  schema: (): string => JSON.stringify(schema),
  description: (): string =>
    'Weather for any place: get_current (temperature, humidity and wind in a city now), get_forecast (the next five ' +
    'days in a city), get_air_quality (European air quality index and fine dust at coordinates).',
}

function answer(params: Params): object {
  switch (params.action) {
    case 'get_current':
      return current(find(params), params.units)
    case 'get_forecast':
      return forecast(find(params), params.units)
    case 'get_air_quality':
      return airQuality(params)
    default:
      return params satisfies never
  }
}

/** The first match for a city name. */
function find({ city, country }: { city: string; country: string }): Place {
  const narrowed = country === '' ? '' : `&countryCode=${encodeURIComponent(country)}`
  const url = `${geocodingUrl}/v1/search?name=${encodeURIComponent(city)}&count=1&language=en&format=json${narrowed}`
  const [first] = list(get(url).results)
  if (first === undefined) throw new Error(`City not found: ${city}`)
  const place = fields(first)
  return {
    city: typeof place.name === 'string' ? place.name : city,
    country: typeof place.country === 'string' ? place.country : '',
    query: `latitude=${number(place.latitude)}&longitude=${number(place.longitude)}`,
  }
}

function current({ city, country, query }: Place, units: Units): object {
  const wanted = 'temperature_2m,relative_humidity_2m,apparent_temperature,weather_code,wind_speed_10m'
  const now = fields(get(`${forecastUrl}/v1/forecast?${query}&current=${wanted}&${unitParams[units]}`).current)
  return {
    city,
    country,
    temperature: number(now.temperature_2m),
    feels_like: number(now.apparent_temperature),
    humidity: integer(now.relative_humidity_2m),
    wind_speed: number(now.wind_speed_10m),
    description: describeWeather(number(now.weather_code)),
    units,
  }
}

function forecast({ city, country, query }: Place, units: Units): object {
  const wanted = 'weather_code,temperature_2m_max,temperature_2m_min,precipitation_probability_max'
  const days = `daily=${wanted}&timezone=auto&forecast_days=${forecastDays}`
  const daily = fields(get(`${forecastUrl}/v1/forecast?${query}&${days}&${unitParams[units]}`).daily)
  const column = (name: string): readonly unknown[] => list(daily[name])
  return {
    city,
    country,
    units,
    entries: column('time').map((date, at) => ({
      date: String(date),
      temp_max: number(column('temperature_2m_max')[at]),
      temp_min: number(column('temperature_2m_min')[at]),
      description: describeWeather(number(column('weather_code')[at])),
      precipitation_probability_max: integer(column('precipitation_probability_max')[at]),
    })),
  }
}

function airQuality({ lat, lon }: { lat: number; lon: number }): object {
  const url = `${airQualityUrl}/v1/air-quality?latitude=${lat}&longitude=${lon}&current=european_aqi,pm2_5,pm10`
  const now = fields(get(url).current)
  const index = integer(now.european_aqi)
  return {
    lat,
    lon,
    european_aqi: index,
    aqi_label: describeAir(index),
    pm2_5: number(now.pm2_5),
    pm10: number(now.pm10),
  }
}

function get(url: string): Fields {
  const { status, body } = request(url)
  const text = new TextDecoder().decode(body)
  if (status < 200 || status > 299) throw new Error(`API error (HTTP ${status}): ${text.slice(0, maxErrorChars)}`)
  try {
    return fields(JSON.parse(text))
  } catch {
    throw new Error('The weather service sent an answer that is not JSON')
  }
}

function request(url: string) {
  try {
    return httpRequest('GET', url, headers, null, null)
  } catch (error) {
    throw new Error(`HTTP request failed: ${detailOf(error)}`, { cause: error })
  }
}

/** The host's message for a failure, which is thrown as a string or as an error with a payload. */
function detailOf(error: unknown): string {
  const payload = typeof error === 'object' && error !== null && 'payload' in error ? error.payload : error
  return payload instanceof Error ? payload.message : String(payload)
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A value that the service leaves out counts as 0. */
function number(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}

function integer(value: unknown): number {
  return Math.round(number(value))
}
