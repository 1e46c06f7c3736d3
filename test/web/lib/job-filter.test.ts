// Which jobs are meant: by door and by words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Job } from '#doors/web/wire/job.ts'
import { isMeant, type JobWish } from '../../../web/lib/job-filter.ts'

const jobs: readonly Pick<Job, 'title' | 'door' | 'sender'>[] = [
  { title: 'Flaky test', door: 'webhook', sender: 'ci-bot' },
  { title: 'Plan', door: 'run' },
  { title: 'Bump', door: 'webhook', sender: 'nadia' },
]
const found = (wish: Partial<JobWish>): string[] =>
  jobs.filter((job) => isMeant(job, { door: 'all', words: [], ...wish })).map(({ title }) => title)

test('a job is found by its door and by every word', () => {
  assert.deepEqual(
    [found({ door: 'terminal' }), found({ words: ['test', 'ci-'] }), found({ words: ['x'] })].map(String),
    ['Plan', 'Flaky test', ''],
  )
})
