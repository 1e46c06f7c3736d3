// Checking what came over the wire: a schema, or a 400 that names the field by its path (`tools[2].name`).
import * as z from 'zod/mini'
import { AppError } from '#core/errors.ts'

/** A path that is longer is cut where it is told: it may be the caller's own text. */
const maxPathLength = 200
/** What zod says where a schema has no words of its own. */
const noWords = 'Invalid input'

/** A checked value. `path` is where it stands in the request; the body itself has none. Throws invalid_input. */
export function check<T extends z.ZodMiniType>(schema: T, value: unknown, path = ''): z.output<T> {
  const result = z.safeParse(schema, value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw wrongField(joined(path, issue?.path ?? []), issue ? problemOf(issue, value) : 'is malformed')
}

/** The body of a request that needs one. */
export function checkBody<T extends z.ZodMiniType>(schema: T, body: unknown): z.output<T> {
  if (body === undefined) throw new AppError('invalid_input', 'the body is empty: send a JSON object')
  return check(schema, body)
}

/** A fault of one field: the message begins with its name. */
export function wrongField(path: string, what: string): AppError {
  if (path === '') return new AppError('invalid_input', `the body ${what}`)
  const param = path.length > maxPathLength ? `${path.slice(0, maxPathLength)}…` : path
  return new AppError('invalid_input', `${param} ${what}`, { param })
}

/** A wrong type has the same words everywhere, unless its schema has others. */
function problemOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.message !== noWords || issue.code !== 'invalid_type') return issue.message
  const given = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value)
  return given === undefined ? 'is missing' : `must be ${kinds[issue.expected] ?? issue.expected}`
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  object: 'a JSON object',
  array: 'a list',
  boolean: 'true or false',
}

function joined(path: string, more: readonly PropertyKey[]): string {
  return more.reduce<string>((whole, key) => {
    if (typeof key === 'number') return `${whole}[${key}]`
    return whole === '' ? String(key) : `${whole}.${String(key)}`
  }, path)
}
