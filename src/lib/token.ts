// Access tokens: long random texts, of which only a hash is kept.
import { hash, randomBytes } from 'node:crypto'

const tokenBytes = 32
/** Enough for what is good once and for minutes, and short enough for a link to stay in one line. */
const codeBytes = 16

/** A new token; whoever gets it is the only one who has it. */
export function newToken(): string {
  return `atr_${randomBytes(tokenBytes).toString('base64url')}`
}

/** A new code that is good once: short, since it is read, copied or typed. */
export function newCode(): string {
  return `atr_${randomBytes(codeBytes).toString('base64url')}`
}

/** What is stored and looked up in place of a token. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex')
}
