// Wire format of the service's status.
import * as z from 'zod/mini'

export const StatusAnswer = z.object({
  status: z.enum(['ok', 'draining']),
  version: z.string(),
  uptime_secs: z.number(),
  active_jobs: z.number(),
  llm_backend: z.string(),
  llm_model: z.string(),
  /** The names of models that can be chosen for a thread instead. */
  llm_offered: z.exactOptional(z.array(z.string())),
  /** Models that are skipped for a while after failures. */
  llm_skipped: z.exactOptional(z.array(z.string())),
  database_backend: z.string(),
  sandbox_enabled: z.boolean(),
  /** Bytes that the caller stores in threads and documents. Without a quota there is no maximum. */
  storage: z.object({ used_bytes: z.number(), max_bytes: z.nullable(z.number()) }),
  doors: z.array(z.object({ name: z.string(), address: z.exactOptional(z.string()) })),
  connections: z.number(),
  /** The known cost of the day; null when no part of it is known. */
  cost_today_usd: z.nullable(z.number()),
  /** Calls with an unknown price, which are not in the cost. */
  unpriced_calls_today: z.number(),
})

export type ServiceStatus = z.output<typeof StatusAnswer>
