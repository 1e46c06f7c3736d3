// The log: one line per event, on standard error or in a file. JSON, or plain text on a terminal. Lines share writes, but
// warnings and errors do not wait for that. Lines that cannot be written are dropped, since a service must outlive its log.
import { closeSync, existsSync, fstatSync, openSync, renameSync, statSync, writeSync } from 'node:fs'

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
  /** Default: standard error. A file that reaches `maxBytes` becomes `<file>.1`, that one `<file>.2`, and so on. */
  readonly file?: string
  readonly maxBytes?: number
  /** Values to redact in every line. */
  readonly secrets?: readonly string[]
}

const redacted = '***'
/** Shorter secrets are not redacted: they would match parts of ordinary words. */
const minSecretLength = 6
const maxStackLength = 8_192
/** A log has at most this many files of this size. */
const maxFiles = 5
const defaultMaxBytes = 10 * 1024 * 1024
/** How long a line waits for others to be written with it: a write takes longer than the making of three lines. */
const holdMs = 20

/** Field names under which a secret might be logged by mistake. A number under such a name is a count. */
const secretName = /(authorization|cookie|token|secret|password|passphrase|api[-_]?key|credential)s?$/i
/**
 * Secrets recognised by their form, and a text that each form contains, to skip the pattern for most lines. In a URL the first
 * colon ends the name: with any colon, the time would grow with the square of their number.
 */
const secretPatterns =
  /\batr_[\w-]{16,}|\bsk-[\w-]{16,}|\b(?:Bearer|Basic) [\w.~+/=-]{8,}|(?<=:\/\/)[^\s/":@]*:[^\s/"@]+(?=@)/gi
const secretHints = ['atr_', 'sk-', 'earer ', 'asic ', '://']

export type OpenedLog = Log & {
  /** Writes a message without redacting it, at every level except silent: for the one secret that people shall read. */
  revealSecret(message: string): void
}

/** Opens the log for writing. */
export function openLog({ level, file, maxBytes = defaultMaxBytes, secrets = [] }: LogParts): OpenedLog {
  const write = createWriter(file === undefined ? () => 2 : createRotatingFile(file, maxBytes))
  const format = file === undefined && process.stderr.isTTY ? formatText : formatJson
  const redact = createRedactor(secrets)
  return {
    ...logTo((name, fields, message) => {
      write(redact(format(name, fields, message, new Date())), name === 'warn' || name === 'error')
    }, level),
    revealSecret(message) {
      if (level !== 'silent') write(format('info', {}, message, new Date()), true)
    },
  }
}

/** A log that passes each event from `minLevel` upwards to `write`. */
export function logTo(write: (level: LogLevel, fields: object, message: string) => void, minLevel: LogLevel): Log {
  const at = (level: LogLevel) =>
    logLevels.indexOf(level) < logLevels.indexOf(minLevel)
      ? () => {}
      : (fields: object, message: string) => write(level, fields, message)
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** A log that drops everything, for tests and one-shot commands. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }

const minPauseMs = 60_000

/** Warns at most once a minute, for events that may repeat often. */
export function warnSparingly(log: Log): (fields: object, message: string) => void {
  let warnedAt = Number.NEGATIVE_INFINITY
  return (fields, message) => {
    if (performance.now() - warnedAt < minPauseMs) return
    warnedAt = performance.now()
    log.warn(fields, message)
  }
}

/** An event as a line of JSON. */
export function formatJson(level: LogLevel, fields: object, message: string, now: Date): string {
  const head = `{"level":"${level}","time":"${timeOf(now.getTime())}","msg":${JSON.stringify(message)}`
  const rest = isFlat(fields) ? JSON.stringify(fields) : JSON.stringify(fields, plainValue)
  return `${head}${rest === '{}' ? '' : ','}${rest.slice(1)}\n`
}

/** The latest second that a line had, as text. */
let second = Number.NaN
let secondText = ''

/** The time in ISO 8601. Lines of one second share most of it, and making it takes as long as the rest of a line. */
function timeOf(ms: number): string {
  const now = Math.floor(ms / 1000)
  if (now !== second) {
    second = now
    secondText = new Date(ms).toISOString().slice(0, -'000Z'.length)
  }
  return `${secondText}${String(ms - now * 1000).padStart(3, '0')}Z`
}

