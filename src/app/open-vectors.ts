// Vectors for memory search. Without a configured embedding model, none of its modules are loaded.
import type { Config } from '#config.ts'
import { firstSecret } from '#core/secret.ts'
import type { Store } from '#core/store.ts'
import type { Log } from '#lib/log.ts'
import type { Embed } from '#memory/embed.ts'
import type { SemanticSearch } from '#memory/semantic-search.ts'

export type Vectors = {
  /** Absent when the database cannot compare vectors: memory is then searched by words alone. */
  readonly semanticSearch?: SemanticSearch
  /** Why it is absent. */
  readonly lacks?: string
  /** Calls the embedding model once. Throws AppError. */
  readonly embed: Embed
  /** A document was written: makes its vectors soon. */
  wake(): void
  close(): Promise<void>
}

export type VectorsParts = {
  readonly config: Config
  readonly store: Store
  readonly log: Log
  /** The id of this process. Without it no vectors are made here. */
  readonly owner?: string
}

export async function openVectors({ config, store, log, owner }: VectorsParts): Promise<Vectors | undefined> {
  const { embedding } = config
  if (!embedding) return undefined
  const [{ createEmbed }, { createSemanticSearch }, { createVectorMaker }] = await Promise.all([
    import('#memory/embed.ts'),
    import('#memory/semantic-search.ts'),
    import('#memory/vector-maker.ts'),
  ])
  const client = createEmbed({
    model: embedding.model,
    baseUrl: embedding.baseUrl,
    proxy: config.proxy,
    keyName: embedding.keys.at(-1) ?? '',
    key: async () =>
      embedding.apiKey ?? (await firstSecret(embedding.keys, (name) => store.secrets.get(name)))?.value ?? '',
  })
  const { embed } = client
  const lacks = await store.vectors.prepare()
  if (lacks !== undefined) {
    if (owner !== undefined) log.warn({}, `memory is searched by words alone: ${lacks}`)
    return { lacks, embed, wake: () => {}, close: () => client.close() }
  }
  // Vectors can be compared only when both the model's name and its server are the same.
  const model = `${embedding.provider} ${embedding.baseUrl} ${embedding.model}`
  const { vectors, leases } = store
  const maker =
    owner === undefined ? undefined : createVectorMaker({ store: vectors, leases, embed, model, owner, log })
  return {
    embed,
    semanticSearch: createSemanticSearch({ store: vectors, embed, model, log }),
    wake: () => maker?.wake(),
    async close() {
      await maker?.stop()
      await client.close()
    },
  }
}
