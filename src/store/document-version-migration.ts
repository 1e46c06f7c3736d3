// The migration for earlier versions of documents. They count in what a user stores, as documents do.

const stored = `INSERT INTO storage (user_id, slot, bytes) VALUES (NEW.user_id, 0, NEW.bytes)
  ON CONFLICT (user_id, slot) DO UPDATE SET bytes = storage.bytes + excluded.bytes`

/** Changes of one version, as in migrations.ts. A landed version is never edited. */
export const addDocumentVersions = [
  `CREATE TABLE document_versions (
    user_id TEXT NOT NULL, path TEXT NOT NULL, revision BIGINT NOT NULL, author TEXT NOT NULL, untrusted BIGINT NOT NULL,
    bytes BIGINT NOT NULL, written_at BIGINT NOT NULL, content TEXT NOT NULL, PRIMARY KEY (user_id, path, revision)
  )`,
  {
    sqlite: [
      `CREATE TRIGGER document_versions_stored AFTER INSERT ON document_versions BEGIN ${stored}; END`,
      `CREATE TRIGGER document_versions_deleted AFTER DELETE ON document_versions BEGIN
        UPDATE storage SET bytes = bytes - OLD.bytes WHERE user_id = OLD.user_id AND slot = 0;
      END`,
    ],
    postgres: [
      `CREATE TRIGGER document_versions_stored AFTER INSERT OR DELETE ON document_versions FOR EACH ROW
       EXECUTE FUNCTION count_storage()`,
    ],
  },
]
