// Pairing codes: a private chat that sends one is bound to the user it was made for.
import { randomInt } from 'node:crypto'
import type { PairingCode } from '#core/channel.ts'
import type { Door } from '#core/doors.ts'
import type { UserId } from '#core/ids.ts'
import { hashToken } from '#lib/token.ts'

/** How long a code can be used. */
export const codeMs = 10 * 60 * 1000
/** Letters and digits that nobody takes for another: people may type a code. */
const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
/** 60 bits: nobody guesses one within ten minutes. */
const codeLength = 12
const maxCodeChars = 64

export function newPairingCode(channel: Door, user: UserId, now: number): { code: string; stored: PairingCode } {
  const code = Array.from({ length: codeLength }, () => letters[randomInt(letters.length)]).join('')
  return { code, stored: { channel, user, hash: codeHash(code), endsAt: now + codeMs } }
}

/** The hash that a code is looked up by. Case does not matter. */
export function codeHash(code: string): string {
  return hashToken(code.slice(0, maxCodeChars).toUpperCase())
}
