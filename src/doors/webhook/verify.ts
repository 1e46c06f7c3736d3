// Authentication of webhook requests: the shared secret in a header, or an HMAC signature of the body.
import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

const signature = /^sha256=([0-9a-f]{64})$/i

/** How a request has proved that its sender knows the secret. */
export type Proof = 'secret' | 'signature'

export interface Verifier {
  /** Undefined when neither the secret nor, in its absence, a signature of this body is valid. */
  verify(headers: IncomingHttpHeaders, body?: Buffer): Proof | undefined
}

export function createVerifier(secret: string): Verifier {
  const expected = digest(secret)
  return {
    verify(headers, body) {
      const sent = headers['x-webhook-secret']
      // Comparing digests takes the same time for any input. A valid signature does not make up for a wrong secret.
      if (sent !== undefined) {
        return typeof sent === 'string' && timingSafeEqual(digest(sent), expected) ? 'secret' : undefined
      }
      return body && isSigned(headers['x-hub-signature-256'], body, secret) ? 'signature' : undefined
    },
  }
}

function isSigned(header: string | string[] | undefined, body: Buffer, secret: string): boolean {
  const hex = typeof header === 'string' ? signature.exec(header)?.[1] : undefined
  if (hex === undefined) return false
  return timingSafeEqual(Buffer.from(hex, 'hex'), createHmac('sha256', secret).update(body).digest())
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
