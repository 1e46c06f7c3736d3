// The error for a package that is not installed. It has few imports, since a missing package can break any of them.
import { inCheckout } from './checkout.ts'

/** The message for an import of a package that is not installed; undefined for any other error. */
export function missingPackage(error: unknown): string | undefined {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return undefined
  return `${/'([^']+)'/.exec(String(message))?.[1] ?? 'a package'} is missing: run npm ci in ${inCheckout()}`
}
