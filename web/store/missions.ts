// Missions: the list, the open one with its runs, and what can be done with them.
import { computed, signal } from '@preact/signals'
import type { Me, Mission, MissionList, MissionRun, MissionRuns, SchedulePreview } from '#doors/web/wire/mission.ts'
import { request } from '../api/client.ts'
import { route } from '../router.ts'
import { loaded } from './loaded.ts'
import { readPages } from './pages.ts'

const runPageSize = 20

const listPages = signal(1)

/** True while the list has more done missions than are shown. */
export const moreMissions = signal(false)

export const missions = loaded(async () => {
  const { rows, more } = await readPages(listPages.peek(), async (cursor) => {
    const query = String(new URLSearchParams(cursor))
    const answer = await request<MissionList>('GET', `/api/missions${query && `?${query}`}`)
    return { rows: answer.missions, next: answer.next_cursor }
  })
  moreMissions.value = more
  return rows
})

export function showMoreMissions(): void {
  listPages.value++
  void missions.load()
}

/** The id in `/missions/{id}`; undefined when none is chosen. */
export const openMission = computed(() => /^\/missions\/([^/]+)$/.exec(route.value.path)?.[1])

/** The mission whose runs are shown: the open one, else the first of the list. */
export const shownMission = computed<Mission | undefined>(() => {
  const list = missions.data.value ?? []
  const id = openMission.value
  return id === undefined ? list[0] : list.find((each) => each.id === id)
})

type Runs = { readonly mission: string; readonly runs: readonly MissionRun[]; readonly more: boolean }

const runPages = signal(1)

/** The latest runs of the shown mission. */
export const missionRuns = loaded<Runs>(async () => {
  const mission = shownMission.peek()?.id ?? ''
  const { rows, more } = await readPages(mission === '' ? 0 : runPages.peek(), async (cursor) => {
    const query = new URLSearchParams({ limit: String(runPageSize), ...cursor })
    const answer = await request<MissionRuns>('GET', `${pathOf(mission)}/runs?${query}`)
    return { rows: answer.runs, next: answer.next_cursor }
  })
  return { mission, runs: rows, more }
})

export function showMoreRuns(): void {
  runPages.value++
  void missionRuns.load()
}

/** Shows the first page of another mission's runs. */
export function resetRuns(): void {
  runPages.value = 1
  void missionRuns.load()
}

export function missionAddress(id: string): string {
  return `/missions/${id}`
}

/** The fields of the mission form. */
export type MissionFields = { readonly prompt: string; readonly schedule: string; readonly zone: string }

/** The default zone of a new mission. Throws ApiFault. */
export async function readZone(): Promise<string> {
  return (await request<Me>('GET', '/api/me')).default_zone
}

/** A schedule in words, with its next runs. Throws ApiFault. */
export function previewSchedule(
  { schedule, zone }: Omit<MissionFields, 'prompt'>,
  signal: AbortSignal,
): Promise<SchedulePreview> {
  const body = { schedule, ...(zone.trim() !== '' && { zone: zone.trim() }) }
  return request<SchedulePreview>('POST', '/api/missions/preview', { body, signal })
}

/** Creates a mission. Throws ApiFault. */
export async function createMission({ prompt, schedule, zone }: MissionFields): Promise<Mission> {
  const body = { prompt, schedule, ...(zone.trim() !== '' && { zone: zone.trim() }) }
  const created = await request<Mission>('POST', '/api/missions', { body })
  await missions.load()
  return created
}

/** Changes, pauses or resumes a mission. Throws ApiFault. */
export async function changeMission(
  id: string,
  change: Partial<MissionFields> & { status?: 'active' | 'paused' },
): Promise<void> {
  await request<Mission>('PATCH', pathOf(id), { body: change })
  await missions.load()
}

/** Runs a mission now. Throws ApiFault. */
export async function runMission(id: string): Promise<MissionRun> {
  const run = await request<MissionRun>('POST', `${pathOf(id)}/run`, { body: {} })
  await Promise.all([missions.load(), missionRuns.load()])
  return run
}

/** Removes a mission with its runs; their threads stay. Throws ApiFault. */
export async function removeMission(id: string): Promise<void> {
  await request('DELETE', pathOf(id))
  await missions.load()
}

function pathOf(id: string): string {
  return `/api/missions/${encodeURIComponent(id)}`
}
