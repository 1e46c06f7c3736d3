// Reading the fields of a request.
import { AppError } from '#core/errors.ts'
import { isObject } from '#core/json.ts'

/** A field that must be a text. */
export function textIn(body: unknown, name: string): string {
  const value = isObject(body) ? body[name] : undefined
  if (typeof value === 'string') return value
  throw new AppError('invalid_input', `${name} must be a string`, { param: name })
}

/** A field that must be a number. */
export function numberIn(body: unknown, name: string): number {
  const value = isObject(body) ? body[name] : undefined
  if (typeof value === 'number') return value
  throw new AppError('invalid_input', `${name} must be a number`, { param: name })
}
