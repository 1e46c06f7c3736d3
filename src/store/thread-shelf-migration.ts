// The migration for threads that are pinned to the top of the list, or archived out of it.

/** Changes of one version, as in migrations.ts. A landed version is never edited. */
export const addThreadShelves = [
  // When a thread was pinned. It is not its place by use, so a turn does not write the index.
  `ALTER TABLE threads ADD COLUMN pinned_at BIGINT`,
  `ALTER TABLE threads ADD COLUMN archived BIGINT NOT NULL DEFAULT 0`,
  `CREATE INDEX threads_pinned ON threads (user_id, pinned_at) WHERE pinned_at IS NOT NULL`,
  `CREATE INDEX threads_pinned_operator_reaches ON threads (pinned_at) WHERE pinned_at IS NOT NULL AND operator_reaches = 1`,
  // A list passes by what is archived without reading it.
  `DROP INDEX threads_by_user`,
  `CREATE INDEX threads_by_user ON threads (user_id, temporary, archived, last_turn)`,
  `DROP INDEX threads_operator_reaches`,
  `CREATE INDEX threads_operator_reaches ON threads (archived, last_turn) WHERE operator_reaches = 1`,
]
