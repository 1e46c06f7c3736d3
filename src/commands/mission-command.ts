// `atrium mission`: the operator's missions, in the running service or in this process.
import { AppError } from '#core/errors.ts'
import { costWords, cutTo } from '#core/words.ts'
import type { MissionJson, MissionsJson, RunJson } from '#missions/mission-wire.ts'
import type { MissionRequest } from '#missions/mission-request.ts'
import { printable, proseOf } from '#safety/printable.ts'
import { readLimit } from './limit-option.ts'
import { askOperator } from './running-service.ts'
import { minuteOf, print, table } from './report.ts'

type Options = { readonly json?: boolean }
type AddOptions = Options & {
  readonly when: string
  readonly zone?: string
  readonly title?: string
  readonly tools?: string
  readonly cap?: string
  readonly missed?: string
}

const maxRuns = 100
/** What a table shows of a run's summary. */
const maxBriefChars = 80

export async function addMission(prompt: string, options: AddOptions): Promise<void> {
  const { when, zone, title, tools, cap, missed } = options
  if (missed !== undefined && missed !== 'once' && missed !== 'skip') {
    throw new AppError('invalid_input', `--missed takes once or skip, not ${missed}`)
  }
  // JSON has no NaN: the service would read it as no cap at all.
  if (cap !== undefined && !(Number(cap) > 0)) {
    throw new AppError('invalid_input', `--cap takes a number of USD above 0, not ${cap}`)
  }
  const added = (await ask({
    do: 'add',
    prompt,
    schedule: when,
    ...(zone !== undefined && { zone }),
    ...(title !== undefined && { title }),
    ...(tools !== undefined && { tools: tools.split(',').map((name) => name.trim()) }),
    ...(cap !== undefined && { capUsd: Number(cap) }),
    ...(missed !== undefined && { missed }),
  })) as MissionJson
  print(options, added, `Created ${added.id}.\n${printable(added.understood)}`)
}

export async function listMissions(options: Options): Promise<void> {
  const missions: MissionJson[] = []
  let cursor: string | null | undefined
  do {
    const page = (await ask({ do: 'list', ...(cursor && { cursor }) })) as MissionsJson
    missions.push(...page.missions)
    cursor = page.next_cursor
  } while (cursor !== null)
  const rows = missions.map(({ id, title, status, next_runs: [next], last_run: last }) => [
    id,
    title,
    status,
    next ? minuteOf(next) : '',
    last ? outcomeOf(last) : '',
  ])
  const head = ['MISSION', 'TITLE', 'STATUS', 'NEXT RUN', 'LAST']
  print(
    options,
    missions,
    rows.length > 0 ? table([head, ...rows]) : 'No missions yet: see `atrium mission add --help`',
  )
}

export async function actOnMission(
  act: 'show' | 'run' | 'pause' | 'resume' | 'remove',
  id: string,
  options: Options,
): Promise<void> {
  const answer = await ask({ do: act, id })
  if (act === 'remove') return print(options, { removed: id }, 'Removed.')
  if (act === 'run') {
    const run = answer as RunJson
    return print(options, run, `Started. Its thread is ${run.thread_id}.`)
  }
  const mission = answer as MissionJson
  print(options, mission, linesOf(mission).join('\n'))
}

export async function listRuns(id: string, options: Options & { limit: string }): Promise<void> {
  const limit = readLimit(options.limit, maxRuns)
  const runs = (await ask({ do: 'runs', id, limit })) as RunJson[]
  const rows = runs.map((run) => [
    run.nominal_at,
    outcomeOf(run),
    costWords(run.cost_usd),
    run.thread_id ?? '',
    cutTo(run.summary ?? '', maxBriefChars),
  ])
  const head = ['PLANNED FOR', 'OUTCOME', 'COST', 'THREAD', 'SUMMARY']
  print(options, runs, rows.length > 0 ? table([head, ...rows]) : 'No runs yet.')
}

function outcomeOf({ outcome, count }: RunJson): string {
  return `${outcome ?? 'running'}${count === undefined ? '' : ` (${count})`}`
}

function linesOf(mission: MissionJson): string[] {
  const { title, status, understood, prompt, tools, cap_usd: cap, missed, paused_because: because } = mission
  return [
    `${proseOf(title)}  (${status})`,
    ...(because === undefined ? [] : [printable(because)]),
    printable(understood),
    ...(tools ? [`Tools: ${tools.map((name) => printable(name)).join(', ')}`] : []),
    ...(cap === undefined ? [] : [`At most ${costWords(cap)} a run`]),
    `Missed while the service was down: ${missed === 'once' ? 'the latest is made up for' : 'skipped'}`,
    ...(mission.last_run ? [`Last run: ${outcomeOf(mission.last_run)}`] : []),
    '',
    proseOf(prompt),
  ]
}

function ask(request: MissionRequest): Promise<unknown> {
  return askOperator('atrium mission list', (client) => client.missions(request))
}
