// Parses JSON of callers. Its values are counted in the bytes first, with pauses for the event loop, and of the large texts
// each turn of the loop parses one, so that no body can block the service.
import { isUtf8 } from 'node:buffer'
import { AppError } from '#core/errors.ts'
import { type Excess, type JsonBounds, JsonCount } from '#lib/json-bounds.ts'
import { nextTurn, pace } from '#lib/pace.ts'

/** Parsing a text within these bounds blocks the event loop for less than 150 ms, whatever its shape. */
export const jsonBounds: JsonBounds = { values: 200_000, names: 50_000, levels: 1_000 }

/** Texts up to this size are parsed at once. */
export const smallJsonBytes = 64 * 1024
/** Smaller texts do not wait for others. */
const minPacedBytes = 8 * 1024
/** Bytes that are counted between two pauses. */
const sliceBytes = 1024 * 1024
/** Memory of a parsed value and of a field name, beside the bytes of the text. */
const [valueBytes, nameBytes] = [64, 400]

/** Gets the text and the number of its values. Throws SyntaxError. */
export type ParseJson = (text: string, values: number) => unknown

export type JsonReading = {
  /** Names the text in messages. Default: body. */
  readonly what?: 'body' | 'frame'
  /** Default: JSON.parse. */
  readonly parse?: ParseJson
  /** Called for a large text before it is parsed, with an estimate of the parsed size in bytes. */
  readonly reserve?: (bytes: number) => Promise<void>
}

/** The parsed value. Throws invalid_input for a text that is not UTF-8 or not JSON, or exceeds `jsonBounds`. */
export async function readJson(bytes: Buffer, { reserve, ...reading }: JsonReading = {}): Promise<unknown> {
  if (bytes.length <= smallJsonBytes) {
    if (bytes.length > minPacedBytes) await pace()
    return parseSmallJson(bytes, reading)
  }
  const { values, names } = await count(bytes, reading)
  await reserve?.(bytes.length + values * valueBytes + names * nameBytes)
  await nextTurn()
  const value = parsed(bytes, values, reading)
  // The caller goes on in another turn.
  await nextTurn()
  return value
}

/** Parses a text of at most `smallJsonBytes` at once, with the same bounds. Throws invalid_input. */
export function parseSmallJson(bytes: Buffer, reading: Reading = {}): unknown {
  const text = new JsonCount(bytes, jsonBounds)
  refuseExcess(text.next(bytes.length), reading)
  return parsed(bytes, text.values, reading)
}

type Reading = Omit<JsonReading, 'reserve'>

/** Throws invalid_input for an excess. The message names the field, the limit and the way out. */
function refuseExcess(excess: Excess | undefined, { what = 'body' }: Reading): void {
  if (!excess) return
  const { bound, field } = excess
  const max = jsonBounds[bound]
  const problem =
    bound === 'levels'
      ? `is nested deeper than ${max} levels: send it flatter, or as a string of JSON`
      : `brings the ${what} to more than ${max} ${words[bound]}: send fewer, or send the data as a string or a file`
  throw new AppError('invalid_input', `${field || `the ${what}`} ${problem}`, field === '' ? {} : { param: field })
}

const words = { values: 'values', names: 'field names' } as const

/** Counts in slices. */
async function count(bytes: Buffer, reading: Reading): Promise<JsonCount> {
  const text = new JsonCount(bytes, jsonBounds)
  while (!text.done) {
    await pace()
    refuseExcess(text.next(sliceBytes), reading)
  }
  return text
}

const plain: ParseJson = (text) => JSON.parse(text)

function parsed(bytes: Buffer, values: number, { parse = plain, what = 'body' }: Reading): unknown {
  // Decoding would replace what is no character, in fields that are kept as in those that are ignored.
  if (!isUtf8(bytes)) throw new AppError('invalid_input', `the ${what} is not valid UTF-8: send JSON in UTF-8`)
  try {
    return parse(bytes.toString('utf8'), values)
  } catch (error) {
    throw new AppError('invalid_input', `the ${what} is not valid JSON`, { cause: error })
  }
}
