// The database of an installation as it is: looking at it creates and changes nothing.
import { existsSync } from 'node:fs'
import type { Config } from '#config.ts'
import type { Store } from '#core/store.ts'
import { type Home, keyFile, masterKey, nextKey } from '#home.ts'
import { createSeal, type Seal } from '#lib/seal.ts'
import { inspectPostgres, inspectStore } from '#store/open-store.ts'

/** Placeholder when there is no key; no secret is read with it. */
const noKey = '0'.repeat(64)

export type Secret = (name: string) => Promise<string | undefined>
/** A database that is only read. It may have an earlier version. */
export type OpenedStore = {
  readonly store: Store
  readonly seal: Seal
  readonly version: number
  readonly secret: Secret
}

/** The database, if it exists: opening a SQLite file or reading the key would create them. */
export async function openExisting(home: Home, config: Config): Promise<OpenedStore | undefined> {
  const { databaseUrl: url } = config
  if (url === undefined && !existsSync(home.database)) return undefined
  const hasKey = config.masterKey !== undefined || existsSync(keyFile(home))
  const next = config.masterKey === undefined ? nextKey(home) : undefined
  const seal = createSeal(hasKey ? masterKey(home, config.masterKey) : noKey, ...(next === undefined ? [] : [next]))
  const { store, version } =
    url === undefined
      ? inspectStore({ path: home.database, seal, vectors: config.embedding !== undefined })
      : await inspectPostgres({ url, seal })
  if (version === 0) {
    await store.close()
    return undefined
  }
  return { store, seal, version, secret: (name) => (hasKey ? store.secrets.get(name) : Promise.resolve(undefined)) }
}
