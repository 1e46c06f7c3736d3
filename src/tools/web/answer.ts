// Shared by both web tools: the check of outgoing requests, and the media type of an answer.
import { AppError } from '#core/errors.ts'
import type { Fetched } from '#net/fetch.ts'
import { inPace } from '#lib/pace.ts'
import { type LeakScan, stopsIn } from '#safety/leaks.ts'

export type Answer = Extract<Fetched, { type: 'answer' }>

/** Throws tool_refused if a secret would go out. */
export async function checkOutgoing(texts: readonly string[], scan: LeakScan): Promise<void> {
  const leak = await inPace(stopsIn(scan, texts))
  if (leak) {
    throw refused(
      `the request carries a secret (${leak}): secrets only go out through an installed tool that declares them`,
    )
  }
}

/** The media type of an answer, in lower case and without parameters. */
export function typeOf({ headers }: Answer): string {
  return (headers.get('content-type') ?? '').split(';', 1).join('').trim().toLowerCase()
}

export function refused(message: string, cause?: unknown): AppError {
  return new AppError('tool_refused', message, { cause })
}
