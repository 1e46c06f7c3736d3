// The Jobs page's list and filters: active jobs first, then the ended ones, newest first.
import { computed, signal } from '@preact/signals'
import { maxJobsPerPage } from '#core/page-limits.ts'
import type { Job, JobPage, SenderList } from '#doors/web/wire/job.ts'
import type { Door, Status } from '#doors/web/wire/turn.ts'
import { request } from '../api/client.ts'
import { senderName } from '../lib/doors.ts'
import { matches } from '../lib/job-filter.ts'
import { route } from '../router.ts'
import { loaded } from './loaded.ts'
import { isOperator } from './session.ts'

export const pageSize = 20
/** How many jobs a search reads at first, and how many more with each step back. */
export const searchSize = 200
/** The list goes no further back: a search is quicker. */
const maxJobs = 2_000

export const jobStatuses = ['running', 'waiting', 'queued', 'completed', 'failed'] as const
export type JobFilter = 'all' | (typeof jobStatuses)[number]
/** In the order of the list. */
const active = ['waiting', 'running', 'queued'] as const

type Jobs = {
  readonly filter: JobFilter
  readonly active: readonly Job[]
  readonly jobs: readonly Job[]
  readonly more: boolean
  /** How many jobs there are with the chosen status. */
  readonly total: number
  /** User ids of webhook senders. */
  readonly senders: readonly string[]
}

/** Shown as the user of the reader's own jobs. */
export const ownJobs = 'you'
/** The choice of `jobUser` that shows the jobs of all users. */
export const everybody = 'all'
const own = 'operator'

/** The status filter, from the address. */
export const jobFilter = computed<JobFilter>(
  () => jobStatuses.find((each) => each === route.value.query.get('status')) ?? 'all',
)
export const jobSearch = signal('')
export const jobDoor = signal<'all' | Door>('all')
export const jobUser = signal(everybody)
/** How many jobs to read. */
export const requestedJobs = signal(pageSize)

const words = computed(() => jobSearch.value.toLowerCase().split(/\s+/).filter(Boolean))
/** A search by words or door is on. The page itself filters the jobs that it has read. */
export const isLooking = computed(() => words.value.length > 0 || jobDoor.value !== 'all')

export const jobList = loaded<Jobs>(async () => {
  const filter = jobFilter.peek()
  const max = Math.min(isLooking.peek() ? Math.max(searchSize, requestedJobs.peek()) : requestedJobs.peek(), maxJobs)
  const user: Readonly<Record<string, string>> = jobUser.peek() === everybody ? {} : { user: jobUser.peek() }
  const limit = String(maxJobsPerPage)
  const [found, { senders }, ...lists] = await Promise.all([
    readJobs({ ...user, ...(filter !== 'all' && { status: filter }) }, max),
    isOperator.peek() ? request<SenderList>('GET', '/api/senders') : { senders: [] },
    ...active.map((status) => request<JobPage>('GET', `/api/jobs?${new URLSearchParams({ ...user, status, limit })}`)),
  ])
  // A job that changes its status meanwhile may be in two lists.
  const activeById = new Map(lists.flatMap(({ jobs }) => jobs.map((job) => [job.id, job] as const)))
  return { filter, ...found, senders, active: [...activeById.values()] }
})

/** The jobs to show, filtered. */
export const shownJobs = computed<readonly Job[]>(() => {
  const { filter, jobs, active } = jobList.data.value ?? { filter: 'all', jobs: [], active: [] }
  const ids = new Set(active.map(({ id }) => id))
  const all = filter === 'all' ? [...active, ...jobs.filter(({ id }) => !ids.has(id))] : jobs
  const query = { door: jobDoor.value, words: words.value }
  return all.filter((job) => matches(job, query))
})

/** The choices of `jobUser`. */
export const jobUsers = computed(() => [
  { value: everybody, label: everybody },
  { value: own, label: ownJobs },
  ...(jobList.data.value?.senders ?? []).map((sender) => ({ value: sender, label: senderName(sender) ?? sender })),
])

/** How many jobs have an active status; 0 for the other statuses. */
export function countOf(status: JobFilter): number {
  return (jobList.data.value?.active ?? []).filter((job) => job.status === status).length
}

export function isActive(status: Status): boolean {
  return active.some((each) => each === status)
}

async function readJobs(
  which: Readonly<Record<string, string>>,
  max: number,
): Promise<{ jobs: readonly Job[]; more: boolean; total: number }> {
  const jobs: Job[] = []
  let total = 0
  let cursor: string | null = null
  do {
    const query = new URLSearchParams({ ...which, limit: String(Math.min(max - jobs.length, maxJobsPerPage)) })
    if (cursor) query.set('cursor', cursor)
    else query.set('total', 'true')
    const answer: JobPage = await request<JobPage>('GET', `/api/jobs?${query}`)
    jobs.push(...answer.jobs)
    cursor = answer.next_cursor
    total = answer.total ?? total
  } while (cursor && jobs.length < max)
  return { jobs, more: cursor !== null && max < maxJobs, total }
}
