// The schema as numbered migrations, forward only. A landed version is never edited: there are databases made by it. Every
// change is a new version, which is `shared` with processes of the version before or not (`alone`).
import { createTables } from './first-migration.ts'
import { addDocuments } from './document-migration.ts'
import { textArguments } from './arguments-migration.ts'
import { addChainPoints, moveChainPoints } from './chain-migration.ts'
import { addChannels } from './channel-migration.ts'
import { addSkills } from './skill-migration.ts'
import { addMcpServers } from './mcp-migration.ts'
import { alone, type Migration, shared } from './migration.ts'
import { addMissions, planMissions } from './mission-migration.ts'
import { addNotifications } from './notification-migration.ts'
import { storeOperatorReach } from './operator-reach-migration.ts'
import { shareBodies } from './shared-body-migration.ts'
import { countStorage } from './storage-migration.ts'
import { addDocumentVersions } from './document-version-migration.ts'
import { addTemporaryThreads } from './temporary-migration.ts'
import { addThreadIndex } from './thread-index-migration.ts'
import { addThreadShelves } from './thread-shelf-migration.ts'
import { addThreadVariants } from './thread-variant-migration.ts'
import { addUsage } from './usage-migration.ts'

/** The first is version 1. `WITHOUT ROWID`, `TEXT` and `BLOB` are translated for PostgreSQL. */
export const migrations: readonly Migration[] = [
  alone(createTables),
  alone(addDocuments),
  alone(textArguments),
  alone([
    // To find the turns of a thread that is erased, and items by id.
    `CREATE INDEX turns_by_thread ON turns (thread_id)`,
    `CREATE INDEX items_by_id ON items (thread_id, id)`,
    // For lists by a rare status, of a user and of the webhook channel.
    `DROP INDEX turns_broken`,
    `CREATE INDEX turns_broken_by_user ON turns (user_id, status, id) WHERE status IN ('failed', 'cancelled')`,
    `CREATE INDEX turns_broken_by_door ON turns (door, status, id) WHERE status IN ('failed', 'cancelled')`,
    // A covering index for the queue of a thread, else the planner may choose the index of all its turns.
    `DROP INDEX turns_queued`,
    `CREATE INDEX turns_queued ON turns (thread_id, id, first_seq) WHERE status = 'queued'`,
    `CREATE INDEX turns_queued_by_user ON turns (user_id, id) WHERE status = 'queued'`,
    `CREATE INDEX turns_queued_by_door ON turns (door, id) WHERE status = 'queued'`,
  ]),
  alone(addUsage),
  alone([
    // The cost of a turn may be unknown. SQLite can drop a NOT NULL only with its column.
    {
      sqlite: [
        `ALTER TABLE turns RENAME COLUMN cost_usd TO old_cost_usd`,
        `ALTER TABLE turns ADD COLUMN cost_usd DOUBLE PRECISION DEFAULT 0`,
        `UPDATE turns SET cost_usd = old_cost_usd WHERE old_cost_usd > 0`,
        `ALTER TABLE turns DROP COLUMN old_cost_usd`,
      ],
      postgres: [`ALTER TABLE turns ALTER COLUMN cost_usd DROP NOT NULL`],
    },
    // The model of the turn's last response.
    `ALTER TABLE turns ADD COLUMN model TEXT`,
  ]),
  alone([
    `CREATE TABLE grants (
      id TEXT PRIMARY KEY, user_id TEXT NOT NULL, door TEXT NOT NULL, tool TEXT NOT NULL, target TEXT NOT NULL,
      ends_at BIGINT, granted_by TEXT NOT NULL, created_at BIGINT NOT NULL
    )`,
    `CREATE UNIQUE INDEX grants_by_user ON grants (user_id, tool, target)`,
    `CREATE INDEX grants_of_webhook ON grants (id) WHERE door = 'webhook'`,
    // The digest of a turn's entries, computed when it ended.
    `ALTER TABLE turns ADD COLUMN hash TEXT`,
  ]),
  alone([
    // Items with rowids: in a WITHOUT ROWID table SQLite reads whole rows, megabytes too, while it searches by key.
    {
      sqlite: [
        `CREATE TABLE rows_of_items (
          thread_id TEXT NOT NULL, seq BIGINT NOT NULL, id TEXT NOT NULL, turn_id TEXT NOT NULL, at BIGINT NOT NULL,
          body TEXT NOT NULL, asked TEXT, PRIMARY KEY (thread_id, seq)
        )`,
        `INSERT INTO rows_of_items (thread_id, seq, id, turn_id, at, body, asked)
         SELECT thread_id, seq, id, turn_id, at, body, asked FROM items`,
        `DROP TABLE items`,
        `ALTER TABLE rows_of_items RENAME TO items`,
        `CREATE INDEX items_by_id ON items (thread_id, id)`,
      ],
      postgres: [],
    },
  ]),
  alone([
    // Vectors are deleted with their chunks.
    {
      sqlite: [
        `CREATE TABLE chunk_vectors (
          id INTEGER PRIMARY KEY, owner BIGINT NOT NULL, model TEXT NOT NULL, size BIGINT NOT NULL, bits BLOB, numbers BLOB
        )`,
        `CREATE INDEX chunk_vectors_by_owner ON chunk_vectors (owner, model, size, bits)`,
        `CREATE TRIGGER chunk_vectors_go AFTER DELETE ON chunks BEGIN DELETE FROM chunk_vectors WHERE id = OLD.id; END`,
      ],
      postgres: [
        `CREATE TABLE chunk_vectors (
          id BIGINT PRIMARY KEY REFERENCES chunks (id) ON DELETE CASCADE, owner BIGINT NOT NULL,
          model TEXT COLLATE "C" NOT NULL, size BIGINT NOT NULL, bits BIT VARYING, numbers REAL[]
        )`,
        `CREATE INDEX chunk_vectors_by_owner ON chunk_vectors (owner, model, size)`,
        // Duties: the process that has each one, and until when.
        `CREATE TABLE duties (name TEXT COLLATE "C" PRIMARY KEY, owner TEXT COLLATE "C" NOT NULL, until BIGINT NOT NULL)`,
      ],
    },
  ]),
  alone([
    // A secret belongs to the operator or to a user. It may be renewable, or an alias of another tool's secret.
    `CREATE TABLE rows_of_secrets (
      user_id TEXT NOT NULL DEFAULT 'operator', name TEXT NOT NULL, sealed TEXT NOT NULL, renewal TEXT, same_as TEXT,
      renewing_until BIGINT, updated_at BIGINT NOT NULL, PRIMARY KEY (user_id, name)
    )`,
    `INSERT INTO rows_of_secrets (name, sealed, updated_at) SELECT name, sealed, updated_at FROM secrets`,
    `DROP TABLE secrets`,
    `ALTER TABLE rows_of_secrets RENAME TO secrets`,
  ]),
  alone([
    `CREATE TABLE sessions (
      hash TEXT PRIMARY KEY, user_id TEXT NOT NULL, token TEXT, created_at BIGINT NOT NULL, seen_at BIGINT NOT NULL,
      ends_at BIGINT NOT NULL
    )`,
    `CREATE INDEX sessions_by_user ON sessions (user_id, created_at)`,
    `CREATE INDEX sessions_by_end ON sessions (ends_at)`,
    `CREATE TABLE login_codes (hash TEXT PRIMARY KEY, token TEXT NOT NULL, ends_at BIGINT NOT NULL)`,
    `CREATE INDEX login_codes_by_end ON login_codes (ends_at)`,
  ]),
  alone([
    // Turns with rowids, too. Large columns come last: a list would have to read past them.
    {
      sqlite: [
        `CREATE TABLE rows_of_turns (
          id TEXT PRIMARY KEY, thread_id TEXT NOT NULL, user_id TEXT NOT NULL, door TEXT NOT NULL, status TEXT NOT NULL,
          owner TEXT, epoch BIGINT, idempotency_key TEXT, body_hash TEXT, created_at BIGINT NOT NULL, started_at BIGINT,
          ended_at BIGINT, first_seq BIGINT, last_seq BIGINT, input_tokens BIGINT NOT NULL DEFAULT 0,
          cached_tokens BIGINT NOT NULL DEFAULT 0, output_tokens BIGINT NOT NULL DEFAULT 0,
          reasoning_tokens BIGINT NOT NULL DEFAULT 0, cost_usd DOUBLE PRECISION DEFAULT 0, reserved_usd DOUBLE PRECISION,
          model TEXT, error TEXT, removed_at BIGINT, hash TEXT, options TEXT, input TEXT
        )`,
        `INSERT INTO rows_of_turns (
          id, thread_id, user_id, door, status, owner, epoch, idempotency_key, body_hash, created_at, started_at, ended_at,
          first_seq, last_seq, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_usd, reserved_usd, model,
          error, removed_at, hash, options, input)
         SELECT
          id, thread_id, user_id, door, status, owner, epoch, idempotency_key, body_hash, created_at, started_at, ended_at,
          first_seq, last_seq, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_usd, reserved_usd, model,
          error, removed_at, hash, options, input
         FROM turns`,
        `DROP TABLE turns`,
        `ALTER TABLE rows_of_turns RENAME TO turns`,
        `CREATE INDEX turns_by_user ON turns (user_id, id)`,
        `CREATE INDEX turns_of_webhook ON turns (id) WHERE door = 'webhook'`,
        `CREATE UNIQUE INDEX turns_active ON turns (thread_id) WHERE status IN ('running', 'waiting')`,
        `CREATE UNIQUE INDEX turns_by_key ON turns (user_id, idempotency_key) WHERE idempotency_key IS NOT NULL`,
        `CREATE INDEX turns_by_thread ON turns (thread_id)`,
        `CREATE INDEX turns_broken_by_user ON turns (user_id, status, id) WHERE status IN ('failed', 'cancelled')`,
        `CREATE INDEX turns_broken_by_door ON turns (door, status, id) WHERE status IN ('failed', 'cancelled')`,
        `CREATE INDEX turns_queued ON turns (thread_id, id, first_seq) WHERE status = 'queued'`,
        `CREATE INDEX turns_queued_by_door ON turns (door, id) WHERE status = 'queued'`,
      ],
      postgres: [`DROP INDEX turns_queued_by_user`],
    },
    // A covering index for claims and for lists of queued turns.
    `CREATE INDEX turns_queued_by_user ON turns (user_id, id, thread_id, first_seq, removed_at) WHERE status = 'queued'`,
  ]),
  alone([
    // Identities of users at an issuer, and sign-ins in progress.
    `CREATE TABLE identities (
      issuer TEXT NOT NULL, subject TEXT NOT NULL, user_id TEXT NOT NULL, created_at BIGINT NOT NULL,
      PRIMARY KEY (issuer, subject)
    ) WITHOUT ROWID`,
    `CREATE INDEX identities_by_user ON identities (user_id)`,
    `CREATE TABLE sign_ins (
      slot TEXT PRIMARY KEY, state TEXT NOT NULL, browser TEXT NOT NULL, ends_at BIGINT NOT NULL
    )`,
    `CREATE INDEX sign_ins_by_end ON sign_ins (ends_at)`,
  ]),
  alone([
    // The time of a turn's last gate answer, and the number of uses of a grant.
    `ALTER TABLE turns ADD COLUMN answered_at BIGINT`,
    `CREATE INDEX turns_answered_by_user ON turns (user_id, answered_at) WHERE answered_at IS NOT NULL`,
    `CREATE INDEX turns_answered_of_webhook ON turns (answered_at) WHERE answered_at IS NOT NULL AND door = 'webhook'`,
    `ALTER TABLE grants ADD COLUMN uses BIGINT NOT NULL DEFAULT 0`,
  ]),
  alone([
    // Clean grants apply only while the model has read nothing from outside; older grants are not restricted to that.
    `ALTER TABLE grants ADD COLUMN clean BIGINT NOT NULL DEFAULT 0`,
  ]),
  alone([
    // The thread in which the agent last wrote a document.
    `ALTER TABLE documents ADD COLUMN thread_id TEXT`,
  ]),
  alone(storeOperatorReach),
  alone(shareBodies),
  // An earlier process would not count what it stores.
  alone(countStorage),
  // An earlier process would not count such calls.
  alone([
    // The number of calls whose cost is unknown. Of rows from before it is at least one.
    `ALTER TABLE usage ADD COLUMN unpriced_calls BIGINT NOT NULL DEFAULT 0`,
    `UPDATE usage SET unpriced_calls = 1 WHERE cost_usd IS NULL AND model <> ''`,
  ]),
  // An earlier process would leave the points of a thread that it erases.
  alone(addChainPoints),
  // An earlier process would leave the skills of a user that it erases.
  alone(addSkills),
  // The same for missions.
  alone(addMissions),
  shared([
    // A client that repeats a request whose turn waits for a person is told so again, and starts nothing.
    `CREATE INDEX turns_waiting_by_body ON turns (user_id, body_hash) WHERE status = 'waiting'`,
  ]),
  shared([
    // Most threads are short: their few items are found without an index, and storing one writes a page less.
    `DROP INDEX items_by_id`,
    `CREATE INDEX items_by_id ON items (thread_id, id) WHERE seq > 32`,
  ]),
  // An earlier process would drop what a client attaches.
  alone([
    // What an API client attached to a thread as its conversation, as JSON.
    `ALTER TABLE threads ADD COLUMN metadata TEXT`,
  ]),
  // An earlier process would list temporary threads.
  alone(addTemporaryThreads),
  // An earlier process would let such a token use every tool.
  alone([
    // The service's tools that turns begun with a token may use, as a JSON list; null for all.
    `ALTER TABLE tokens ADD COLUMN tools TEXT`,
  ]),
  // An earlier process would run turns without the servers' tools.
  alone(addMcpServers),
  // An earlier process would not find the points any more.
  alone(moveChainPoints),
  // An earlier process would leave the chats of a user that it erases.
  alone(addChannels),
  // The same for ways and the outbox.
  alone(addNotifications),
  // The same for the index.
  alone(addThreadIndex),
  // An earlier process would use another model.
  alone([
    // The model that was chosen for a thread, by name; null for the usual one.
    `ALTER TABLE threads ADD COLUMN model TEXT`,
  ]),
  // An earlier process would list archived threads.
  alone(addThreadShelves),
  // An earlier process would leave the versions of a document that it erases.
  alone(addDocumentVersions),
  // An earlier process would find a next instant without the time at which it did.
  alone(planMissions),
  // An earlier process would leave the hidden variants of a thread that it erases, out of reach.
  alone(addThreadVariants),
  // An earlier process would change the events without it: what was before would be told.
  alone([
    // Since when a way takes its present events; null if since it was added.
    `ALTER TABLE notification_ways ADD COLUMN events_at BIGINT`,
  ]),
  // An earlier process would take the framing of a mission's message for a file.
  alone([]),
  // What an earlier process leaves of a user whom it removes would stay.
  alone([
    // Removals of users that have begun, until nothing can be stored for the user any more.
    `CREATE TABLE removals (user_id TEXT PRIMARY KEY, begun_at BIGINT NOT NULL)`,
  ]),
  shared([
    // Covering indexes for lists of waiting turns, and for their number: thousands may wait for a person.
    `CREATE INDEX turns_waiting_by_user ON turns (user_id, id, temporary, removed_at) WHERE status = 'waiting'`,
    `CREATE INDEX turns_waiting_by_reach ON turns (operator_reaches, id, temporary, removed_at) WHERE status = 'waiting'`,
  ]),
]

/** The schema version of this Atrium. */
export const newestVersion = migrations.length
