// The migrations that add missions and their runs. Their bytes count in the storage of their users, by triggers.

const counted = ['missions', 'mission_runs']

/** Changes of one version, as in migrations.ts. A landed version is never edited. */
export const addMissions = [
  `CREATE TABLE missions (
    id TEXT PRIMARY KEY, user_id TEXT NOT NULL, status TEXT NOT NULL, paused_because TEXT, title TEXT NOT NULL,
    prompt TEXT NOT NULL, schedule TEXT NOT NULL, zone TEXT NOT NULL, begins_at BIGINT NOT NULL, next_at BIGINT,
    tools TEXT, cap_usd DOUBLE PRECISION, missed TEXT NOT NULL, failures BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL, bytes BIGINT NOT NULL
  )`,
  `CREATE INDEX missions_by_user ON missions (user_id, id)`,
  // Only active missions have a next instant.
  `CREATE INDEX missions_by_instant ON missions (next_at, id) WHERE next_at IS NOT NULL`,
  // A run is identified by its mission and its nominal instant.
  `CREATE TABLE mission_runs (
    id TEXT PRIMARY KEY, mission_id TEXT NOT NULL, user_id TEXT NOT NULL, nominal_at BIGINT NOT NULL, started_at BIGINT,
    ended_at BIGINT, outcome TEXT, thread_id TEXT, turn_id TEXT, summary TEXT, origin TEXT, cost_usd DOUBLE PRECISION,
    instants BIGINT, by_hand BIGINT NOT NULL DEFAULT 0, bytes BIGINT NOT NULL
  )`,
  `CREATE UNIQUE INDEX mission_runs_by_instant ON mission_runs (mission_id, nominal_at)`,
  `CREATE INDEX mission_runs_by_mission ON mission_runs (mission_id, id)`,
  `CREATE UNIQUE INDEX mission_runs_by_turn ON mission_runs (turn_id)`,
  // Runs that have not ended: they run, or wait for a person.
  `CREATE INDEX mission_runs_open ON mission_runs (mission_id, turn_id) WHERE ended_at IS NULL`,
  `CREATE INDEX mission_runs_by_user ON mission_runs (user_id, ended_at)`,
  `CREATE TABLE user_zones (user_id TEXT PRIMARY KEY, zone TEXT NOT NULL)`,
  {
    sqlite: counted.flatMap((table) => [
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
    postgres: counted.flatMap((table) => [
      `CREATE TRIGGER ${table}_stored AFTER INSERT OR DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION count_storage()`,
      `CREATE TRIGGER ${table}_changed AFTER UPDATE OF bytes ON ${table} FOR EACH ROW WHEN (NEW.bytes <> OLD.bytes)
       EXECUTE FUNCTION count_storage()`,
    ]),
  },
]

/** The same for a later version: what missions and their news need to be found without looking through all. */
export const planMissions = [
  // When the next instant was found: a clock that was ahead then is noticed once it went back.
  `ALTER TABLE missions ADD COLUMN planned_at BIGINT NOT NULL DEFAULT 0`,
  `CREATE INDEX missions_by_plan ON missions (planned_at) WHERE next_at IS NOT NULL`,
  // Runs that wait for a person may be many; those that count towards the limit are few.
  `DROP INDEX mission_runs_open`,
  `CREATE INDEX mission_runs_under_way ON mission_runs (mission_id, turn_id) WHERE ended_at IS NULL AND outcome IS NULL`,
  `CREATE INDEX mission_runs_waiting ON mission_runs (turn_id) WHERE ended_at IS NULL AND outcome = 'waiting'`,
  // Turns whose end may be news: a process that was killed may not have told of them.
  `CREATE INDEX turns_of_news ON turns (ended_at)
   WHERE (status = 'failed' OR (status = 'done' AND ended_at - created_at > 60000))`,
]
