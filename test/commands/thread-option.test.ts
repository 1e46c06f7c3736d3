// `--thread` and `--continue`: the thread that a message goes to.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { atrium } from '../atrium.ts'
import { newHome } from '../new-home.ts'

test('--continue passes over the runs of missions, also over more of them than a page has', async (t) => {
  const home = newHome()
  t.after(home.remove)
  const first = await atrium(home.path, ['run', 'what is 1+1?'])
  const run = await atrium(home.path, ['run', 'what is 5+5?'])
  const id = run.stderr.trim().slice('thread '.length)
  const db = new DatabaseSync(join(home.path, 'atrium.db'))
  db.prepare(`UPDATE threads SET door = 'mission' WHERE id = ?`).run(id)
  const columns = 'user_id, door, title, created_at, updated_at, last_seq'
  db.exec(`WITH RECURSIVE n (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < 150)
           INSERT INTO threads (id, last_turn, ${columns})
           SELECT '${id}' || at, last_turn || at, ${columns} FROM threads, n WHERE id = '${id}'`)
  db.close()
  const second = await atrium(home.path, ['run', '--continue', 'what is 2+2?'])
  assert.deepEqual([second.stdout, second.stderr], ['2+2 = 4\n', first.stderr])
})

test('--continue passes over the threads of senders, which the operator reaches', async (t) => {
  const home = newHome()
  t.after(home.remove)
  const first = await atrium(home.path, ['run', 'what is 1+1?'])
  const run = await atrium(home.path, ['run', 'what is 5+5?'])
  const db = new DatabaseSync(join(home.path, 'atrium.db'))
  db.prepare(`UPDATE threads SET door = 'webhook', user_id = 'sender', operator_reaches = 1 WHERE id = ?`).run(
    run.stderr.trim().slice('thread '.length),
  )
  db.close()
  const second = await atrium(home.path, ['run', '--continue', 'what is 2+2?'])
  assert.equal(second.stderr, first.stderr)
})

test('--continue and --thread together are refused', async (t) => {
  const home = newHome()
  t.after(home.remove)
  const { code, stderr } = await atrium(home.path, ['run', '--continue', '--thread', 'some', 'x'])
  assert.equal(code, 2)
  assert.match(stderr, /give either --thread or --continue/)
})

test('--continue without a thread says so', async (t) => {
  const home = newHome()
  t.after(home.remove)
  const { code, stderr } = await atrium(home.path, ['run', '--continue', 'x'])
  assert.equal(code, 1)
  assert.match(stderr, /there is no thread to continue yet/)
})
