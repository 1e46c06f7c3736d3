// Which jobs are meant: by door and by words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Job } from '#doors/web/wire/job.ts'
import { matches, type JobQuery } from '../../../web/lib/job-filter.ts'

const jobs: readonly Pick<Job, 'title' | 'message' | 'door' | 'sender'>[] = [
  { title: 'Flaky test', door: 'webhook', sender: 'ci-bot' },
  { title: 'Plan', message: 'Shorter please', door: 'run' },
  { title: 'Bump', door: 'webhook', sender: 'nadia' },
]
const found = (query: Partial<JobQuery>): string[] =>
  jobs.filter((job) => matches(job, { door: 'all', words: [], ...query })).map(({ title }) => title)

test('a job is found by its door and by every word', () => {
  assert.deepEqual(
    [
      found({ door: 'terminal' }),
      found({ words: ['test', 'ci-'] }),
      found({ words: ['x'] }),
      found({ words: ['undef'] }),
      found({ words: ['plan', 'shorter'] }),
    ].map(String),
    ['Plan', 'Flaky test', '', '', 'Plan'],
  )
})
