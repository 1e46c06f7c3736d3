// The page of benchmarks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reportOf } from '../../bench/report.ts'

const at = new Date('2026-01-02T03:04:05Z')
const turns = { title: 'Turns', columns: ['', 'ms'], rows: [['one', '1.5']] }
const starts = { title: 'Starts', columns: ['', 's'], rows: [] }
const page = reportOf({ machine: 'two cores', version: '1.2.3, commit abc', at, tables: [turns, starts] })

test('the page has a section for each table with its version, its day and its machine', () => {
  assert.match(page, /^# Benchmarks\n/)
  assert.match(
    page,
    /## Turns\n\nAtrium 1\.2\.3, commit abc, 2026-01-02, on two cores\.\n\n\|\s+\|\s+ms \|\n\|-+\|-+:\|\n\| one \|\s+1\.5 \|\n\n## Starts\n/,
  )
})

test('a run of some suites replaces their tables in place, and keeps the others', () => {
  const again = {
    machine: 'four cores',
    version: '1.2.4, commit def',
    at: new Date('2026-02-03'),
    tables: [{ ...turns, rows: [['one', '0.5']] }],
  }
  const merged = reportOf(again, page)
  const expected = page
    .replace('1.2.3, commit abc, 2026-01-02, on two', '1.2.4, commit def, 2026-02-03, on four')
    .replace('1.5', '0.5')
  assert.equal(merged, expected)
  const more = { ...again, tables: [{ ...turns, title: 'More' }] }
  assert.deepEqual(reportOf(more, page).match(/^## .*/gm), ['## Turns', '## Starts', '## More'])
})
