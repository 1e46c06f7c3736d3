// The weather tool as it ships, in the sandbox, with stand-ins for the three services: every row of its contract.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readCapabilities } from '#sandbox/package/capabilities.ts'
import { effectsOf } from '#sandbox/component-tools.ts'
import { useWeather, weatherFolder } from './weather-rig.ts'

const { seen, replies, reply, away, loaded, call, output } = useWeather()
const lisbon = { name: 'Lisbon', country: 'Portugal', latitude: 38.7, longitude: -9.1 }

test('the capability file names the three hosts, each with /v1/ and GET, and makes the tool a read', () => {
  const { capabilities, warnings } = readCapabilities(readFileSync(join(weatherFolder, 'capabilities.json'), 'utf8'))
  assert.deepEqual(warnings, [])
  assert.deepEqual(
    capabilities.allowlist.map(({ host, pathPrefix, methods }) => [host.host, pathPrefix, methods]),
    ['geocoding-api.open-meteo.com', 'api.open-meteo.com', 'air-quality-api.open-meteo.com'].map((host) => [
      host,
      '/v1/',
      ['GET'],
    ]),
  )
  assert.equal(effectsOf(capabilities), 'read')
})

test('the schema has a branch for each action, and none takes more than it names', () => {
  const tool = loaded()
  const { oneOf } = tool.schema as unknown as {
    oneOf: { properties: Record<string, { const?: string }>; required: string[]; additionalProperties: boolean }[]
  }
  assert.deepEqual(
    oneOf.map((branch) => [
      branch.properties['action']?.const,
      Object.keys(branch.properties),
      branch.required,
      branch.additionalProperties,
    ]),
    [
      ['get_current', ['action', 'city', 'country_code', 'units'], ['action', 'city'], false],
      ['get_forecast', ['action', 'city', 'country_code', 'units'], ['action', 'city'], false],
      ['get_air_quality', ['action', 'lat', 'lon'], ['action', 'lat', 'lon'], false],
    ],
  )
  assert(tool.description.length > 50)
  assert.deepEqual(tool.warnings, [])
})

test('the current weather of a city', async () => {
  reply(
    { body: { results: [lisbon] } },
    {
      body: {
        current: {
          temperature_2m: 18.4,
          apparent_temperature: 17,
          relative_humidity_2m: 63,
          wind_speed_10m: 4.2,
          weather_code: 2,
        },
      },
    },
  )
  assert.deepEqual(await output({ action: 'get_current', city: 'Lisboa' }), {
    city: 'Lisbon',
    country: 'Portugal',
    temperature: 18.4,
    feels_like: 17,
    humidity: 63,
    wind_speed: 4.2,
    description: 'Partly cloudy',
    units: 'metric',
  })
  const [search, forecast] = seen
  assert.deepEqual(
    [search, forecast].map((each) => each && `${each.method} ${each.url.origin}${each.url.pathname}`),
    ['GET https://geocoding-api.open-meteo.com/v1/search', 'GET https://api.open-meteo.com/v1/forecast'],
  )
  assert.deepEqual(Object.fromEntries(search?.url.searchParams ?? []), {
    name: 'Lisboa',
    count: '1',
    language: 'en',
    format: 'json',
  })
  assert.deepEqual(
    [forecast?.url.searchParams.get('latitude'), forecast?.url.searchParams.get('longitude')],
    ['38.7', '-9.1'],
  )
  for (const { headers } of seen) {
    assert.equal(headers.get('accept'), 'application/json')
    assert.match(headers.get('user-agent') ?? '', /weather/)
  }
})

test('units choose Celsius and m/s, or Fahrenheit and mph', async () => {
  reply({ body: { results: [lisbon] } })
  const units = (): (string | null | undefined)[] =>
    ['temperature_unit', 'wind_speed_unit'].map((name) => seen[1]?.url.searchParams.get(name))
  await output({ action: 'get_current', city: 'x' })
  assert.deepEqual(units(), ['celsius', 'ms'])
  await output({ action: 'get_current', city: 'x', units: 'metric' })
  assert.deepEqual(units(), ['celsius', 'ms'])
  const imperial = (await output({ action: 'get_forecast', city: 'x', units: 'imperial' })) as { units: string }
  assert.deepEqual([...units(), imperial.units], ['fahrenheit', 'mph', 'imperial'])
})

