// What both tools of the web do alike: look at what goes out, and at what an answer is.
import { AppError } from '#core/errors.ts'
import type { Fetched } from '#net/fetch.ts'
import { type LeakScan, stopsIn } from '#safety/leaks.ts'

export type Answer = Extract<Fetched, { type: 'answer' }>

/** Throws when a secret would go out. */
export function checkOutgoing(texts: readonly string[], scan: LeakScan): void {
  const leak = stopsIn(scan, texts)
  if (leak) {
    throw refused(`the request carries a secret (${leak}): they only go out by an installed tool that declares them`)
  }
}

/** The media type of an answer alone, in lower case. */
export function typeOf({ headers }: Answer): string {
  return (headers.get('content-type') ?? '').split(';', 1).join('').trim().toLowerCase()
}

export function refused(message: string, cause?: unknown): AppError {
  return new AppError('tool_refused', message, { cause })
}
