// Strict JSON parsing. Refuses what two parsers could read differently: repeated keys, invalid UTF-8.
import { AppError, wrongField } from '#core/errors.ts'
import { isObject, type Json, type JsonObject } from '#core/json.ts'
import { mayLoseDigits, parseLosslessInPieces } from '#http/lossless-json.ts'
import { inPace } from '#lib/pace.ts'
import { decodeUtf8 } from '#lib/utf8.ts'

/** Values and names need no bound of their own: a body has at most 64 KB. */
const maxDepth = 64

/** Parses a body as a JSON object, with its numbers as written. Throws invalid_input that names the field, if any. */
export async function readObject(body: Buffer): Promise<JsonObject> {
  const text = decodeUtf8(body)
  if (text === undefined) throw new AppError('invalid_input', 'the body is not valid UTF-8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const problem = text.trim() === '' ? 'the body is empty' : 'the body is not valid JSON'
    throw new AppError('invalid_input', `${problem}: send a JSON object`, { cause: error })
  }
  checkShape(text)
  if (!isObject(value)) throw new AppError('invalid_input', 'the body must be a JSON object')
  return (mayLoseDigits(text) ? await inPace(parseLosslessInPieces(Buffer.from(text))) : value) as JsonObject
}

/** Throws invalid_input for text that cannot be stored unchanged. `path` names it. */
export function checkText(text: string, path: string): void {
  if (text.includes('\0')) throw wrongField(path, 'contains a NUL character')
  if (!text.isWellFormed()) throw wrongField(path, 'contains an unpaired surrogate, which is not a character')
}

/** Throws invalid_input for a value that cannot be stored and returned unchanged. */
export function checkStorable(value: Json, path: string): void {
  if (typeof value === 'string') checkText(value, path)
  if (Array.isArray(value)) {
    for (const [at, each] of value.entries()) checkStorable(each as Json, `${path}[${at}]`)
  } else if (isObject(value)) {
    for (const [key, each] of Object.entries(value)) {
      checkText(key, `a key of ${path}`)
      checkStorable(each, `${path}.${key}`)
    }
  }
}

type Level = { readonly keys: Set<string> | undefined; key: string }

/** Checks valid JSON text for repeated keys, which its parsed value no longer shows, and for its depth. */
function checkShape(text: string): void {
  const levels: Level[] = []
  let last = ''
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g)) {
    const level = levels.at(-1)
    if (token === '{' || token === '[') {
      if (levels.length === maxDepth) {
        throw wrongField(levels[0]?.key ?? '', `is nested deeper than ${maxDepth} levels`)
      }
      levels.push({ keys: token === '{' ? new Set() : undefined, key: '' })
    } else if (token === '}' || token === ']') levels.pop()
    else if (token === ':' && level?.keys) {
      level.key = JSON.parse(last) as string
      if (level.keys.has(level.key)) throw wrongField(pathOf(levels), 'appears twice')
      level.keys.add(level.key)
    } else last = token
  }
}

function pathOf(levels: readonly Level[]): string {
  return levels.flatMap(({ keys, key }) => (keys ? [key] : [])).join('.')
}
