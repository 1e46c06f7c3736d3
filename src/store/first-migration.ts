// The migration for the first tables: threads with their items and turns, users, tokens, secrets, settings, tools.

/** Changes of one version, as in migrations.ts. A landed version is never edited. */
export const createTables = [
  `CREATE TABLE threads (
      id TEXT PRIMARY KEY, user_id TEXT NOT NULL, door TEXT NOT NULL, title TEXT NOT NULL, thread_key TEXT,
      created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, last_seq BIGINT NOT NULL, last_turn TEXT NOT NULL,
      open_call TEXT
    ) WITHOUT ROWID`,
  `CREATE INDEX threads_by_user ON threads (user_id, last_turn)`,
  `CREATE INDEX threads_of_webhook ON threads (last_turn) WHERE door = 'webhook'`,
  `CREATE UNIQUE INDEX threads_by_key ON threads (user_id, thread_key) WHERE thread_key IS NOT NULL`,
  `CREATE INDEX threads_by_open_call ON threads (open_call) WHERE open_call IS NOT NULL`,
  `CREATE TABLE items (
      thread_id TEXT NOT NULL, seq BIGINT NOT NULL, id TEXT NOT NULL, turn_id TEXT NOT NULL, at BIGINT NOT NULL,
      body TEXT NOT NULL, PRIMARY KEY (thread_id, seq)
    ) WITHOUT ROWID`,
  `CREATE TABLE turns (
      id TEXT PRIMARY KEY, thread_id TEXT NOT NULL, user_id TEXT NOT NULL, door TEXT NOT NULL, status TEXT NOT NULL,
      input TEXT, options TEXT, owner TEXT, epoch BIGINT, idempotency_key TEXT, body_hash TEXT,
      created_at BIGINT NOT NULL, started_at BIGINT, ended_at BIGINT, first_seq BIGINT, last_seq BIGINT,
      input_tokens BIGINT NOT NULL DEFAULT 0, cached_tokens BIGINT NOT NULL DEFAULT 0,
      output_tokens BIGINT NOT NULL DEFAULT 0, reasoning_tokens BIGINT NOT NULL DEFAULT 0,
      cost_usd DOUBLE PRECISION NOT NULL DEFAULT 0, error TEXT, removed_at BIGINT
    ) WITHOUT ROWID`,
  `CREATE INDEX turns_by_user ON turns (user_id, id)`,
  `CREATE INDEX turns_of_webhook ON turns (id) WHERE door = 'webhook'`,
  `CREATE UNIQUE INDEX turns_active ON turns (thread_id) WHERE status IN ('running', 'waiting')`,
  `CREATE INDEX turns_queued ON turns (thread_id, id) WHERE status = 'queued'`,
  `CREATE INDEX turns_broken ON turns (status, id) WHERE status IN ('failed', 'cancelled')`,
  `CREATE INDEX turns_with_cost ON turns (id, user_id, cost_usd) WHERE cost_usd > 0`,
  `CREATE UNIQUE INDEX turns_by_key ON turns (user_id, idempotency_key) WHERE idempotency_key IS NOT NULL`,
  `CREATE TABLE users (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, created_at BIGINT NOT NULL)`,
  `CREATE TABLE tokens (
      hash TEXT PRIMARY KEY, user_id TEXT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT
    )`,
  `CREATE INDEX tokens_by_user ON tokens (user_id)`,
  `CREATE TABLE secrets (name TEXT PRIMARY KEY, sealed TEXT NOT NULL, updated_at BIGINT NOT NULL)`,
  `CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL, updated_at BIGINT NOT NULL)`,
  `CREATE TABLE tools (
      name TEXT PRIMARY KEY, sha256 TEXT NOT NULL, capabilities TEXT NOT NULL, description TEXT NOT NULL,
      schema TEXT NOT NULL, component BLOB NOT NULL, installed_at BIGINT NOT NULL
    )`,
  `CREATE TABLE processes (owner TEXT PRIMARY KEY, epoch BIGINT NOT NULL, seen_at BIGINT NOT NULL)`,
  `CREATE TABLE counters (key TEXT PRIMARY KEY, uses TEXT NOT NULL, expires_at BIGINT NOT NULL)`,
  `CREATE INDEX counters_by_expiry ON counters (expires_at)`,
]
