// Access tokens: long random texts. Only a hash of them is stored.
import { hash, randomBytes } from 'node:crypto'

const tokenBytes = 32
/** Enough for a one-time code that is valid for minutes, and short enough for a link on one line. */
const codeBytes = 16

/** A new token. The receiver has the only copy. */
export function newToken(): string {
  return `atr_${randomBytes(tokenBytes).toString('base64url')}`
}

/** A new one-time code: short, since people copy or type it. */
export function newCode(): string {
  return `atr_${randomBytes(codeBytes).toString('base64url')}`
}

/** The hash that is stored and looked up in place of a token. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex')
}
