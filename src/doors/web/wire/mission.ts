// Wire format of missions and their runs.
import * as z from 'zod/mini'

const RunWire = z.object({
  id: z.string(),
  /** The instant that the run is for: with the mission it identifies the run. */
  nominal_at: z.string(),
  started_at: z.nullable(z.string()),
  ended_at: z.nullable(z.string()),
  /** Null while it runs. */
  outcome: z.nullable(z.enum(['ok', 'quiet', 'failed', 'skipped', 'missed', 'waiting'])),
  thread_id: z.exactOptional(z.string()),
  turn_id: z.exactOptional(z.string()),
  /** The beginning of the reply, or why there is none. */
  summary: z.exactOptional(z.string()),
  cost_usd: z.nullable(z.number()),
  /** The number of instants in a row of missed runs. */
  count: z.exactOptional(z.number()),
})

export const MissionWire = z.object({
  id: z.string(),
  title: z.string(),
  prompt: z.string(),
  schedule: z.string(),
  /** The schedule in words, with the next three runs in its zone. */
  understood: z.string(),
  zone: z.string(),
  status: z.enum(['active', 'paused', 'done']),
  paused_because: z.exactOptional(z.string()),
  next_runs: z.array(z.string()),
  tools: z.exactOptional(z.array(z.string())),
  /** The cap of one run. */
  cap_usd: z.exactOptional(z.number()),
  missed: z.enum(['once', 'skip']),
  created_at: z.string(),
  last_run: z.exactOptional(RunWire),
})

export const MissionsAnswer = z.object({
  missions: z.array(MissionWire),
  next_cursor: z.nullable(z.string()),
})
export const RunAnswer = RunWire
export const RunsAnswer = z.object({ runs: z.array(RunWire), next_cursor: z.nullable(z.string()) })
export const PreviewAnswer = z.object({ understood: z.string(), next_runs: z.array(z.string()), zone: z.string() })
export const MeAnswer = z.object({
  user: z.string(),
  operator: z.boolean(),
  /** Null when none is set: then the machine's is used. */
  zone: z.nullable(z.string()),
  /** The zone of new missions: the caller's own, else the machine's. */
  default_zone: z.string(),
})

export type Mission = z.output<typeof MissionWire>
export type MissionRun = z.output<typeof RunWire>
export type MissionList = z.output<typeof MissionsAnswer>
export type MissionRuns = z.output<typeof RunsAnswer>
export type SchedulePreview = z.output<typeof PreviewAnswer>
export type Me = z.output<typeof MeAnswer>
