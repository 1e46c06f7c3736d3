// Schema checks of request data. A failure is a 400 that names the field by its path (`tools[2].name`).
import * as z from 'zod/mini'
import { AppError, wrongField } from '#core/errors.ts'
import { listWords } from '#core/words.ts'

/** The message of a schema without one of its own: zod's would change with what other packages load of it. */
const defaultMessage = 'is malformed'

/** The checked value. `path` is its position in the request; empty for the body itself. Throws invalid_input. */
export function check<T extends z.ZodMiniType>(schema: T, value: unknown, path = ''): z.output<T> {
  const result = z.safeParse(schema, value, { error: () => defaultMessage })
  if (result.success) return result.data
  const [issue] = result.error.issues
  if (!issue) throw wrongField(path, defaultMessage)
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  throw wrongField(joined(path, [...issue.path, ...unknown]), problemOf(issue, value))
}

/** Checks a query. Throws invalid_input, also for a field that stands in it more than once: it is parsed as a list. */
export function checkQuery<T extends z.ZodMiniType>(schema: T, query: unknown): z.output<T> {
  try {
    return check(schema, query)
  } catch (error) {
    const param = error instanceof AppError ? error.param : undefined
    if (param === undefined || !Array.isArray((query as Record<string, unknown>)[param])) throw error
    throw wrongField(param, 'stands in the query more than once')
  }
}

/** Checks a required body. Throws invalid_input, also for an empty one. */
export function checkBody<T extends z.ZodMiniType>(schema: T, body: unknown): z.output<T> {
  if (body === undefined) throw new AppError('invalid_input', 'the body is empty: send a JSON object')
  return check(schema, body)
}

/** A problem has the same message everywhere, unless the schema has one of its own. */
function problemOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.message !== defaultMessage) return issue.message
  if (issue.code === 'unrecognized_keys') return 'is no field of this request'
  if (issue.code === 'invalid_value') return `must be ${choices(issue.values)}`
  if (issue.code === 'invalid_union' && 'options' in issue && issue.options) return `must be ${choices(issue.options)}`
  if (issue.code === 'too_big') return tooBig(issue)
  if (issue.code !== 'invalid_type') return defaultMessage
  const actual = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value)
  return actual === undefined ? 'is missing' : `must be ${kinds[issue.expected] ?? issue.expected}`
}

function tooBig({ origin, maximum }: z.core.$ZodIssueTooBig): string {
  if (origin === 'string') return `must have at most ${maximum} characters`
  return origin === 'array' ? `must have at most ${maximum} entries` : `must be at most ${maximum}`
}

function choices(values: readonly unknown[]): string {
  return listWords(values.map(String), 'or')
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  object: 'a JSON object',
  array: 'a list',
  record: 'a JSON object',
  boolean: 'true or false',
}

function joined(path: string, more: readonly PropertyKey[]): string {
  return more.reduce<string>((whole, key) => {
    if (typeof key === 'number') return `${whole}[${key}]`
    const name = String(key) || '""'
    return whole === '' ? name : `${whole}.${name}`
  }, path)
}
