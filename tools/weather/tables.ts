// Words for numbers: weather codes and the European air quality index.

const weatherCodes: ReadonlyMap<number, string> = new Map([
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
])

const airLabels: readonly [upTo: number, label: string][] = [
  [20, 'Good'],
  [40, 'Fair'],
  [60, 'Moderate'],
  [80, 'Poor'],
  [100, 'Very Poor'],
]

export function describeWeather(code: number): string {
  return weatherCodes.get(code) ?? 'Unknown'
}

export function describeAir(index: number): string {
  return airLabels.find(([upTo]) => index <= upTo)?.[1] ?? 'Extremely Poor'
}
