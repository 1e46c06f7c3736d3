// A fault in words; a bug travels on.
import { AppError } from '#core/errors.ts'
import { printable } from '#safety/printable.ts'

export function faultWords(error: unknown): string {
  if (error instanceof AppError) return printable(error.message)
  throw error
}
