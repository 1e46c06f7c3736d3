// The three services that the weather tool calls.
export const geocodingUrl = 'https://geocoding-api.open-meteo.com'
export const forecastUrl = 'https://api.open-meteo.com'
export const airQualityUrl = 'https://air-quality-api.open-meteo.com'
