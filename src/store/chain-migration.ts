// The migration for replay chains: the histories that API clients have of threads.

/** Changes of one version, as in migrations.ts. A landed version is never edited. */
export const addChainPoints = [
  // `latest` marks the points of the turn that answered last.
  `CREATE TABLE chain_points (
    thread_id TEXT NOT NULL, turn_id TEXT NOT NULL, hash TEXT NOT NULL, user_id TEXT NOT NULL, seq BIGINT NOT NULL,
    latest BIGINT NOT NULL, PRIMARY KEY (thread_id, turn_id, hash)
  ) WITHOUT ROWID`,
  `CREATE INDEX chain_points_by_hash ON chain_points (user_id, hash, latest, thread_id)`,
  `CREATE INDEX chain_points_latest ON chain_points (thread_id) WHERE latest = 1`,
]

/**
 * A turn has the point behind its answer in its row: it is stored without a statement of its own, and in one B-tree instead
 * of three. The points from before stay where they are, by the part of the hash that is stored now.
 */
export const moveChainPoints = [
  `ALTER TABLE turns ADD COLUMN chain TEXT`,
  `CREATE INDEX turns_by_chain ON turns (user_id, chain, id) WHERE chain IS NOT NULL`,
  `UPDATE chain_points SET hash = substr(hash, 1, 22)`,
]
