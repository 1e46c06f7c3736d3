// Checks hostile JSON by schema: every fault is reported with its path, every unknown key is a warning.
import * as z from 'zod/mini'
import { isDeeperThan, isObject } from '#core/json.ts'

export type Checked<T> =
  | { readonly data: T; readonly warnings: readonly string[] }
  | { readonly faults: readonly string[] }

const maxEntries = 200
const maxTextChars = 4_096
/** Deeper than any file or schema needs. */
const maxDepth = 50

/** Checks a value by a schema of strict objects. Unknown keys are deleted from `value` and reported as warnings. */
export function readChecked<T>(schema: z.ZodMiniType<T>, value: unknown): Checked<T> {
  if (isTooDeep(value)) return { faults: ['the file nests too deep'] }
  const first = z.safeParse(schema, value)
  if (first.success) return { data: first.data, warnings: [] }
  const unknown = first.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => ({ path: issue.path, key })) : [],
  )
  for (const { path, key } of unknown) dropKey(value, path, key)
  const second = z.safeParse(schema, value)
  const warnings = unknown.map(({ path, key }) => `${showPath([...path, key])} is unknown and is ignored`)
  if (second.success) return { data: second.data, warnings }
  return { faults: second.error.issues.map(({ path, message }) => faultAt(showPath(path), message)) }
}

/** A text that is not empty and matches the pattern. The example is for the error message. */
export function text({ pattern, example }: { pattern?: RegExp; example?: string } = {}) {
  const suchAs = example === undefined ? '' : ` such as ${example}`
  const error = `must be a text${suchAs}`
  return z
    .string({ error })
    .check(
      z.minLength(1, { error, abort: true }),
      z.maxLength(maxTextChars, { error: `is longer than ${maxTextChars} characters`, abort: true }),
      z.regex(pattern ?? /^/, { error: `is not valid: write it${suchAs}` }),
    )
}

export function integer(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`
  return z.int({ error }).check(z.minimum(min, { error }), z.maximum(max, { error }))
}

export function flag() {
  return z.boolean({ error: 'must be true or false' })
}

/** An object that refuses unknown keys. */
export function fields<Shape extends z.core.$ZodShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? undefined : 'must be an object'),
  })
}

export function list<T extends z.ZodMiniType>(each: T) {
  return z
    .array(each, { error: 'must be an array' })
    .check(z.maxLength(maxEntries, { error: `has more than ${maxEntries} entries` }))
}

/** An object with any keys. */
export function entries<T extends z.ZodMiniType>(each: T) {
  return z
    .record(z.string(), each, { error: 'must be an object' })
    .check(z.refine((map) => Object.keys(map).length <= maxEntries, { error: `has more than ${maxEntries} entries` }))
}

/** True for JSON that nests deeper than any schema needs. */
export function isTooDeep(value: unknown): boolean {
  return isDeeperThan(maxDepth, value)
}

function dropKey(value: unknown, path: readonly PropertyKey[], key: string): void {
  const parent = path.reduce<unknown>((at, each) => (typeof at === 'object' && at ? Reflect.get(at, each) : at), value)
  if (isObject(parent)) Reflect.deleteProperty(parent, key)
}

function faultAt(path: string, message: string): string {
  if (path === '') return `the file ${message}`
  return message.startsWith(':') ? `${path}${message}` : `${path} ${message}`
}

function showPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((whole, key) => {
    if (typeof key === 'number') return `${whole}[${key}]`
    const name = String(key)
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return `${whole}[${JSON.stringify(name.slice(0, 60))}]`
    return whole === '' ? name : `${whole}.${name}`
  }, '')
}
