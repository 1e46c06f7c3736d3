// Access tokens: long random texts, of which only a hash is kept.
import { hash, randomBytes } from 'node:crypto'

const tokenBytes = 32

/** A new token; whoever gets it is the only one who has it. */
export function newToken(): string {
  return `atr_${randomBytes(tokenBytes).toString('base64url')}`
}

/** What is stored and looked up in place of a token. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex')
}
