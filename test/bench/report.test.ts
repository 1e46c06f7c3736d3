// The page of benchmarks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reportOf } from '../../bench/report.ts'

test('the page has the machine, the version, the day, and a section for each table', () => {
  const page = reportOf(
    {
      machine: 'two cores',
      at: new Date('2026-01-02T03:04:05Z'),
      tables: [
        { title: 'Turns', columns: ['', 'ms'], rows: [['one', '1.5']] },
        { title: 'Starts', columns: ['', 's'], rows: [] },
      ],
    },
    '1.2.3, commit abc',
  )
  assert.match(page, /^# Benchmarks\n/)
  assert.match(page, /- two cores\n- Atrium 1\.2\.3, commit abc\n- 2026-01-02\n/)
  assert.match(page, /## Turns\n\n\|\s+\|\s+ms \|\n\|-+\|-+:\|\n\| one \|\s+1\.5 \|\n\n## Starts\n/)
})
