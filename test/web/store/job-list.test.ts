// The list of jobs: what is asked for, what is shown, and what the filters and the search make of it.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { type Asked, freshPage, gateway, ok, partOf, refusal } from './page.ts'
import type { Job } from '#doors/web/wire/job.ts'
import { go } from '../../../web/router.ts'
import {
  countOf,
  everybody,
  isActive,
  isLooking,
  jobDoor,
  jobFilter,
  jobList,
  jobSearch,
  jobUser,
  jobUsers,
  requestedJobs,
  shownJobs,
} from '../../../web/store/job-list.ts'
import { sessionState } from '../../../web/store/session.ts'

const listing = 'GET /api/jobs'
const job = (id: string, more: Partial<Job> = {}) =>
  ({ id, title: `Job ${id}`, door: 'web', status: 'completed', ...more }) as unknown as Job

/** The gateway has so many ended jobs, and these that are active. */
function serve(t: TestContext, count: number, active: readonly Job[] = []): void {
  freshPage(t)
  go('/jobs')
  jobSearch.value = ''
  jobDoor.value = 'all'
  jobUser.value = everybody
  requestedJobs.value = 20
  sessionState.value = { type: 'in', session: { user: 'ada', operator: true } as never }
  gateway.on('GET /api/senders', ok({ senders: ['webhook:ci', 'odd'] }))
  gateway.on(listing, ({ query }) => {
    const status = query.get('status')
    if (isActive(status as Job['status'])) {
      return ok({ jobs: active.filter((each) => each.status === status), next_cursor: null })
    }
    const { numbers, next_cursor } = partOf(query, count)
    const jobs = numbers.map((at) => job(String(at)))
    return ok({ jobs, next_cursor, ...(query.has('total') && { total: count }) })
  })
}

/** The requests for the list itself, without those for the active jobs. */
const pages = () =>
  gateway
    .of(listing)
    .filter(({ query }) => !isActive(query.get('status') as Job['status']))
    .map(words)
const words = ({ query }: Asked) => query.toString()
const shown = () => shownJobs.value.map(({ id }) => id)

test('before anything is read there is nothing', () => {
  assert.deepEqual([shown(), countOf('running'), jobUsers.value.length], [[], 0, 2])
})

test('active jobs come first, each once, then the ended ones', async (t) => {
  const active = [job('r', { status: 'running' }), job('w', { status: 'waiting' }), job('0', { status: 'queued' })]
  serve(t, 25, active)
  await jobList.load()
  assert.deepEqual(pages(), ['limit=20&total=true'])
  assert.deepEqual(
    gateway.of(listing).map(words).slice(1),
    ['waiting', 'running', 'queued'].map((status) => `status=${status}&limit=100`),
  )
  assert.deepEqual(shown(), ['w', 'r', '0', ...Array.from({ length: 19 }, (_, at) => String(at + 1))])
  assert.deepEqual([jobList.data.value?.more, jobList.data.value?.total], [true, 25])
  assert.deepEqual([countOf('running'), countOf('completed')], [1, 0])
  requestedJobs.value = 40
  await jobList.load()
  assert.equal(pages()[1], 'limit=40&total=true')
  assert.deepEqual([shown().length, jobList.data.value?.more], [27, false])
})

test('a job that changes its status while the lists are read is there once', async (t) => {
  serve(t, 0)
  gateway.on(listing, ({ query }) => {
    const status = query.get('status')
    const jobs = status === 'waiting' || status === 'running' ? [job('x', { status })] : []
    return ok({ jobs, next_cursor: null, total: 0 })
  })
  await jobList.load()
  assert.deepEqual(
    shownJobs.value.map(({ id, status }) => [id, status]),
    [['x', 'running']],
  )
})

test('a status from the address is asked for; the active ones are counted all the same', async (t) => {
  serve(t, 3, [job('r', { status: 'running' })])
  go('/jobs?status=failed')
  assert.equal(jobFilter.value, 'failed')
  await jobList.load()
  assert.deepEqual(pages(), ['status=failed&limit=20&total=true'])
  assert.deepEqual([shown(), countOf('running')], [['0', '1', '2'], 1])
  for (const status of ['running', 'waiting', 'queued', 'completed'] as const) {
    go(`/jobs?status=${status}`)
    assert.equal(jobFilter.value, status)
  }
  go('/jobs?status=nonsense')
  assert.equal(jobFilter.value, 'all')
})

test('a search reads two hundred jobs, a hundred at a time, and filters them by words and door', async (t) => {
  serve(t, 400)
  jobSearch.value = ' JOB 19 '
  assert.equal(isLooking.value, true)
  await jobList.load()
  assert.deepEqual(pages(), ['limit=100&total=true', 'limit=100&cursor=100'])
  assert.deepEqual(shown(), ['19', '119', ...Array.from({ length: 10 }, (_, at) => String(190 + at))])
  assert.deepEqual([jobList.data.value?.more, jobList.data.value?.total], [true, 400])
  requestedJobs.value = 250
  await jobList.load()
  assert.equal(pages().at(-1), 'limit=50&cursor=200')
  jobSearch.value = ''
  assert.equal(isLooking.value, false)
  jobDoor.value = 'webhook'
  assert.deepEqual([isLooking.value, shown()], [true, []])
})

test('the list ends at two thousand jobs', async (t) => {
  serve(t, 2_050)
  requestedJobs.value = 2_040
  await jobList.load()
  assert.deepEqual([shown().length, jobList.data.value?.more], [2_000, false])
})

test('the jobs of one user are asked for by their id; senders are offered by their names', async (t) => {
  serve(t, 1)
  jobUser.value = 'webhook:ci'
  await jobList.load()
  assert.deepEqual(
    gateway.of(listing).map(({ query }) => query.get('user')),
    Array.from({ length: 4 }, () => 'webhook:ci'),
  )
  assert.deepEqual(jobUsers.value, [
    { value: 'all', label: 'all' },
    { value: 'operator', label: 'you' },
    { value: 'webhook:ci', label: 'ci' },
    { value: 'odd', label: 'odd' },
  ])
})

test('who is no operator does not ask for senders', async (t) => {
  serve(t, 1)
  sessionState.value = { type: 'in', session: { user: 'bob', operator: false } as never }
  gateway.on('GET /api/senders', refusal(403, 'forbidden'))
  await jobList.load()
  assert.deepEqual([jobList.fault.value, gateway.of('GET /api/senders'), jobUsers.value.length], [undefined, [], 2])
})
