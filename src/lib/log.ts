// The log: one line of JSON per event, on standard error or in a file.

/** What the house needs of a logger; pino fits it. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** Names under which a secret might be logged by mistake. */
const redacted = [
  'authorization',
  'cookie',
  'token',
  'apiKey',
  'secret',
  'password',
  '*.authorization',
  '*.token',
  '*.apiKey',
  '*.secret',
]

/** A logger that writes to a file, or to standard error. */
export async function openLog({ level, file }: { level: LogLevel; file?: string }): Promise<Log> {
  const { pino } = await import('pino')
  const target = pino.destination(
    file === undefined ? { dest: 2, sync: true } : { dest: file, sync: true, mkdir: true, mode: 0o600 },
  )
  const log: Log = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: { paths: redacted, censor: '***' } },
    target,
  )
  return log
}

/** A log that nobody reads, for tests and one-shot commands. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }
