// The migration for documents of memory, their chunks and the full-text index over them.

/** Changes of one version, as in migrations.ts. A landed version is never edited. */
export const addDocuments = [
  `CREATE TABLE document_owners (
      user_id TEXT PRIMARY KEY, number BIGINT NOT NULL UNIQUE, documents BIGINT NOT NULL, bytes BIGINT NOT NULL,
      chunks BIGINT NOT NULL, terms BIGINT NOT NULL
    )`,
  `CREATE TABLE documents (
      user_id TEXT NOT NULL, path TEXT NOT NULL, bytes BIGINT NOT NULL, author TEXT NOT NULL, untrusted BIGINT NOT NULL,
      revision BIGINT NOT NULL, chunks BIGINT NOT NULL, terms BIGINT NOT NULL, created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL, PRIMARY KEY (user_id, path)
    ) WITHOUT ROWID`,
  {
    sqlite: [
      `CREATE TABLE chunks (
          id INTEGER PRIMARY KEY, user_id TEXT NOT NULL, path TEXT NOT NULL, at BIGINT NOT NULL, lap BIGINT NOT NULL,
          size BIGINT NOT NULL, text TEXT NOT NULL
        )`,
      `CREATE VIRTUAL TABLE chunk_terms USING fts5(
          title, body, extra, content='', contentless_delete=1, tokenize="ascii tokenchars ':~'"
        )`,
    ],
    postgres: [
      `CREATE TABLE chunks (
          id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, user_id TEXT COLLATE "C" NOT NULL,
          path TEXT COLLATE "C" NOT NULL, at BIGINT NOT NULL, lap BIGINT NOT NULL, size BIGINT NOT NULL,
          text TEXT NOT NULL, terms TSVECTOR NOT NULL
        )`,
      `CREATE INDEX chunks_by_term ON chunks USING gin (terms)`,
    ],
  },
  `CREATE UNIQUE INDEX chunks_of_document ON chunks (user_id, path, at)`,
]
