// The migration that adds skills: their files, the contents of these by hash, and what users have switched off. Triggers
// count the bytes of a skill, as for everything else that a user stores.

/** Changes of one version, as in migrations.ts. A landed version is never edited. */
export const addSkills = [
  `CREATE TABLE skills (
    user_id TEXT NOT NULL, name TEXT NOT NULL, author TEXT NOT NULL, head TEXT NOT NULL, findings TEXT NOT NULL,
    bytes BIGINT NOT NULL, updated_at BIGINT NOT NULL, PRIMARY KEY (user_id, name)
  ) WITHOUT ROWID`,
  `CREATE TABLE skill_files (
    user_id TEXT NOT NULL, name TEXT NOT NULL, path TEXT NOT NULL, hash TEXT NOT NULL, bytes BIGINT NOT NULL,
    untrusted BIGINT NOT NULL, PRIMARY KEY (user_id, name, path)
  ) WITHOUT ROWID`,
  `CREATE INDEX skill_files_by_hash ON skill_files (user_id, hash)`,
  `CREATE TABLE skill_contents (
    user_id TEXT NOT NULL, hash TEXT NOT NULL, content BLOB NOT NULL, PRIMARY KEY (user_id, hash)
  )`,
  `CREATE TABLE skill_switches (user_id TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (user_id, name)) WITHOUT ROWID`,
  {
    sqlite: [
      `CREATE TRIGGER skills_stored AFTER INSERT ON skills BEGIN
        INSERT INTO storage (user_id, slot, bytes) VALUES (NEW.user_id, 0, NEW.bytes)
        ON CONFLICT (user_id, slot) DO UPDATE SET bytes = storage.bytes + excluded.bytes;
      END`,
      `CREATE TRIGGER skills_changed AFTER UPDATE OF bytes ON skills WHEN NEW.bytes <> OLD.bytes BEGIN
        UPDATE storage SET bytes = bytes + NEW.bytes - OLD.bytes WHERE user_id = NEW.user_id AND slot = 0;
      END`,
      `CREATE TRIGGER skills_deleted AFTER DELETE ON skills BEGIN
        UPDATE storage SET bytes = bytes - OLD.bytes WHERE user_id = OLD.user_id AND slot = 0;
      END`,
    ],
    postgres: [
      `CREATE TRIGGER skills_stored AFTER INSERT OR DELETE ON skills FOR EACH ROW EXECUTE FUNCTION count_storage()`,
      `CREATE TRIGGER skills_changed AFTER UPDATE OF bytes ON skills FOR EACH ROW WHEN (NEW.bytes <> OLD.bytes)
       EXECUTE FUNCTION count_storage()`,
    ],
  },
]
