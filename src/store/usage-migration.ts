// The migration for usage by user, day and model, for money reserved by model calls, and for summaries.

/** Changes of one version, as in migrations.ts. A landed version is never edited. */
export const addUsage = [
  // Slots keep concurrent turns of one user from waiting for each other's row.
  `CREATE TABLE usage (
      user_id TEXT NOT NULL, day BIGINT NOT NULL, model TEXT NOT NULL, slot BIGINT NOT NULL, turns BIGINT NOT NULL,
      input_tokens BIGINT NOT NULL, cached_tokens BIGINT NOT NULL, output_tokens BIGINT NOT NULL,
      reasoning_tokens BIGINT NOT NULL, cost_usd DOUBLE PRECISION, PRIMARY KEY (user_id, day, model, slot)
    ) WITHOUT ROWID`,
  `CREATE INDEX usage_by_day ON usage (day, user_id, model)`,
  // The model of earlier turns was not stored.
  `INSERT INTO usage (user_id, day, model, slot, turns, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_usd)
     SELECT user_id, created_at / 86400000, 'unknown', 0, count(*), sum(input_tokens), sum(cached_tokens),
            sum(output_tokens), sum(reasoning_tokens), sum(cost_usd)
     FROM turns WHERE input_tokens > 0 GROUP BY user_id, created_at / 86400000`,
  `DROP INDEX turns_with_cost`,
  `ALTER TABLE items ADD COLUMN asked TEXT`,
  // The money reserved for the current model call, and the seq up to which a thread is summarised.
  `ALTER TABLE turns ADD COLUMN reserved_usd DOUBLE PRECISION`,
  `ALTER TABLE threads ADD COLUMN summarised BIGINT NOT NULL DEFAULT 0`,
]
