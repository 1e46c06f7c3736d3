// Where traces go, if anywhere.
import type { Values } from './variables.ts'

export type TelemetryConfig = {
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  /** What was said goes along. */
  readonly content: boolean
}

export function telemetryOf(values: Values): TelemetryConfig | undefined {
  const endpoint = values.OTEL_EXPORTER_OTLP_ENDPOINT
  if (endpoint === undefined) return undefined
  return {
    endpoint,
    headers: values.OTEL_EXPORTER_OTLP_HEADERS,
    serviceName: values.OTEL_SERVICE_NAME,
    content: values.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT,
  }
}
