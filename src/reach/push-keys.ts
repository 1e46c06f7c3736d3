// The VAPID keys of this installation: made with the first look at them, sealed in the database, and never changed, since
// every subscription of a browser is bound to them.
import { createECDH } from 'node:crypto'
import type { NotificationStore } from '#core/notification.ts'
import { loadOnce } from '#lib/load-once.ts'

/** A P-256 key pair; both parts in base64url, the public one uncompressed. */
export type PushKeys = { readonly publicKey: string; readonly privateKey: string }

const keyName = 'vapid'
const privateKeyBytes = 32

/** Reads the keys once; of several processes that make some the first wins. */
export function createPushKeys(store: Pick<NotificationStore, 'kept' | 'keepOnce'>): () => Promise<PushKeys> {
  return loadOnce(() => read(store))
}

async function read(store: Pick<NotificationStore, 'kept' | 'keepOnce'>): Promise<PushKeys> {
  const stored = (await store.kept(keyName)) ?? (await store.keepOnce(keyName, JSON.stringify(makeKeys())))
  return JSON.parse(stored) as PushKeys
}

function makeKeys(): PushKeys {
  const curve = createECDH('prime256v1')
  const publicKey = curve.generateKeys().toString('base64url')
  // The number may begin with zeros, which Node leaves out.
  const secret = curve.getPrivateKey()
  const privateKey = Buffer.concat([Buffer.alloc(privateKeyBytes - secret.length), secret]).toString('base64url')
  return { publicKey, privateKey }
}