test('a country code narrows the search when it is not empty', async () => {
  reply({ body: { results: [lisbon] } })
  await output({ action: 'get_current', city: 'São Paulo & Co', country_code: 'BR' })
  assert.deepEqual(
    [seen[0]?.url.searchParams.get('countryCode'), seen[0]?.url.searchParams.get('name')],
    ['BR', 'São Paulo & Co'],
  )
  await output({ action: 'get_current', city: 'x', country_code: '' })
  assert.equal(seen[0]?.url.searchParams.has('countryCode'), false)
})

test('the forecast asks for five days and has one entry each', async () => {
  const daily = {
    time: ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04', '2026-01-05'],
    temperature_2m_max: [10, 11.5, 12, 13, 14],
    temperature_2m_min: [1, 2, 3, 4, 5.5],
    weather_code: [0, 61, 95, 99, null],
    precipitation_probability_max: [0, 80, null, 20],
  }
  reply({ body: { results: [lisbon] } }, { body: { daily } })
  const forecast = (await output({ action: 'get_forecast', city: 'Lisbon' })) as { entries: object[] }
  assert.equal(seen[1]?.url.searchParams.get('forecast_days'), '5')
  assert.deepEqual(Object.keys(forecast), ['city', 'country', 'units', 'entries'])
  assert.equal(forecast.entries.length, 5)
  assert.deepEqual(forecast.entries[1], {
    date: '2026-01-02',
    temp_max: 11.5,
    temp_min: 2,
    description: 'Slight rain',
    precipitation_probability_max: 80,
  })
  assert.deepEqual(forecast.entries[4], {
    date: '2026-01-05',
    temp_max: 14,
    temp_min: 5.5,
    description: 'Clear sky',
    precipitation_probability_max: 0,
  })
})

test('the air quality at a place', async () => {
  replies.air = { body: { current: { european_aqi: 42, pm2_5: 12.5, pm10: 20.1 } } }
  assert.deepEqual(await output({ action: 'get_air_quality', lat: 38.72, lon: -9.14 }), {
    lat: 38.72,
    lon: -9.14,
    european_aqi: 42,
    aqi_label: 'Moderate',
    pm2_5: 12.5,
    pm10: 20.1,
  })
  assert.equal(seen[0]?.url.href.split('?')[0], 'https://air-quality-api.open-meteo.com/v1/air-quality')
  assert.equal(seen.length, 1)
})

const codes: readonly [code: number, words: string][] = [
  [0, 'Clear sky'],
  [1, 'Mainly clear'],
  [2, 'Partly cloudy'],
  [3, 'Overcast'],
  [45, 'Fog'],
  [51, 'Light drizzle'],
  [61, 'Slight rain'],
  [63, 'Moderate rain'],
  [65, 'Heavy rain'],
  [71, 'Slight snow'],
  [73, 'Moderate snow'],
  [75, 'Heavy snow'],
  [80, 'Slight rain showers'],
  [95, 'Thunderstorm'],
  [4, 'Unknown'],
  [96, 'Unknown'],
  [-1, 'Unknown'],
]
test('every weather code has its words', async () => {
  const days = codes.map((_, at) => `day ${at}`)
  reply({ body: { results: [lisbon] } }, { body: { daily: { time: days, weather_code: codes.map(([code]) => code) } } })
  const { entries } = (await output({ action: 'get_forecast', city: 'x' })) as { entries: { description: string }[] }
  assert.deepEqual(
    entries.map(({ description }) => description),
    codes.map(([, words]) => words),
  )
})

const bands: readonly [index: number, label: string][] = [
  [0, 'Good'],
  [20, 'Good'],
  [21, 'Fair'],
  [40, 'Fair'],
  [41, 'Moderate'],
  [60, 'Moderate'],
  [61, 'Poor'],
  [80, 'Poor'],
  [81, 'Very Poor'],
  [100, 'Very Poor'],
  [101, 'Extremely Poor'],
  [400, 'Extremely Poor'],
]
for (const [index, label] of bands) {
  test(`an index of ${index} is ${label}`, async () => {
    replies.air = { body: { current: { european_aqi: index } } }
    const { aqi_label } = (await output({ action: 'get_air_quality', lat: 0, lon: 0 })) as { aqi_label: string }
    assert.equal(aqi_label, label)
  })
}

