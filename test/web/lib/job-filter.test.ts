// Which jobs are meant: by door, by whose they are, by words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Job } from '../../../web/api/wire.ts'
import { isMeant, type JobWish, usersOf } from '../../../web/lib/job-filter.ts'

const jobs: readonly Pick<Job, 'title' | 'door' | 'sender'>[] = [
  { title: 'Flaky test', door: 'webhook', sender: 'ci-bot' },
  { title: 'Plan', door: 'run' },
  { title: 'Bump', door: 'webhook', sender: 'nadia' },
]
const found = (wish: Partial<JobWish>): string[] =>
  jobs.filter((job) => isMeant(job, { door: 'all', user: 'all', words: [], ...wish })).map(({ title }) => title)

test('jobs are found by whose they are; those without a sender are the reader’s own', () => {
  assert.deepEqual(usersOf(jobs, 'all'), ['all', 'you', 'ci-bot', 'nadia'])
  assert.deepEqual(usersOf([], 'nadia'), ['all', 'you', 'nadia'])
  assert.deepEqual([found({ user: 'ci-bot' }), found({ user: 'you' }), found({})].map(String), [
    'Flaky test',
    'Plan',
    'Flaky test,Plan,Bump',
  ])
})

test('a job is found by its door and by every word', () => {
  assert.deepEqual(
    [found({ door: 'terminal' }), found({ words: ['test', 'ci-'] }), found({ words: ['x'] })].map(String),
    ['Plan', 'Flaky test', ''],
  )
})
