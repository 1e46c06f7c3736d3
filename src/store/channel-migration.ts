// The migration that adds chat channels: accounts, paired chats, codes, taken updates, posts and buttons.

/** Changes of one version, as in migrations.ts. A landed version is never edited. */
export const addChannels = [
  `CREATE TABLE channel_accounts (
    channel TEXT PRIMARY KEY, account TEXT NOT NULL, name TEXT NOT NULL, connected_at BIGINT NOT NULL
  )`,
  `CREATE TABLE channel_chats (
    channel TEXT NOT NULL, chat TEXT NOT NULL, user_id TEXT NOT NULL, thread_id TEXT, paired_at BIGINT NOT NULL,
    PRIMARY KEY (channel, chat)
  ) WITHOUT ROWID`,
  `CREATE UNIQUE INDEX channel_chats_by_user ON channel_chats (user_id, channel)`,
  `CREATE TABLE channel_codes (
    hash TEXT PRIMARY KEY, channel TEXT NOT NULL, user_id TEXT NOT NULL, ends_at BIGINT NOT NULL
  )`,
  `CREATE UNIQUE INDEX channel_codes_by_user ON channel_codes (user_id, channel)`,
  // An update is taken once, whatever process gets it and however often.
  `CREATE TABLE channel_updates (
    channel TEXT NOT NULL, account TEXT NOT NULL, id BIGINT NOT NULL, taken_at BIGINT NOT NULL,
    PRIMARY KEY (channel, account, id)
  ) WITHOUT ROWID`,
  `CREATE INDEX channel_updates_by_time ON channel_updates (taken_at)`,
  // Posts are deleted when they are finished.
  `CREATE TABLE channel_posts (
    id TEXT PRIMARY KEY, channel TEXT NOT NULL, chat TEXT NOT NULL, user_id TEXT NOT NULL, kind TEXT NOT NULL,
    text TEXT NOT NULL, thread_id TEXT, turn_id TEXT, call_id TEXT, source TEXT, messages TEXT NOT NULL,
    created_at BIGINT NOT NULL
  )`,
  `CREATE INDEX channel_posts_by_channel ON channel_posts (channel, id)`,
  `CREATE INDEX channel_posts_by_source ON channel_posts (channel, chat, source)`,
  `CREATE UNIQUE INDEX channel_posts_by_gate ON channel_posts (channel, chat, call_id) WHERE call_id IS NOT NULL`,
  `CREATE INDEX channel_posts_by_user ON channel_posts (user_id)`,
  `CREATE TABLE channel_buttons (
    id TEXT PRIMARY KEY, channel TEXT NOT NULL, chat TEXT NOT NULL, user_id TEXT NOT NULL, thread_id TEXT NOT NULL,
    call_id TEXT NOT NULL, decision TEXT NOT NULL, ends_at BIGINT NOT NULL
  )`,
  `CREATE INDEX channel_buttons_by_gate ON channel_buttons (channel, chat, call_id)`,
  `CREATE INDEX channel_buttons_by_user ON channel_buttons (user_id)`,
  `CREATE INDEX channel_buttons_by_end ON channel_buttons (ends_at)`,
]
