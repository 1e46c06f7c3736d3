// A package that is not installed, told in one line: it can stop any part of the program, the teller of faults too.
import { inCheckout } from './checkout.ts'

/** The way out of an import that failed for want of a package; undefined for any other fault. */
export function missingPackage(error: unknown): string | undefined {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return undefined
  return `${/'([^']+)'/.exec(String(message))?.[1] ?? 'a package'} is missing: run npm ci in ${inCheckout()}`
}
