// What both tools of the web do alike: look at what goes out, and at what an answer is.
import { AppError } from '#core/errors.ts'
import type { Fetched } from '#net/fetch.ts'
import { findSecrets } from '#safety/secrets.ts'

export type Answer = Extract<Fetched, { type: 'answer' }>

/** Throws when something in the shape of a credential would go out. */
export function checkOutgoing(texts: readonly string[]): void {
  const [leak] = texts.flatMap((text) => [...findSecrets(text), ...findSecrets(decoded(text))])
  if (leak) {
    throw refused(`the request carries ${leak}: secrets only go out through an installed tool that declares them`)
  }
}

/** The media type of an answer alone, in lower case. */
export function typeOf({ headers }: Answer): string {
  return (headers.get('content-type') ?? '').split(';', 1).join('').trim().toLowerCase()
}

/** The host of an address, with its port where that is not the usual one; none of what is no address. */
export function hostsOf(url: string): string[] {
  const host = URL.parse(url)?.host
  return host ? [host] : []
}

export function refused(message: string, cause?: unknown): AppError {
  return new AppError('tool_refused', message, { cause })
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
