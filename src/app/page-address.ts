// Where people open the page.
import type { Config } from '#config.ts'

/** The address at which people open the page: the first that the operator named, else the gateway's own. */
export function pageOf({ gateway: { enabled, host, port, allowedOrigins } }: Config): string | undefined {
  const [named] = allowedOrigins
  if (named !== undefined) return named
  if (!enabled) return undefined
  const open = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${open}:${port}`
}
