// The status of the service, the same at every door.
import { operator, type UserId } from '#core/ids.ts'
import type { StorageStore } from '#core/store.ts'
import type { TurnStore } from '#core/turn-store.ts'

export type About = {
  readonly version: string
  readonly uptimeMs: () => number
  /** The configured model; settings may change it. */
  readonly model: () => { readonly provider: string; readonly name: string }
  /** The names of models that can be chosen instead. */
  readonly offeredModels?: () => readonly string[]
  /** Models that are skipped for a while after failures. */
  readonly skippedModels?: () => readonly string[]
  readonly databaseBackend: string
  readonly storage: StorageStore
  /** True while components can be made ready. */
  readonly sandboxEnabled: () => Promise<boolean>
  readonly doors: () => { name: string; address?: string }[]
  /** Connections open on the gateway. */
  readonly connections: () => Promise<number>
  readonly draining: () => boolean
}

/**
 * Jobs and cost are those of one user, or of all users when `user` is undefined. Storage is the user's or the operator's own.
 */
export async function statusOf(turns: Pick<TurnStore, 'count'>, about: About, user?: UserId) {
  const [counts, storage, connections, sandboxEnabled] = await Promise.all([
    turns.count(user),
    about.storage.used(user ?? operator),
    about.connections(),
    about.sandboxEnabled(),
  ])
  const { provider, name } = about.model()
  const away = about.skippedModels?.() ?? []
  const offered = about.offeredModels?.() ?? []
  return {
    status: about.draining() ? ('draining' as const) : ('ok' as const),
    version: about.version,
    uptime_secs: Math.floor(about.uptimeMs() / 1000),
    active_jobs: counts.queued + counts.running + counts.waiting,
    llm_backend: provider,
    llm_model: name,
    ...(offered.length > 0 && { llm_offered: [...offered] }),
    ...(away.length > 0 && { llm_skipped: [...away] }),
    database_backend: about.databaseBackend,
    sandbox_enabled: sandboxEnabled,
    doors: about.doors(),
    storage: { used_bytes: storage.bytes, max_bytes: storage.maxBytes ?? null },
    connections,
    cost_today_usd: counts.costToday.costUsd,
    unpriced_calls_today: counts.costToday.unpricedCalls,
  }
}
