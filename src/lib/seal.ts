// Encrypts secrets at rest with AES-256-GCM. The name is bound to the value, so that rows cannot be swapped.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const ivBytes = 12
const tagBytes = 16

export interface Seal {
  seal(name: string, value: string): string
  /** Throws if the text was changed, moved to another name, or sealed under another key. */
  open(name: string, sealed: string): string
  /** A key of its own for another purpose: it tells nothing of the one that seals. */
  keyFor(purpose: string): Uint8Array
}

/** Seals under a key of 64 hex digits. Opens values sealed under `others` too, since a key change may be half done. */
export function createSeal(keyHex: string, ...others: readonly string[]): Seal {
  const [key, ...more] = [keyHex, ...others].map((each) => sealUnder(Buffer.from(each, 'hex'))) as [Seal, ...Seal[]]
  return {
    seal: (name, value) => key.seal(name, value),
    keyFor: (purpose) => key.keyFor(purpose),
    open(name, sealed) {
      try {
        return key.open(name, sealed)
      } catch (error) {
        for (const other of more) {
          try {
            return other.open(name, sealed)
          } catch {}
        }
        throw error
      }
    },
  }
}

function sealUnder(key: Buffer): Seal {
  return {
    seal(name, value) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: tagBytes })
      cipher.setAAD(Buffer.from(name, 'utf8'))
      const body = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64')
    },
    open(name, sealed) {
      const bytes = Buffer.from(sealed, 'base64')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
      decipher.setAAD(Buffer.from(name, 'utf8'))
      decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
      return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString('utf8')
    },
    keyFor: (purpose) => new Uint8Array(hkdfSync('sha256', key, '', purpose, 32)),
  }
}