/** Most events are flat and have no secret field: JSON is several times faster without a replacer. */
function isFlat(fields: object): boolean {
  for (const name in fields) {
    const value: unknown = fields[name as keyof object]
    if (typeof value === 'object' || (typeof value === 'string' && isSecretName(name))) return false
  }
  return true
}

/** The names that were tested; the same ones come with each request. */
const testedNames = new Map<string, boolean>()
const maxTestedNames = 1_000

function isSecretName(name: string): boolean {
  let is = testedNames.get(name)
  if (is === undefined) {
    is = secretName.test(name)
    if (testedNames.size < maxTestedNames) testedNames.set(name, is)
  }
  return is
}

/** An event as a line of plain text, with an error's stack below it. */
export function formatText(level: LogLevel, fields: object, message: string, now: Date): string {
  const { err, ...rest } = fields as Record<string, unknown>
  const known = JSON.parse(JSON.stringify(rest, plainValue)) as Record<string, unknown>
  const pairs = Object.entries(known).map(([name, value]) => {
    const word = typeof value === 'string' && /^[\w./:@-]+$/.test(value)
    return ` ${name}=${word ? value : JSON.stringify(value)}`
  })
  const fault = err instanceof Error ? `\n    ${stackOf(err).replaceAll('\n', '\n    ')}` : ''
  // oxlint-disable-next-line no-control-regex -- a line must not control the terminal
  const text = `${message}${pairs.join('')}${fault}`.replaceAll(/[\0-\x09\x0b-\x1f\x7f-\x9f]/g, '?')
  return `${now.toTimeString().slice(0, 8)} ${level.padEnd(5)} ${text}\n`
}

/** Makes a function that redacts these secrets, and anything that looks like a secret, in a line. */
export function createRedactor(secrets: readonly string[]): (line: string) => string {
  const long = secrets.filter((secret) => secret.length >= minSecretLength)
  // In a line of JSON a secret may be escaped.
  const known = [...new Set(long.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]))]
  return (line) => {
    let text = line
    for (const secret of known) if (text.includes(secret)) text = text.replaceAll(secret, redacted)
    return secretHints.some((mark) => text.includes(mark)) ? text.replaceAll(secretPatterns, redacted) : text
  }
}

function plainValue(name: string, value: unknown): unknown {
  if (value instanceof Error) {
    const { name: type, message, cause } = value
    return { type, message, stack: stackOf(value), ...(cause !== undefined && { cause }) }
  }
  const counts = typeof value === 'number' || typeof value === 'boolean'
  return !counts && value !== undefined && isSecretName(name) ? redacted : value
}

function stackOf({ stack, message }: Error): string {
  return (stack ?? message).slice(0, maxStackLength)
}

/** Returns the file descriptor for the next bytes, and first rotates a full file. */
function createRotatingFile(file: string, maxBytes: number): (bytes: number) => number {
  let fd = openSync(file, 'a', 0o600)
  let { size } = fstatSync(fd)
  return (bytes) => {
    if (size > 0 && size + bytes > maxBytes) {
      const full = fd
      // If another process has rotated already, our descriptor is the renamed file.
      if (statSync(file, { throwIfNoEntry: false })?.ino === fstatSync(full).ino) shiftFiles(file)
      fd = openSync(file, 'a', 0o600)
      closeSync(full)
      size = fstatSync(fd).size
    }
    size += bytes
    return fd
  }
}

/** Gives each file the next number; the oldest is replaced. */
function shiftFiles(file: string): void {
  for (let number = maxFiles - 2; number >= 1; number--)
    if (existsSync(`${file}.${number}`)) renameSync(`${file}.${number}`, `${file}.${number + 1}`)
  renameSync(file, `${file}.1`)
}

/** Writes urgent lines at once, after those that were held. What is still held is written when the process exits. */
function createWriter(target: (bytes: number) => number): (line: string, urgent: boolean) => void {
  let lines = ''
  let held: NodeJS.Timeout | undefined
  const flush = (): void => {
    process.off('exit', flush)
    clearTimeout(held)
    held = undefined
    const bytes = Buffer.from(lines)
    lines = ''
    try {
      const fd = target(bytes.length)
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
    } catch {
      // A full disk, or a reader that is gone or too slow: there is nowhere to report it.
    }
  }
  return (line, urgent) => {
    if (lines === '') {
      process.once('exit', flush)
      held = setTimeout(flush, holdMs).unref()
    }
    lines += line
    if (urgent) flush()
  }
}
