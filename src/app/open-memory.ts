// Opens memory: the users' documents, their vectors if an embedding model is configured, and the agent's identity files.
import type { Config } from '#config.ts'
import type { Bus } from '#core/bus.ts'
import type { Store } from '#core/store.ts'
import type { Log } from '#lib/log.ts'
import { createDocuments, type Documents } from '#memory/documents.ts'
import { createIdentity, type Identity } from '#memory/identity.ts'
import { openVectors } from './open-vectors.ts'

export type Memory = {
  readonly documents: Documents
  readonly identity: Identity
  close(): Promise<void>
}

export type MemoryParts = {
  readonly config: Config
  readonly store: Store
  readonly bus: Pick<Bus, 'onSignal'>
  /** The id of this process, which makes vectors. */
  readonly owner: string
  readonly log: Log
}

export async function openMemory({ config, store, bus, owner, log }: MemoryParts): Promise<Memory> {
  const identity = createIdentity({ store: store.documents })
  const vectors = await openVectors({ config, store, log, owner })
  const documents = createDocuments({
    store: store.documents,
    semanticSearch: vectors?.semanticSearch,
    onWrite: (user) => {
      identity.forget(user)
      vectors?.wake()
    },
  })
  bus.onSignal((signal) => {
    if (signal.type === 'identity') identity.forget(signal.user)
  })
  return { documents, identity, close: async () => vectors?.close() }
}
