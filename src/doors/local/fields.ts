// Reads required fields of a request body. Both functions throw invalid_input.
import { AppError } from '#core/errors.ts'
import { isObject } from '#core/json.ts'

export function textIn(body: unknown, name: string): string {
  const value = isObject(body) ? body[name] : undefined
  if (typeof value === 'string') return value
  throw new AppError('invalid_input', `${name} must be a string`, { param: name })
}

export function numberIn(body: unknown, name: string): number {
  const value = isObject(body) ? body[name] : undefined
  if (typeof value === 'number') return value
  throw new AppError('invalid_input', `${name} must be a number`, { param: name })
}
