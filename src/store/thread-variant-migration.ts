// The migration for forks that know where they come from, and for the variants of a conversation.

/** Changes of one version, as in migrations.ts. A landed version is never edited. */
export const addThreadVariants = [
  // The thread that this one was forked from, and the seq before which; null for a thread that is no fork.
  `ALTER TABLE threads ADD COLUMN forked_from TEXT`,
  `ALTER TABLE threads ADD COLUMN forked_at BIGINT`,
  // How many forks were made: their titles are numbered.
  `ALTER TABLE threads ADD COLUMN forks BIGINT NOT NULL DEFAULT 0`,
  // The first thread of a conversation with variants; null without any. `archived` is 2 for those that are not shown.
  `ALTER TABLE threads ADD COLUMN family TEXT`,
  `CREATE INDEX threads_by_family ON threads (family, id) WHERE family IS NOT NULL`,
]
