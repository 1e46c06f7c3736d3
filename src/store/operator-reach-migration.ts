// The migration that stores whether the operator reaches a row besides its user.

/** Changes of one version, as in migrations.ts. A landed version is never edited. */
export const storeOperatorReach = [
  // Whether the operator reaches a row besides its user. It is a property of the door, stored so that no index names a door.
  `ALTER TABLE threads ADD COLUMN operator_reaches BIGINT NOT NULL DEFAULT 0`,
  `ALTER TABLE turns ADD COLUMN operator_reaches BIGINT NOT NULL DEFAULT 0`,
  `ALTER TABLE grants ADD COLUMN operator_reaches BIGINT NOT NULL DEFAULT 0`,
  `UPDATE threads SET operator_reaches = 1 WHERE door = 'webhook'`,
  `UPDATE turns SET operator_reaches = 1 WHERE door = 'webhook'`,
  `UPDATE grants SET operator_reaches = 1 WHERE door = 'webhook'`,
  `DROP INDEX threads_of_webhook`,
  `DROP INDEX turns_of_webhook`,
  `DROP INDEX turns_answered_of_webhook`,
  `DROP INDEX turns_broken_by_door`,
  `DROP INDEX turns_queued_by_door`,
  `DROP INDEX grants_of_webhook`,
  `CREATE INDEX threads_operator_reaches ON threads (last_turn) WHERE operator_reaches = 1`,
  `CREATE INDEX turns_operator_reaches ON turns (id) WHERE operator_reaches = 1`,
  `CREATE INDEX turns_answered_operator_reaches ON turns (answered_at) WHERE answered_at IS NOT NULL AND operator_reaches = 1`,
  `CREATE INDEX turns_broken_by_reach ON turns (operator_reaches, status, id) WHERE status IN ('failed', 'cancelled')`,
  `CREATE INDEX turns_queued_by_reach ON turns (operator_reaches, id) WHERE status = 'queued'`,
  `CREATE INDEX grants_operator_reaches ON grants (id) WHERE operator_reaches = 1`,
  // A replica of the previous version does not write the column. Its only door of this kind was the webhook's.
  {
    sqlite: [],
    postgres: [
      `CREATE FUNCTION operator_reaches_webhook() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN NEW.operator_reaches := 1; RETURN NEW; END $$`,
      ...['threads', 'turns', 'grants'].map(
        (table) => `CREATE TRIGGER ${table}_of_webhook BEFORE INSERT ON ${table} FOR EACH ROW
            WHEN (NEW.door = 'webhook' AND NEW.operator_reaches = 0) EXECUTE FUNCTION operator_reaches_webhook()`,
      ),
    ],
  },
]
