// The migration for the full-text index over threads. An indexer fills it behind the turns (`thread-index-store.ts`): a turn
// takes no further statement. Triggers put threads that were renamed or deleted on the indexer's list.

/** Changes of one version, as in migrations.ts. A landed version is never edited. */
export const addThreadIndex = [
  // Totals of each user. The number is the prefix of the user's terms in the index.
  `CREATE TABLE thread_index_owners (
    user_id TEXT PRIMARY KEY, number BIGINT NOT NULL UNIQUE, chunks BIGINT NOT NULL, terms BIGINT NOT NULL
  )`,
  // The seq up to which a thread is indexed, and the title that is.
  `CREATE TABLE indexed_threads (
    thread_id TEXT PRIMARY KEY, owner TEXT NOT NULL, through BIGINT NOT NULL, title TEXT
  ) WITHOUT ROWID`,
  // The indexer's list: it looks at a thread once the time has come.
  `CREATE TABLE threads_to_index (thread_id TEXT PRIMARY KEY, look_at BIGINT NOT NULL) WITHOUT ROWID`,
  `CREATE INDEX threads_to_index_by_time ON threads_to_index (look_at)`,
  // The ids of turns and threads up to which all were put on the list.
  `CREATE TABLE thread_index_cursors (name TEXT PRIMARY KEY, id TEXT NOT NULL) WITHOUT ROWID`,
  // A piece of a message, or of the title with the seq 0. Its text stands in the item.
  {
    sqlite: [
      `CREATE TABLE thread_chunks (
        id INTEGER PRIMARY KEY, thread_id TEXT NOT NULL, seq BIGINT NOT NULL, start BIGINT NOT NULL, chars BIGINT NOT NULL,
        size BIGINT NOT NULL
      )`,
      `CREATE VIRTUAL TABLE thread_terms USING fts5(
        title, body, extra, content='', contentless_delete=1, tokenize="ascii tokenchars ':~'"
      )`,
      `CREATE TRIGGER threads_renamed AFTER UPDATE OF title ON threads WHEN NEW.title <> OLD.title AND NEW.temporary = 0 BEGIN
        INSERT INTO threads_to_index (thread_id, look_at) VALUES (NEW.id, 0)
        ON CONFLICT (thread_id) DO UPDATE SET look_at = 0;
      END`,
      `CREATE TRIGGER threads_unindexed AFTER DELETE ON threads WHEN OLD.temporary = 0 BEGIN
        INSERT INTO threads_to_index (thread_id, look_at) VALUES (OLD.id, 0)
        ON CONFLICT (thread_id) DO UPDATE SET look_at = 0;
      END`,
    ],
    postgres: [
      `CREATE TABLE thread_chunks (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, thread_id TEXT COLLATE "C" NOT NULL, seq BIGINT NOT NULL,
        start BIGINT NOT NULL, chars BIGINT NOT NULL, size BIGINT NOT NULL, terms TSVECTOR NOT NULL
      )`,
      `CREATE INDEX thread_chunks_by_term ON thread_chunks USING gin (terms)`,
      `CREATE FUNCTION list_thread_to_index() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO threads_to_index (thread_id, look_at) VALUES (OLD.id, 0)
        ON CONFLICT (thread_id) DO UPDATE SET look_at = 0;
        RETURN NULL;
      END $$`,
      `CREATE TRIGGER threads_renamed AFTER UPDATE OF title ON threads FOR EACH ROW
       WHEN (NEW.title <> OLD.title AND NEW.temporary = 0) EXECUTE FUNCTION list_thread_to_index()`,
      `CREATE TRIGGER threads_unindexed AFTER DELETE ON threads FOR EACH ROW
       WHEN (OLD.temporary = 0) EXECUTE FUNCTION list_thread_to_index()`,
    ],
  },
  `CREATE UNIQUE INDEX thread_chunks_of_thread ON thread_chunks (thread_id, seq, start)`,
]
