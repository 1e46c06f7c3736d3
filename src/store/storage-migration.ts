// The migration that counts what each user stores: threads (items, texts of turns, and 500 bytes for each row), shared
// bodies and documents. Triggers add them up, so that storing takes no further statement, and nothing that deletes can
// forget it.

/** Changes of one version, as in migrations.ts. A landed version is never edited. */
export const countStorage = [
  `ALTER TABLE threads ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0`,
  `CREATE TABLE storage (
    user_id TEXT NOT NULL, slot BIGINT NOT NULL, bytes BIGINT NOT NULL, PRIMARY KEY (user_id, slot)
  ) WITHOUT ROWID`,
  `UPDATE threads SET bytes =
     COALESCE((SELECT sum(500 + CASE WHEN shared IS NULL THEN octet_length(body) ELSE 0 END)
               FROM items WHERE thread_id = threads.id), 0)
     + COALESCE((SELECT sum(500 + COALESCE(octet_length(options), 0) + COALESCE(octet_length(input), 0))
                 FROM turns WHERE thread_id = threads.id), 0)`,
  {
    sqlite: [
      `INSERT INTO storage (user_id, slot, bytes) SELECT user_id, 0, sum(bytes) FROM (
         SELECT user_id, bytes FROM threads UNION ALL SELECT user_id, bytes FROM shared_bodies
         UNION ALL SELECT user_id, bytes FROM document_owners
       ) AS parts GROUP BY user_id`,
      ...['threads', 'shared_bodies', 'document_owners'].flatMap((table) => [
        `CREATE TRIGGER ${table}_stored AFTER INSERT ON ${table} BEGIN
          INSERT INTO storage (user_id, slot, bytes) VALUES (NEW.user_id, 0, NEW.bytes)
          ON CONFLICT (user_id, slot) DO UPDATE SET bytes = storage.bytes + excluded.bytes;
        END`,
        `CREATE TRIGGER ${table}_changed AFTER UPDATE OF bytes ON ${table} WHEN NEW.bytes <> OLD.bytes BEGIN
          UPDATE storage SET bytes = bytes + NEW.bytes - OLD.bytes WHERE user_id = NEW.user_id AND slot = 0;
        END`,
        `CREATE TRIGGER ${table}_deleted AFTER DELETE ON ${table} BEGIN
          UPDATE storage SET bytes = bytes - OLD.bytes WHERE user_id = OLD.user_id AND slot = 0;
        END`,
      ]),
    ],
    // Threads count in different slots, so that concurrent turns of a user rarely wait for each other.
    postgres: [
      `INSERT INTO storage (user_id, slot, bytes) SELECT user_id, slot, sum(bytes) FROM (
         SELECT user_id, hashtext(id) & 15 AS slot, bytes FROM threads
         UNION ALL SELECT user_id, 0, bytes FROM shared_bodies UNION ALL SELECT user_id, 0, bytes FROM document_owners
       ) AS parts GROUP BY user_id, slot`,
      `CREATE FUNCTION count_storage() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE of_slot BIGINT := 0;
      BEGIN
        IF TG_TABLE_NAME = 'threads' THEN of_slot := hashtext(COALESCE(NEW.id, OLD.id)) & 15; END IF;
        IF TG_OP = 'INSERT' THEN
          INSERT INTO storage (user_id, slot, bytes) VALUES (NEW.user_id, of_slot, NEW.bytes)
          ON CONFLICT (user_id, slot) DO UPDATE SET bytes = storage.bytes + excluded.bytes;
        ELSIF TG_OP = 'UPDATE' THEN
          UPDATE storage SET bytes = bytes + NEW.bytes - OLD.bytes WHERE user_id = NEW.user_id AND slot = of_slot;
        ELSE
          UPDATE storage SET bytes = bytes - OLD.bytes WHERE user_id = OLD.user_id AND slot = of_slot;
        END IF;
        RETURN NULL;
      END $$`,
      ...['threads', 'shared_bodies', 'document_owners'].flatMap((table) => [
        `CREATE TRIGGER ${table}_stored AFTER INSERT OR DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION count_storage()`,
        `CREATE TRIGGER ${table}_changed AFTER UPDATE OF bytes ON ${table} FOR EACH ROW WHEN (NEW.bytes <> OLD.bytes)
         EXECUTE FUNCTION count_storage()`,
      ]),
    ],
  },
]
