// Reads required fields of a request body. Both functions throw invalid_input.
import { wrongField } from '#core/errors.ts'
import { isObject } from '#core/json.ts'

export function textIn(body: unknown, name: string): string {
  const value = isObject(body) ? body[name] : undefined
  if (typeof value === 'string') return value
  throw wrongField(name, 'must be a string')
}

export function numberIn(body: unknown, name: string): number {
  const value = isObject(body) ? body[name] : undefined
  if (typeof value === 'number') return value
  throw wrongField(name, 'must be a number')
}
