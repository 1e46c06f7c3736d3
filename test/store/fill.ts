// A PostgreSQL schema as it looks after long use, in small: enough rows that a look through all of them costs more than an index.
import type { Pool, QueryConfig } from 'pg'

const statements = [
  `INSERT INTO threads (id, user_id, door, operator_reaches, title, thread_key, created_at, updated_at, last_seq, last_turn, open_call,
     family)
   SELECT lpad(g::text, 36, '0'), 'user' || g % 200, CASE g % 10 WHEN 0 THEN 'webhook' ELSE 'web' END,
          CASE g % 10 WHEN 0 THEN 1 ELSE 0 END, 'title',
          CASE g % 10 WHEN 0 THEN 'key' || g END, g, g, 20, lpad((g * 10)::text, 36, '0'), CASE g % 500 WHEN 0 THEN 'call' || g END,
          CASE WHEN g % 20 < 2 THEN lpad((g - g % 20)::text, 36, '0') END
   FROM generate_series(1, 1600) g`,
  `INSERT INTO turns (id, thread_id, user_id, door, operator_reaches, status, idempotency_key, created_at, first_seq, last_seq, cost_usd, owner, epoch,
     answered_at)
   SELECT lpad(g::text, 36, '0'), lpad((g / 10 + 1)::text, 36, '0'), 'user' || (g / 10 + 1) % 200,
          CASE (g / 10 + 1) % 10 WHEN 0 THEN 'webhook' ELSE 'web' END, CASE (g / 10 + 1) % 10 WHEN 0 THEN 1 ELSE 0 END,
          CASE WHEN g % 2000 = 0 THEN 'running' WHEN g % 2000 = 100 THEN 'waiting' WHEN g % 500 = 1 THEN 'queued'
               WHEN g % 300 = 2 THEN 'failed' WHEN g % 300 = 3 THEN 'cancelled' ELSE 'done' END,
          CASE g % 3 WHEN 0 THEN 'key' || g END, g, g % 10 * 2 + 1, g % 10 * 2 + 2, g % 5, 'owner', 1,
          CASE g % 4 WHEN 1 THEN g END
   FROM generate_series(1, 3999) g`,
  `INSERT INTO items (thread_id, seq, id, turn_id, at, body)
   SELECT lpad((g / 20 + 1)::text, 36, '0'), g % 20 + 1, lpad(g::text, 36, '0'), lpad((g / 2)::text, 36, '0'), g, repeat('x', 200)
   FROM generate_series(0, 7999) g`,
  `INSERT INTO shared_bodies (id, user_id, refs, bytes, body)
   SELECT lpad(g::text, 36, '0') || ':1', 'user' || g % 200, 1, 200, repeat('x', 200) FROM generate_series(1, 2000) g`,
  `UPDATE turns SET chain = 'hash' || id`,
  `INSERT INTO chain_points (thread_id, turn_id, hash, user_id, seq, latest)
   SELECT lpad((g / 10 + 1)::text, 36, '0'), lpad(g::text, 36, '0'), 'hash' || g, 'user' || (g / 10 + 1) % 200, g % 10 * 2 + 2, 0
   FROM generate_series(1, 3999) g`,
  `INSERT INTO usage (user_id, day, model, slot, turns, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_usd)
   SELECT 'user' || g % 200, g / 200, 'model', 0, 1, 1, 1, 1, 1, 1 FROM generate_series(1, 8000) g`,
  `INSERT INTO users (id, name, created_at) SELECT 'user' || g, 'name' || g, g FROM generate_series(1, 200) g`,
  `INSERT INTO tokens (hash, user_id, created_at) SELECT 'hash' || g, 'user' || g % 200, g FROM generate_series(1, 2000) g`,
  `INSERT INTO sessions (hash, user_id, token, created_at, seen_at, ends_at)
   SELECT 'hash' || g, 'user' || g % 500, 'hash' || g, g, g, g FROM generate_series(1, 2000) g`,
  `INSERT INTO identities (issuer, subject, user_id, created_at)
   SELECT 'issuer', 'subject' || g, 'user' || g, g FROM generate_series(1, 2000) g`,
  `INSERT INTO sign_ins (slot, state, browser, ends_at)
   SELECT lpad(to_hex(g), 4, '0'), 'state' || g, 'browser', g FROM generate_series(1, 2000) g`,
  `INSERT INTO counters (key, uses, expires_at) SELECT 'key' || g, '[]', g FROM generate_series(1, 2000) g`,
  `INSERT INTO document_owners (user_id, number, documents, bytes, chunks, terms)
   SELECT 'user' || g, g, 100, 1000, 100, 1000 FROM generate_series(1, 2000) g`,
  `INSERT INTO documents (user_id, path, bytes, author, untrusted, revision, chunks, terms, created_at, updated_at)
   SELECT 'user' || g % 200, 'path' || g, 100, 'user', 0, 1, 1, 10, g, g FROM generate_series(1, 2000) g`,
  `INSERT INTO chunks (user_id, path, at, lap, size, text, terms)
   SELECT 'user' || g % 200, 'path' || g, 0, 0, 100, repeat('x', 200), to_tsvector('simple', 'word' || g || ' user' || g % 200)
   FROM generate_series(1, 2000) g`,
  `INSERT INTO thread_index_owners (user_id, number, chunks, terms)
   SELECT 'user' || g, g, 100, 1000 FROM generate_series(1, 2000) g`,
  `INSERT INTO indexed_threads (thread_id, owner, through, title)
   SELECT lpad(g::text, 36, '0'), 'user' || g % 200, 20, 'title' FROM generate_series(1, 1600) g`,
  `INSERT INTO threads_to_index (thread_id, look_at) SELECT lpad(g::text, 36, '0'), g FROM generate_series(1, 1600) g`,
  `INSERT INTO thread_chunks (thread_id, seq, start, chars, size, terms)
   SELECT lpad((g % 1600)::text, 36, '0'), g, 0, 100, 20, to_tsvector('simple', 'word' || g || ' user' || g % 200)
   FROM generate_series(1, 3200) g`,
  `INSERT INTO grants (id, user_id, door, operator_reaches, tool, target, granted_by, created_at)
   SELECT lpad(g::text, 36, '0'), 'user' || g % 500, CASE g % 100 WHEN 0 THEN 'webhook' ELSE 'web' END,
          CASE g % 100 WHEN 0 THEN 1 ELSE 0 END, 'tool' || g, '', 'by', g
   FROM generate_series(1, 2000) g`,
  `INSERT INTO skills (user_id, name, author, head, findings, bytes, updated_at)
   SELECT 'user' || g % 500, 'skill' || g, 'user', '{}', '[]', 1, g FROM generate_series(1, 2000) g`,
  `INSERT INTO skill_files (user_id, name, path, hash, bytes, untrusted)
   SELECT 'user' || g % 500, 'skill' || g, 'SKILL.md', 'hash' || g, 1, 0 FROM generate_series(1, 2000) g`,
  `INSERT INTO skill_contents (user_id, hash, content)
   SELECT 'user' || g % 500, 'hash' || g, 'x'::bytea FROM generate_series(1, 2000) g`,
  `INSERT INTO skill_switches (user_id, name) SELECT 'user' || g % 500, 'skill' || g FROM generate_series(1, 2000) g`,
  `INSERT INTO missions (id, user_id, status, title, prompt, schedule, zone, begins_at, next_at, missed, created_at, bytes)
   SELECT lpad(g::text, 36, '0'), 'user' || g % 200, CASE g % 3 WHEN 0 THEN 'active' ELSE 'done' END, 'title', 'prompt',
          '@daily', 'UTC', g, CASE g % 3 WHEN 0 THEN g END, 'once', g, 600
   FROM generate_series(1, 2000) g`,
  `INSERT INTO mission_runs (id, mission_id, user_id, nominal_at, started_at, ended_at, outcome, thread_id, turn_id, bytes)
   SELECT lpad(g::text, 36, '0'), lpad((g % 2000)::text, 36, '0'), 'user' || g % 200, g, g,
          CASE g % 1000 WHEN 0 THEN NULL ELSE g END, 'ok', 'thread' || g, 'turn' || g, 500
   FROM generate_series(1, 8000) g`,
  `INSERT INTO user_zones (user_id, zone) SELECT 'user' || g, 'UTC' FROM generate_series(1, 2000) g`,
  `INSERT INTO notification_quiet (user_id, from_time, to_time, zone)
   SELECT 'user' || g, '22:00', '07:00', 'UTC' FROM generate_series(1, 2000) g`,
  `INSERT INTO outbox (id, user_id, way_id, event, subject, state, at, created_at, pending)
   SELECT lpad(g::text, 36, '0'), 'user' || g % 200, 'way' || g % 500, 'finished', 'subject' || g, 'sent', g, g,
          CASE g % 500 WHEN 0 THEN 1 ELSE 0 END
   FROM generate_series(1, 2000) g`,
  `INSERT INTO document_versions (user_id, path, revision, author, untrusted, bytes, written_at, content)
   SELECT 'user' || g % 200, 'path' || g % 1000, g, 'user', 0, 100, g, repeat('x', 100) FROM generate_series(1, 2000) g`,
  `INSERT INTO channel_chats (channel, chat, user_id, paired_at)
   SELECT 'channel' || g % 100, 'chat' || g, 'user' || g, g FROM generate_series(1, 2000) g`,
  `INSERT INTO channel_updates (channel, account, id, taken_at)
   SELECT 'channel' || g % 100, 'account', g, g FROM generate_series(1, 2000) g`,
  `INSERT INTO channel_posts (id, channel, chat, user_id, kind, text, call_id, source, messages, created_at)
   SELECT lpad(g::text, 36, '0'), 'channel' || g % 100, 'chat' || g, 'user' || g, 'turn', '', 'call' || g, 'source' || g, '[]', g
   FROM generate_series(1, 2000) g`,
  `INSERT INTO channel_buttons (id, channel, chat, user_id, thread_id, call_id, decision, ends_at)
   SELECT lpad(g::text, 36, '0'), 'channel' || g % 100, 'chat' || g, 'user' || g, 'thread', 'call' || g, 'allow', g
   FROM generate_series(1, 2000) g`,
  'ANALYZE',
]

const fillMs = 200_000

export async function fillPostgres(pool: Pool): Promise<void> {
  const client = await pool.connect()
  // The package's types lack `query_timeout` of a single query. A busy machine takes its time.
  const run = (text: string) => client.query({ text, query_timeout: fillMs } as QueryConfig)
  try {
    await run('SET statement_timeout = 0')
    for (const statement of statements) await run(statement)
    await run('RESET statement_timeout')
  } finally {
    client.release()
  }
}
