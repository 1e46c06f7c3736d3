// Checking what came over the wire: a schema, or a 400 that names the field.
import type * as z from 'zod/mini'
import { AppError } from '#core/errors.ts'

/** The body of a request that needs one. */
export function checkBody<T extends z.ZodMiniType>(schema: T, body: unknown): z.output<T> {
  if (body === undefined) throw new AppError('invalid_input', 'the body is empty: send a JSON object')
  return check(schema, body)
}

/** The query of a request. */
export function checkQuery<T extends z.ZodMiniType>(schema: T, query: unknown): z.output<T> {
  return check(schema, query)
}

function check<T extends z.ZodMiniType>(schema: T, value: unknown): z.output<T> {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  const issue = error.issues[0]
  const param = pathText(issue?.path ?? [])
  const problem = issue ? problemOf(issue, valueAt(value, issue.path)) : 'is not valid'
  throw new AppError('invalid_input', `${param || 'the body'} ${problem}`, param ? { param } : {})
}

/** `attachments[0].name` */
function pathText(path: readonly PropertyKey[]): string {
  return path.map((key, at) => (typeof key === 'number' ? `[${key}]` : `${at > 0 ? '.' : ''}${String(key)}`)).join('')
}

/** Our schemas carry words for every fault of theirs; a wrong type has the same words everywhere. */
function problemOf(issue: z.core.$ZodIssue, given: unknown): string {
  if (issue.code !== 'invalid_type') return issue.message
  if (given === undefined) return 'is missing'
  return `must be ${kinds[issue.expected] ?? issue.expected}`
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value)
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  object: 'a JSON object',
  array: 'a list',
  boolean: 'true or false',
}
