// `atrium prune` as people run it, beside a running service and without one.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { brokenOff, pruneAll } from '#commands/prune-command.ts'
import { AppError } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import type { PrunedPart, PruneOrder } from '#turns/retention.ts'
import { atrium, serve } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { onTerminal, openTerminal } from '../terminal.ts'
import { until } from '../until.ts'

const secretWord = 'zanzibarquartz'

async function say(home: string, text: string): Promise<void> {
  assert.equal((await atrium(home, ['run', '-m', text])).code, 0)
}

async function threadsOf(home: string): Promise<number> {
  return (JSON.parse((await atrium(home, ['threads', '--json'])).stdout) as unknown[]).length
}

test('what is erased is counted, agreed to, and no longer in the files', async () => {
  const home = newHome()
  try {
    await say(home.path, `a word: ${secretWord}`)
    const old = await atrium(home.path, ['prune', '--before', '2020-02-29', '--yes', '--json'])
    assert.deepEqual(JSON.parse(old.stdout), { dry_run: false, threads: 0, turns: 0, items: 0 }, old.stderr)
    const dry = await atrium(home.path, ['prune', '--before', '2999-01-01', '--dry-run'])
    assert.match(dry.stdout, /^Would erase 1 thread with 1 turn and 2 items\. Nothing was erased\.$/m)
    const silent = await atrium(home.path, ['prune', '--before', '2999-01-01'])
    assert.deepEqual([silent.code, /needs --yes/.test(silent.stderr)], [2, true], silent.stderr)
    for (const date of ['yesterday', '2026-02-30', '2026-1-1', '2026-01-01T10:00'])
      assert.equal((await atrium(home.path, ['prune', '--before', date, '--yes'])).code, 2, date)
    assert.equal(await threadsOf(home.path), 1)
    const done = await atrium(home.path, ['prune', '--before', '2999-01-01', '--yes'])
    assert.match(done.stdout, /Erased 1 thread with 1 turn and 2 items/, done.stderr)
    assert.equal(await threadsOf(home.path), 0)
    const files = readdirSync(home.path).filter((name) => name.startsWith('atrium.db'))
    assert.ok(files.includes('atrium.db'))
    for (const name of files)
      assert(!readFileSync(join(home.path, name), 'latin1').includes(secretWord), `${name} still has it`)
  } finally {
    home.remove()
  }
})

test('on a terminal the threads are shown as they are counted', onTerminal, async (t) => {
  const home = newHome()
  t.after(() => home.remove())
  await say(home.path, 'one')
  const terminal = openTerminal(t, home.path, { args: ['prune', '--before', '2999-01-01', '--dry-run'] })
  await terminal.until('counting: 1 thread')
  await terminal.until('Would erase 1 thread')
  assert.equal(await terminal.ended, 0)
})

test('beside a running service prune erases in the service, which goes on', async () => {
  const home = newHome()
  const service = await serve(home.path)
  try {
    await say(home.path, 'one')
    await say(home.path, 'two')
    const done = await atrium(home.path, ['prune', '--before', '2999-01-01', '--yes', '--json'])
    assert.deepEqual(JSON.parse(done.stdout), { dry_run: false, threads: 2, turns: 2, items: 4 }, done.stderr)
    await say(home.path, 'three')
    await until(async () => (await threadsOf(home.path)) === 1)
  } finally {
    await service.stop()
    home.remove()
  }
})

test('what takes several parts is erased to the end and counted as one', async () => {
  const place = (turn: string) => ({ user: operator, archived: false, turn })
  const parts: PrunedPart[] = [
    { threads: 1, turns: 20, items: 300, next: place('a') },
    { threads: 0, turns: 0, items: 0, next: place('b') },
    { threads: 2, turns: 30, items: 400 },
  ]
  const [asked, told]: [PruneOrder[], number[]] = [[], []]
  const some = (order: PruneOrder): Promise<PrunedPart> => {
    asked.push(order)
    return Promise.resolve(parts[asked.length - 1] ?? assert.fail('it goes on behind the end'))
  }
  const sum = await pruneAll(some, { before: 7 }, ({ threads }) => void told.push(threads))
  assert.deepEqual(sum, { threads: 3, turns: 50, items: 700 })
  assert.deepEqual(asked, [{ before: 7 }, { before: 7, next: place('a') }, { before: 7, next: place('b') }])
  assert.deepEqual(told, [1, 1, 3])
})

test('a fault after something was erased says what was, and how to go on', () => {
  const full = new AppError('disk_full', 'the disk is full')
  const told = brokenOff(full, { threads: 1, turns: 2, items: 3 })
  assert.ok(told instanceof AppError)
  assert.deepEqual(
    [told.code, told.message],
    ['disk_full', 'the disk is full. Before that it erased 1 thread with 2 turns and 3 items: run it again to go on'],
  )
  const bug = new Error('bug')
  assert.equal(brokenOff(bug, { threads: 1, turns: 2, items: 3 }), bug)
})
