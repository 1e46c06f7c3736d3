// A burst of submissions, as large as a busy day's.
import { test } from 'node:test'
import { burst } from './burst.ts'

test('2,000 submissions from 200 users are all completed, once and in order', (t) => burst(t, 200))
