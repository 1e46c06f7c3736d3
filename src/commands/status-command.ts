// `atrium status`: whether a service runs on this home, and how it is.
import { loadConfig } from '#config.ts'
import { costWords } from '#doors/terminal/format.ts'
import { runningService } from './attach.ts'
import { print, table } from './report.ts'

/** What the service tells of itself, as far as it is put into words here. */
type Status = {
  readonly status: string
  readonly version: string
  readonly uptime_secs: number
  readonly active_jobs: number
  readonly llm_backend: string
  readonly llm_model: string
  readonly llm_passed_over?: readonly string[]
  readonly database_backend: string
  readonly doors: readonly { readonly name: string; readonly address?: string }[]
  readonly connections: number
  readonly cost_today_usd: number
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
  const rows = [
    ['model', now.llm_backend === now.llm_model ? now.llm_model : `${now.llm_backend} ${now.llm_model}`],
    ...(now.llm_passed_over ?? []).map((each) => ['', `${each} is passed over for now: it failed again and again`]),
    ...doors.map((door, at) => [at === 0 ? 'doors' : '', door]),
    ['database', now.database_backend === 'sqlite' ? 'SQLite, in the home' : 'PostgreSQL'],
    ['work', `${counted(now.active_jobs, 'open turn')}, ${counted(now.connections, 'connection')}`],
    ['cost', now.cost_today_usd > 0 ? `${costWords(now.cost_today_usd)} today` : 'nothing today'],
  ]
  return `Atrium ${now.version} ${state} on ${home}, for ${span(now.uptime_secs)} (process ${now.pid}).\n${table(rows)}`
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function span(secs: number): string {
  const parts = [
    [Math.floor(secs / 86_400), 'd'],
    [Math.floor(secs / 3600) % 24, 'h'],
    [Math.floor(secs / 60) % 60, 'min'],
    [secs % 60, 's'],
  ] as const
  const first = parts.findIndex(([count]) => count > 0)
  const shown = first < 0 ? parts.slice(-1) : parts.slice(first, first + 2)
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ')
}
