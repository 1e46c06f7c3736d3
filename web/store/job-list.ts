// The jobs of the page: what is active, then what has ended, newest first, as far back as was asked for.
import { computed, signal } from '@preact/signals'
import { ask } from '../api/client.ts'
import type { Door, Job, Status } from '../api/wire.ts'
import { place } from '../router.ts'
import { loaded } from './loaded.ts'

export const pageSize = 20
/** How far back a search looks at first, and with each further look. */
export const searchSize = 200
/** What one answer of the gateway holds at most. */
const mostInAnswer = 100
/** Nobody reads further down a list; a search by its words is quicker. */
const mostJobs = 2_000

export const jobStatuses = ['running', 'waiting', 'queued', 'completed', 'failed'] as const
export type JobFilter = 'all' | (typeof jobStatuses)[number]
/** In the order in which they stand at the top. */
const active = ['waiting', 'running', 'queued'] as const

type Answer = { readonly jobs: readonly Job[]; readonly next_cursor: string | null }
type Jobs = {
  readonly filter: JobFilter
  readonly active: readonly Job[]
  readonly jobs: readonly Job[]
  readonly more: boolean
}

/** Which jobs are shown: the address says so. */
export const jobFilter = computed<JobFilter>(
  () => jobStatuses.find((each) => each === place.value.query.get('status')) ?? 'all',
)
export const jobSearch = signal('')
export const jobDoor = signal<'all' | Door>('all')
/** How many jobs were asked for. */
export const wanted = signal(pageSize)

const words = computed(() => jobSearch.value.toLowerCase().split(/\s+/).filter(Boolean))
/** Whether the page looks for something among the jobs. */
export const isLooking = computed(() => words.value.length > 0 || jobDoor.value !== 'all')

export const jobList = loaded<Jobs>(async () => {
  const filter = jobFilter.peek()
  const most = Math.min(isLooking.peek() ? Math.max(searchSize, wanted.peek()) : wanted.peek(), mostJobs)
  const [found, ...lists] = await Promise.all([
    readJobs(filter === 'all' ? undefined : filter, most),
    ...active.map((status) => ask<Answer>('GET', `/api/jobs?status=${status}&limit=${mostInAnswer}`)),
  ])
  return { filter, ...found, active: lists.flatMap(({ jobs }) => jobs) }
})

/** The jobs as the page shows them. */
export const shownJobs = computed<readonly Job[]>(() => {
  const { filter, jobs, active } = jobList.data.value ?? { filter: 'all', jobs: [], active: [] }
  const ids = new Set(active.map(({ id }) => id))
  const all = filter === 'all' ? [...active, ...jobs.filter(({ id }) => !ids.has(id))] : jobs
  return all.filter((job) => {
    if (jobDoor.value !== 'all' && doorName(job.door) !== doorName(jobDoor.value)) return false
    const text = `${job.title} ${job.sender ?? ''}`.toLowerCase()
    return words.value.every((word) => text.includes(word))
  })
})

/** How many have a status that is not an end. */
export function countOf(status: JobFilter): number {
  return (jobList.data.value?.active ?? []).filter((job) => job.status === status).length
}

export function isActive(status: Status): boolean {
  return active.some((each) => each === status)
}

/** `run` is the terminal without its screen. */
function doorName(door: Door): Door {
  return door === 'run' ? 'terminal' : door
}

async function readJobs(status: Status | undefined, most: number): Promise<{ jobs: readonly Job[]; more: boolean }> {
  const jobs: Job[] = []
  let cursor: string | null = null
  do {
    const query = new URLSearchParams({ limit: String(Math.min(most - jobs.length, mostInAnswer)) })
    if (status) query.set('status', status)
    if (cursor) query.set('cursor', cursor)
    const answer: Answer = await ask<Answer>('GET', `/api/jobs?${query}`)
    jobs.push(...answer.jobs)
    cursor = answer.next_cursor
  } while (cursor && jobs.length < most)
  return { jobs, more: cursor !== null && most < mostJobs }
}
