// Parses JSON of callers. Its values are counted in the bytes first. A large text is counted and parsed in pieces, with
// pauses for the event loop, so that no body can block the service.
import { isUtf8 } from 'node:buffer'
import { AppError } from '#core/errors.ts'
import { boundWords, type Excess, type JsonBounds, JsonCount } from '#lib/json-bounds.ts'
import { parseInPieces } from '#lib/json-pieces.ts'
import { inPace, nextTurn, pace } from '#lib/pace.ts'
import { type FindExact, maxLosslessValues, mayLoseDigits, parseLosslessInPieces, takeExact } from './lossless-json.ts'

/** Bounds of the memory and the time that a parsed text takes. */
export const jsonBounds: JsonBounds = { values: 200_000, names: 50_000, members: 10_000, levels: 1_000 }

/** Texts up to this size are parsed at once. */
export const smallJsonBytes = 64 * 1024
/** Smaller texts do not wait for others. */
const minPacedBytes = 8 * 1024
/** Bytes that are counted between two pauses. */
const sliceBytes = 1024 * 1024
/** Memory of a parsed value and of a field name, beside the bytes of the text. */
const [valueBytes, nameBytes] = [64, 400]

/** Some clients on Windows write it before the text. JSON may be read without it (RFC 8259). */
const byteOrderMark = Buffer.from('\uFEFF')

export type JsonReading = {
  /** Names the text in messages. Default: body. */
  readonly what?: 'body' | 'frame'
  /** The values whose numbers are kept as written. Default: none. */
  readonly findExact?: FindExact
  /** Called for a large text before it is parsed, with an estimate of the parsed size in bytes. */
  readonly reserve?: (bytes: number) => Promise<void>
}

/** The parsed value. Throws invalid_input for a text that is not UTF-8 or not JSON, or exceeds `jsonBounds`. */
export async function readJson(body: Buffer, { reserve, ...reading }: JsonReading = {}): Promise<unknown> {
  const bytes = body.subarray(0, 3).equals(byteOrderMark) ? body.subarray(3) : body
  if (bytes.length <= smallJsonBytes) {
    if (bytes.length > minPacedBytes) await pace()
    const values = countAtOnce(bytes, reading)
    checkUtf8(bytes, reading)
    const text = bytes.toString('utf8')
    const value = parsed(text, reading)
    const paths = values <= maxLosslessValues ? (reading.findExact?.(value) ?? []) : []
    if (paths.length > 0 && mayLoseDigits(text)) takeExact(value, await inPace(parseLosslessInPieces(bytes)), paths)
    return value
  }
  const { values, names } = await count(bytes, reading)
  await reserve?.(bytes.length + values * valueBytes + names * nameBytes)
  await nextTurn()
  checkUtf8(bytes, reading)
  const value = await inPace(parsedInPieces(bytes, values, reading)).catch((error: unknown) => {
    throw notJson(error, reading)
  })
  // The caller goes on in another turn.
  await nextTurn()
  return value
}

type Reading = Omit<JsonReading, 'reserve'>

/** The number of values in a text. */
function countAtOnce(bytes: Buffer, reading: Reading): number {
  const text = new JsonCount(bytes, jsonBounds)
  refuseExcess(text.next(bytes.length), reading)
  return text.values
}

function parsed(text: string, reading: Reading): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw notJson(error, reading)
  }
}

/** Throws invalid_input for an excess. The message names the field, the limit and the way out. */
function refuseExcess(excess: Excess | undefined, { what = 'body' }: Reading): void {
  if (!excess) return
  const { bound, field } = excess
  const problem = problemOf(bound, what)
  throw new AppError('invalid_input', `${field || `the ${what}`} ${problem}`, field === '' ? {} : { param: field })
}

function problemOf(bound: Excess['bound'], what: string): string {
  const max = boundWords(jsonBounds, bound)
  if (bound === 'levels') return `is nested deeper than ${max}: send it flatter, or as a string of JSON`
  if (bound === 'run') return `has more than ${max}: leave it out`
  return `brings the ${what} to more than ${max}: send fewer, or send the data as a string or a file`
}

/** Counts in slices. */
async function count(bytes: Buffer, reading: Reading): Promise<JsonCount> {
  const text = new JsonCount(bytes, jsonBounds)
  while (!text.done) {
    await pace()
    refuseExcess(text.next(sliceBytes), reading)
  }
  return text
}

function* parsedInPieces(bytes: Buffer, values: number, { findExact }: Reading): Generator<void, unknown> {
  let losesDigits = false
  const value = yield* parseInPieces(bytes, (text) => {
    losesDigits ||= findExact !== undefined && values <= maxLosslessValues && mayLoseDigits(text)
    return JSON.parse(text)
  })
  const paths = losesDigits ? (findExact?.(value) ?? []) : []
  if (paths.length === 0) return value
  takeExact(value, yield* parseLosslessInPieces(bytes), paths)
  return value
}

/** Decoding would replace what is no character, in fields that are kept as in those that are ignored. */
function checkUtf8(bytes: Buffer, { what = 'body' }: Reading): void {
  if (!isUtf8(bytes)) throw new AppError('invalid_input', `the ${what} is not valid UTF-8: send JSON in UTF-8`)
}

function notJson(cause: unknown, { what = 'body' }: Reading): AppError {
  return new AppError('invalid_input', `the ${what} is not valid JSON`, { cause })
}
