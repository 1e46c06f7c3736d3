// One database that climbs from the first version to the newest: each test leaves rows at its version, and looks at them
// once all have arrived. All migrations run once, where a database for each test would run them again and again.
import { after, test, type TestContext } from 'node:test'
import type { Store } from '#core/store.ts'
import { migrations } from '#store/migrations.ts'
import type { OldDatabase, OpenVersion } from './versions.ts'

type Seed = (old: OldDatabase, version: number) => Promise<unknown>

/**
 * A test of rows from an earlier version, which has users and ids of its own: other tests have rows in the same tables.
 * Without `seed` the database has nothing yet of what is tested.
 */
export type ClimbTest = (
  name: string,
  version: number,
  parts: { readonly seed?: Seed; readonly check: (store: Store, old: OldDatabase, t: TestContext) => Promise<void> },
) => void

/** `everywhere` leaves rows at every version. */
export function createClimb(openVersion: OpenVersion, everywhere: Seed): ClimbTest {
  const seeds: { readonly version: number; readonly seed: Seed }[] = []
  const ends: (() => unknown)[] = []
  let arrived: Promise<{ old: OldDatabase; store: Store }> | undefined
  after(async () => {
    for (const end of ends.toReversed()) await end()
  })

  async function climb(): Promise<{ old: OldDatabase; store: Store }> {
    const old = await openVersion({ after: (end) => ends.push(end) }, 1)
    for (let version = 1; version <= migrations.length; version++) {
      await old.migrate(version)
      await everywhere(old, version)
      for (const each of seeds) if (each.version === version) await each.seed(old, version)
    }
    return { old, store: await old.upgrade() }
  }

  return (name, version, { seed, check }) => {
    if (seed) seeds.push({ version, seed })
    test(name, async (t) => {
      const { old, store } = await (arrived ??= climb())
      await check(store, old, t)
    })
  }
}

/** A thread in the columns that every version has. */
export function addThread(
  old: OldDatabase,
  { id, user, door = 'web', title = '', lastSeq = 0, lastTurn = id }: OldThread,
): Promise<unknown> {
  return old.run(
    `INSERT INTO threads (id, user_id, door, title, created_at, updated_at, last_seq, last_turn)
     VALUES (?, ?, ?, ?, 1, 1, ?, ?)`,
    id,
    user,
    door,
    title,
    lastSeq,
    lastTurn,
  )
}

type OldThread = {
  readonly id: string
  readonly user: string
  readonly door?: string
  readonly title?: string
  readonly lastSeq?: number
  readonly lastTurn?: string
}

/** The totals of a user's documents. Each user has another number. */
export function addOwner(
  old: OldDatabase,
  user: string,
  { number, bytes = 7, chunks = 0 }: OldOwner,
): Promise<unknown> {
  return old.run(
    `INSERT INTO document_owners (user_id, number, documents, bytes, chunks, terms) VALUES (?, ?, 1, ?, ?, ?)`,
    user,
    number,
    bytes,
    chunks,
    chunks,
  )
}

type OldOwner = { readonly number: number; readonly bytes?: number; readonly chunks?: number }
