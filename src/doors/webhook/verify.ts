// Who may come in: the shared secret in a header, or a signature of the body made with it.
import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

const signature = /^sha256=([0-9a-f]{64})$/i

/** How a request has shown that it comes from somebody who has the secret. */
export type Proof = 'secret' | 'signature'

export interface Verifier {
  /** What the headers show: the secret or, in its place, the signature of this body; undefined when neither. */
  verify(headers: IncomingHttpHeaders, body?: Buffer): Proof | undefined
}

export function createVerifier(secret: string): Verifier {
  const expected = digest(secret)
  return {
    verify(headers, body) {
      const given = headers['x-webhook-secret']
      // Digests have one length, so the comparison takes one time whatever was sent. A wrong secret is not healed.
      if (given !== undefined) {
        return typeof given === 'string' && timingSafeEqual(digest(given), expected) ? 'secret' : undefined
      }
      return body && isSigned(headers['x-hub-signature-256'], body, secret) ? 'signature' : undefined
    },
  }
}

function isSigned(given: string | string[] | undefined, body: Buffer, secret: string): boolean {
  const hex = typeof given === 'string' ? signature.exec(given)?.[1] : undefined
  if (hex === undefined) return false
  return timingSafeEqual(Buffer.from(hex, 'hex'), createHmac('sha256', secret).update(body).digest())
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
