// Bounds of a fork, what it counts, its title, and how large bodies are moved before it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forkThread, shareAll } from '#store/fork-thread.ts'
import type { Row, Sql, Statement } from '#store/sql.ts'
import { drive } from './drive.ts'
import { ada } from './harness.ts'

const mebibyte = 1024 * 1024

type Thread = { title?: string; forks?: number; items?: number; bytes?: number; points?: number; maxBytes?: number }

/** Forks a thread before a message of a person. Returns the fork, and the values of its row. */
function fork({ title = 'Plans', forks = 1, items = 4, bytes = 100, points = 0, maxBytes }: Thread) {
  const thread: Row = { id: 't', user_id: ada, door: 'web', title, last_seq: 9, status: 'done', summarised: 0 }
  const answers: readonly (readonly [part: string, rows: Row[]])[] = [
    ['SELECT threads.*', [thread]],
    ['items.body LIKE', [{ body: '{"type":"message","role":"user","content":[]}' }]],
    ['count(*) AS items', [{ items: String(items), bytes: String(bytes) }]],
    ['INSERT INTO chain_points', [{ changed: points }]],
    ['forks = forks + 1', [{ forks }]],
  ]
  const parts = {
    id: 'f',
    threadId: 't',
    beforeSeq: 5,
    door: 'web',
    now: 7,
    lock: '',
    maxUserBytes: 0,
    maxBytes,
  } as const
  const { result, asked } = drive(forkThread(ada, parts), ({ sql }) => {
    return answers.find(([part]) => sql.includes(part))?.[1] ?? []
  })
  return { fork: result, row: asked.find(({ sql }) => sql.startsWith('INSERT INTO threads'))?.values ?? [] }
}

test('a fork copies at most 20,000 items and 64 MiB, or as much as it may', () => {
  assert.ok(fork({ items: 20_000, bytes: 64 * mebibyte }).fork)
  assert.throws(() => fork({ items: 20_001 }), { code: 'too_large' })
  assert.throws(() => fork({ bytes: 64 * mebibyte + 1 }), { code: 'too_large' })
  assert.ok(fork({ bytes: 10, maxBytes: 10 }).fork)
  assert.throws(() => fork({ bytes: 11, maxBytes: 10 }), { code: 'too_large' })
})

test('a fork counts the bytes that it copies, and 500 for each item and each point', () => {
  const [summarised, counted] = fork({ items: 3, bytes: 100, points: 2 }).row.slice(9, 11)
  assert.deepEqual([summarised, counted], [0, 100 + 3 * 500 + 2 * 500])
})

const titles: readonly (readonly [title: string, forks: number, fork: string])[] = [
  ['Plans', 1, 'Fork of Plans'],
  ['Plans', 2, 'Fork 2 of Plans'],
  ['', 3, ''],
  ['x'.repeat(300), 1, `Fork of ${'x'.repeat(192)}`],
  [`${'x'.repeat(191)}\u{1F3DB}`, 1, `Fork of ${'x'.repeat(191)}\ufffd`],
]
for (const [title, forks, expected] of titles) {
  test(`fork ${forks} of a thread with ${title.length} characters of title is titled ${expected.slice(0, 20)}`, () => {
    assert.equal(fork({ title, forks }).fork?.title, expected)
  })
}

test('large bodies are moved in transactions of 1 MiB, one that is larger alone', async () => {
  const sizes = [mebibyte / 2, mebibyte / 2, 2_000, 3 * mebibyte, 2_000, 2_000]
  const moved: unknown[] = []
  let left = sizes.map((bytes, at) => ({ seq: at + 1, bytes: String(bytes) }))
  const answer = ({ sql, values }: Statement): Row[] => {
    if (sql.startsWith('SELECT user_id')) return [{ user_id: ada }]
    if (sql.startsWith('SELECT seq'))
      return left.filter(({ seq }) => seq > Number(values[1]) && seq < Number(values[2]))
    if (sql.startsWith('UPDATE threads')) moved.push(values[0])
    if (sql.startsWith('UPDATE items')) left = left.filter(({ seq }) => seq > Number(values[2]))
    return []
  }
  const settle: Sql['read'] = (job) => Promise.resolve(drive(job(), answer).result)
  const sql = { lock: '', read: settle, write: settle } as Sql
  await shareAll(sql, ada, { threadId: 't', beforeSeq: 6 })
  assert.deepEqual(moved, [mebibyte, 2_000, 3 * mebibyte, 2_000])
  assert.deepEqual(
    left.map(({ seq }) => seq),
    [6],
    'what is behind the fork stays',
  )
})
