// The log: one line per event, on standard error or in a file. JSON, or words on a terminal. The lines of one tick share
// a write; what cannot be written is dropped, since a service must outlive its log.
import { closeSync, fstatSync, openSync, renameSync, statSync, writeSync } from 'node:fs'

/** What the house needs of a logger. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export type LogParts = {
  readonly level: LogLevel
  /** Absent, standard error. A file that has grown to `maxBytes` is put aside as `<file>.1`, in place of the one before. */
  readonly file?: string
  readonly maxBytes?: number
  /** Values that must not stand in a line, wherever they come from. */
  readonly secrets?: readonly string[]
}

const hidden = '***'
/** Shorter ones would be found in ordinary words. */
const minSecretLength = 6
const maxStackLength = 8_192
/** Two files of this size are all that a log takes of the disk. */
const defaultBytes = 10 * 1024 * 1024

/** Names under which a secret might be logged by mistake. A number under such a name counts something. */
const secretName = /(authorization|cookie|token|secret|password|passphrase|api[-_]?key|credential)s?$/i
/** Secrets that are known by their looks, and what each of them has. */
const secretLooks =
  /\batr_[\w-]{16,}|\bsk-[\w-]{16,}|\b(?:Bearer|Basic) [\w.~+/=-]{8,}|(?<=:\/\/)[^\s/"@]+:[^\s/"@]+(?=@)/gi
const marks = ['atr_', 'sk-', 'earer ', 'asic ', '://']

/** A log with its target open. */
export function openLog({ level, file, maxBytes = defaultBytes, secrets = [] }: LogParts): Log {
  const write = createWriter(file === undefined ? () => 2 : createTurnover(file, maxBytes))
  const format = file === undefined && process.stderr.isTTY ? inWords : inJson
  const hide = createHide(secrets)
  return logTo((name, fields, message) => write(hide(format(name, fields, message, new Date()))), level)
}

/** A log that hands each event on, from a level upwards. */
export function logTo(take: (level: LogLevel, fields: object, message: string) => void, least: LogLevel): Log {
  const at = (level: LogLevel) =>
    logLevels.indexOf(level) < logLevels.indexOf(least)
      ? () => {}
      : (fields: object, message: string) => take(level, fields, message)
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** A log that nobody reads, for tests and one-shot commands. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** What may happen again and again is told of once in a while. */
const complainMs = 60_000

/** A warning at most once a minute. */
export function warnSparingly(log: Log): (fields: object, message: string) => void {
  let toldAt = Number.NEGATIVE_INFINITY
  return (fields, message) => {
    if (performance.now() - toldAt < complainMs) return
    toldAt = performance.now()
    log.warn(fields, message)
  }
}

/** An event as a line of JSON. */
export function inJson(level: LogLevel, fields: object, message: string, now: Date): string {
  const event = { level, time: now.toISOString(), msg: message, ...fields }
  return `${isFlat(fields) ? JSON.stringify(event) : JSON.stringify(event, plain)}\n`
}

/** Most events are flat and name nothing secret: JSON is several times faster without a look at each value. */
function isFlat(fields: object): boolean {
  for (const [name, value] of Object.entries(fields))
    if (typeof value === 'object' || (typeof value === 'string' && secretName.test(name))) return false
  return true
}

/** An event as a line to read, with the stack of a fault below it. */
export function inWords(level: LogLevel, fields: object, message: string, now: Date): string {
  const { err, ...rest } = fields as Record<string, unknown>
  const known = JSON.parse(JSON.stringify(rest, plain)) as Record<string, unknown>
  const pairs = Object.entries(known).map(([name, value]) => {
    const word = typeof value === 'string' && /^[\w./:@-]+$/.test(value)
    return ` ${name}=${word ? value : JSON.stringify(value)}`
  })
  const fault = err instanceof Error ? `\n    ${stackOf(err).replaceAll('\n', '\n    ')}` : ''
  // oxlint-disable-next-line no-control-regex -- nothing in a line may command the terminal
  const shown = `${message}${pairs.join('')}${fault}`.replaceAll(/[\0-\x09\x0b-\x1f\x7f-\x9f]/g, '?')
  return `${now.toTimeString().slice(0, 8)} ${level.padEnd(5)} ${shown}\n`
}

/** A line without the given secrets and without what looks like one. */
export function createHide(secrets: readonly string[]): (line: string) => string {
  const long = secrets.filter((secret) => secret.length >= minSecretLength)
  // In a line of JSON a secret may stand escaped.
  const known = [...new Set(long.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]))]
  return (line) => {
    let shown = line
    for (const secret of known) if (shown.includes(secret)) shown = shown.replaceAll(secret, hidden)
    return marks.some((mark) => shown.includes(mark)) ? shown.replaceAll(secretLooks, hidden) : shown
  }
}

function plain(name: string, value: unknown): unknown {
  if (value instanceof Error) {
    const { name: type, message, cause } = value
    return { type, message, stack: stackOf(value), ...(cause !== undefined && { cause }) }
  }
  const counts = typeof value === 'number' || typeof value === 'boolean'
  return !counts && value !== undefined && secretName.test(name) ? hidden : value
}

function stackOf({ stack, message }: Error): string {
  return (stack ?? message).slice(0, maxStackLength)
}

/** The open file to write some bytes to: a full one is put aside first. */
function createTurnover(file: string, maxBytes: number): (bytes: number) => number {
  let fd = openSync(file, 'a', 0o600)
  let { size } = fstatSync(fd)
  return (bytes) => {
    if (size > 0 && size + bytes > maxBytes) {
      const full = fd
      // Where another process has done so already, ours is the file that was put aside.
      if (statSync(file, { throwIfNoEntry: false })?.ino === fstatSync(full).ino) renameSync(file, `${file}.1`)
      fd = openSync(file, 'a', 0o600)
      closeSync(full)
      size = fstatSync(fd).size
    }
    size += bytes
    return fd
  }
}

/** Writes what was said in one tick at its end, and the rest when the process ends. */
function createWriter(target: (bytes: number) => number): (line: string) => void {
  let lines = ''
  let due = false
  const flush = (): void => {
    due = false
    process.off('exit', flush)
    const bytes = Buffer.from(lines)
    lines = ''
    try {
      const fd = target(bytes.length)
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
    } catch {
      // A full disk, a reader that is gone or too slow: there is nowhere to tell it.
    }
  }
  return (line) => {
    lines += line
    if (due) return
    due = true
    process.once('exit', flush)
    setImmediate(flush)
  }
}
