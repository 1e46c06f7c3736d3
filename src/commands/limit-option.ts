// The `--limit` of commands that list.
import { AppError } from '#core/errors.ts'

/** Throws invalid_input for anything but a whole number from 1 to `max`. */
export function readLimit(text: string, max: number): number {
  const limit = Number(text)
  if (/^\d+$/.test(text) && limit >= 1 && limit <= max) return limit
  throw new AppError('invalid_input', `--limit takes a whole number from 1 to ${max}, not ${text}`)
}
