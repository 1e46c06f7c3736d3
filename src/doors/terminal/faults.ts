// The text of an AppError for the screen. Any other error is a bug and is thrown again.
import { AppError } from '#core/errors.ts'
import { printable } from '#safety/printable.ts'

export function faultWords(error: unknown): string {
  if (error instanceof AppError) return printable(error.message)
  throw error
}
