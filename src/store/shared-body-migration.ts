// The migration for large bodies that a thread shares with its forks. `id` is the thread and seq where the body first
// stood, `user_id` the owner of that thread. An item that shares its body keeps the beginning of it. A replica of the
// previous version cannot read such a thread.

/** Changes of one version, as in migrations.ts. A landed version is never edited. */
export const shareBodies = [
  `ALTER TABLE items ADD COLUMN shared TEXT`,
  `CREATE TABLE shared_bodies (
      id TEXT PRIMARY KEY, user_id TEXT NOT NULL, refs BIGINT NOT NULL, bytes BIGINT NOT NULL, body TEXT NOT NULL
    )`,
  {
    sqlite: [
      `CREATE TRIGGER shared_bodies_go AFTER DELETE ON items WHEN OLD.shared IS NOT NULL BEGIN
          UPDATE shared_bodies SET refs = refs - 1 WHERE id = OLD.shared;
          DELETE FROM shared_bodies WHERE id = OLD.shared AND refs = 0;
        END`,
    ],
    postgres: [
      `CREATE FUNCTION release_shared_body() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          UPDATE shared_bodies SET refs = refs - 1 WHERE id = OLD.shared;
          DELETE FROM shared_bodies WHERE id = OLD.shared AND refs = 0;
          RETURN NULL;
        END $$`,
      `CREATE TRIGGER shared_bodies_go AFTER DELETE ON items FOR EACH ROW WHEN (OLD.shared IS NOT NULL)
         EXECUTE FUNCTION release_shared_body()`,
    ],
  },
]