test('what the services leave out counts as 0', async () => {
  reply({ body: { results: [{ name: 'X' }] } }, { body: {} })
  assert.deepEqual(await output({ action: 'get_current', city: 'x' }), {
    city: 'X',
    country: '',
    temperature: 0,
    feels_like: 0,
    humidity: 0,
    wind_speed: 0,
    description: 'Clear sky',
    units: 'metric',
  })
  replies.air = { body: { current: { european_aqi: null } } }
  assert.deepEqual(await output({ action: 'get_air_quality', lat: -90, lon: 180 }), {
    lat: -90,
    lon: 180,
    european_aqi: 0,
    aqi_label: 'Good',
    pm2_5: 0,
    pm10: 0,
  })
})

const wrong: readonly [params: unknown, error: string | RegExp][] = [
  [{ action: 'get_current', city: '' }, "'city' must not be empty"],
  [{ action: 'get_forecast', city: '   ' }, "'city' must not be empty"],
  [{ action: 'get_current' }, "Invalid parameters: 'city' is missing"],
  [{ action: 'get_current', city: 7 }, "Invalid parameters: 'city' must be a string"],
  [{ action: 'get_current', city: 'x', units: 'kelvin' }, /^Invalid parameters: 'units'/],
  [{ action: 'get_current', city: 'x', lat: 1 }, "Invalid parameters: unknown field 'lat'"],
  [{ action: 'sing' }, /^Invalid parameters: 'action' "sing" is unknown/],
  [{}, /^Invalid parameters: 'action' is missing/],
  [[], 'Invalid parameters: expected a JSON object'],
  ['"text"', 'Invalid parameters: expected a JSON object'],
  [{ action: 'get_air_quality', lat: 90.5, lon: 0 }, "'lat' must be between -90 and 90"],
  [{ action: 'get_air_quality', lat: 0, lon: -181 }, "'lon' must be between -180 and 180"],
  [{ action: 'get_air_quality', lat: 0 }, "Invalid parameters: 'lon' is missing"],
  [{ action: 'get_air_quality', lat: '1', lon: 0 }, "Invalid parameters: 'lat' must be a number"],
]
for (const [params, error] of wrong) {
  test(`parameters ${JSON.stringify(params)} give their error, and no request`, async () => {
    const report = await call(params)
    if (typeof error === 'string') assert.equal(report.error, error)
    else assert.match(report.error ?? '', error)
    assert.deepEqual([report.output, seen.length], [null, 0])
  })
}

test('a city that nobody knows', async () => {
  for (const body of [{ results: [] }, {}, { results: null }]) {
    reply({ body })
    assert.equal((await call({ action: 'get_current', city: 'Nowhere' })).error, 'City not found: Nowhere')
  }
})

test('a status outside 2xx is told with its body', async () => {
  reply({ status: 429, body: 'slow down' })
  assert.equal((await call({ action: 'get_current', city: 'x' })).error, 'API error (HTTP 429): slow down')
  reply({ body: { results: [lisbon] } }, { status: 500, body: '{"error":true,"reason":"ä"}' })
  assert.equal(
    (await call({ action: 'get_forecast', city: 'x' })).error,
    'API error (HTTP 500): {"error":true,"reason":"ä"}',
  )
  replies.air = { status: 302, body: 'moved' }
  assert.equal((await call({ action: 'get_air_quality', lat: 0, lon: 0 })).error, 'API error (HTTP 302): moved')
})

test('a service that cannot be reached is told', async () => {
  away.add('air-quality-api.open-meteo.com')
  const { error, requests } = await call({ action: 'get_air_quality', lat: 0, lon: 0 })
  assert.equal(error, 'HTTP request failed: air-quality-api.open-meteo.com could not be reached: ECONNREFUSED')
  assert.equal(requests.at(-1)?.status, null)
})

test('an answer that is no JSON is an error, not a trap', async () => {
  reply({ body: 'not json' })
  assert.match((await call({ action: 'get_current', city: 'x' })).error ?? '', /not JSON/)
})
