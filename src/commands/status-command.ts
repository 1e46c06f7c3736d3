// `atrium status`: whether a service runs on this home, and its status.
import { loadConfig } from '#config.ts'
import { countWords, spanWords, storedWords, sumFigure } from '#core/words.ts'
import { runningService } from './running-service.ts'
import { print, table } from './report.ts'

/** The part of the service's status that is printed here. */
type Status = {
  readonly status: string
  readonly version: string
  readonly uptime_secs: number
  readonly active_jobs: number
  readonly llm_backend: string
  readonly llm_model: string
  readonly llm_skipped?: readonly string[]
  readonly database_backend: string
  readonly storage: { readonly used_bytes: number; readonly max_bytes: number | null }
  /** Why nothing can be stored. */
  readonly unstored?: string
  readonly doors: readonly { readonly name: string; readonly address?: string }[]
  readonly connections: number
  readonly cost_today_usd: number | null
  readonly unpriced_calls_today: number
  readonly pid: number
}

export async function status(options: { json?: boolean }): Promise<void> {
  const { home } = loadConfig()
  const service = await runningService(home)
  if (!service) {
    print(options, { status: 'stopped', home }, `No service runs on ${home}. Start one with: atrium serve`)
    process.exitCode = 1
    return
  }
  print(options, { ...service.status, home }, words(service.status as Status, home))
}

function words(now: Status, home: string): string {
  const state = now.status === 'ok' ? 'runs' : 'is going down'
  const doors = now.doors.map(({ name, address }) => (address === undefined ? name : `${name} ${address}`))
  const nothing = now.cost_today_usd === 0 && now.unpriced_calls_today === 0
  const rows = [
    ['model', now.llm_backend === now.llm_model ? now.llm_model : `${now.llm_backend} ${now.llm_model}`],
    ...(now.llm_skipped ?? []).map((each) => ['', `${each} is skipped for now after repeated failures`]),
    ...doors.map((door, at) => [at === 0 ? 'doors' : '', door]),
    ['database', now.database_backend === 'sqlite' ? 'SQLite, in the home' : 'PostgreSQL'],
    ['stored', storedWords(now.storage.used_bytes, now.storage.max_bytes)],
    ...(now.unstored === undefined ? [] : [['', now.unstored]]),
    ['work', `${countWords(now.active_jobs, 'open turn')}, ${countWords(now.connections, 'connection')}`],
    ['cost', `${nothing ? 'nothing' : sumFigure(now.cost_today_usd, now.unpriced_calls_today)} today`],
  ]
  return `Atrium ${now.version} ${state} on ${home}, for ${spanWords(now.uptime_secs)} (process ${now.pid}).\n${table(rows)}`
}
