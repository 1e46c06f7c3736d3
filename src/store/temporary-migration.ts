// The migration for temporary threads: they and their turns stay out of lists, and are erased a day after their last turn.

/** Changes of one version, as in migrations.ts. A landed version is never edited. */
export const addTemporaryThreads = [
  `ALTER TABLE threads ADD COLUMN temporary BIGINT NOT NULL DEFAULT 0`,
  `ALTER TABLE turns ADD COLUMN temporary BIGINT NOT NULL DEFAULT 0`,
  // Lists pass by what is temporary without reading it, however much a client sends in a day.
  `DROP INDEX threads_by_user`,
  `CREATE INDEX threads_by_user ON threads (user_id, temporary, last_turn)`,
  `DROP INDEX turns_by_user`,
  `CREATE INDEX turns_by_user ON turns (user_id, temporary, id)`,
  `CREATE INDEX threads_temporary ON threads (updated_at) WHERE temporary = 1`,
]
