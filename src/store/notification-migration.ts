// The migration that adds notifications: ways, quiet hours, the outbox, and keys that are made once.

/** Changes of one version, as in migrations.ts. A landed version is never edited. */
export const addNotifications = [
  // A way that is gone keeps its row, without its target, until its user has seen it.
  `CREATE TABLE notification_ways (
    id TEXT PRIMARY KEY, user_id TEXT NOT NULL, kind TEXT NOT NULL, target TEXT NOT NULL, target_hash TEXT,
    label TEXT NOT NULL, events TEXT NOT NULL, content BIGINT NOT NULL, created_at BIGINT NOT NULL,
    paused_until BIGINT, gone_at BIGINT, gone_because TEXT
  )`,
  `CREATE INDEX notification_ways_by_user ON notification_ways (user_id, id)`,
  `CREATE UNIQUE INDEX notification_ways_by_target ON notification_ways (target_hash, user_id)`,
  `CREATE TABLE notification_quiet (
    user_id TEXT PRIMARY KEY, from_time TEXT NOT NULL, to_time TEXT NOT NULL, zone TEXT NOT NULL
  )`,
  `CREATE TABLE notification_keys (name TEXT PRIMARY KEY, sealed TEXT NOT NULL)`,
  // `pending`: it is still to be sent. `sender`: the process that is sending it.
  `CREATE TABLE outbox (
    id TEXT PRIMARY KEY, user_id TEXT NOT NULL, way_id TEXT NOT NULL, event TEXT NOT NULL, subject TEXT NOT NULL,
    thread_id TEXT, turn_id TEXT, call_id TEXT, mission_id TEXT, state TEXT NOT NULL, tries BIGINT NOT NULL DEFAULT 0,
    at BIGINT NOT NULL, created_at BIGINT NOT NULL, held BIGINT NOT NULL DEFAULT 0, pending BIGINT NOT NULL DEFAULT 1,
    sender TEXT, error TEXT
  )`,
  `CREATE INDEX outbox_by_user ON outbox (user_id, id)`,
  `CREATE UNIQUE INDEX outbox_by_subject ON outbox (way_id, subject)`,
  `CREATE INDEX outbox_pending ON outbox (at, id) WHERE pending = 1`,
  `CREATE INDEX outbox_pending_by_way ON outbox (way_id) WHERE pending = 1`,
  `CREATE INDEX outbox_sending ON outbox (sender) WHERE sender IS NOT NULL`,
  `CREATE INDEX outbox_settled ON outbox (at) WHERE pending = 0`,
]
