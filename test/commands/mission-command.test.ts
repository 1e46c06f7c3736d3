// `atrium mission`: create, list, show, pause and remove, without a running service.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openHomeStore } from '#app/open-storage.ts'
import { readConfig } from '#config.ts'
import { operator } from '#core/ids.ts'
import { atrium, serve } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { addMission } from '../store/daily-mission.ts'

const home = newHome()
after(() => home.remove())
const mission = (...args: string[]) => atrium(home.path, ['mission', ...args])

test('a mission is created, listed, shown, paused, resumed and removed', async () => {
  const added = await mission(
    'add',
    'Read the news\nand tell me',
    '--when',
    'weekdays at 08:30',
    '--zone',
    'UTC',
    '--cap',
    '0.5',
  )
  assert.match(added.stdout, /^Created [0-9a-f-]{36}\.\nWeekdays at 08:30, UTC\. Next: /)
  const id = /Created (\S+)\./.exec(added.stdout)?.[1] ?? ''
  assert.match((await mission('list')).stdout, new RegExp(`${id}  Read the news  active  \\d{4}-`))
  assert.match(
    (await mission('show', id)).stdout,
    /Read the news {2}\(active\)[^]*At most \$0\.500 a run[^]*and tell me/,
  )
  assert.match((await mission('pause', id)).stdout, /\(paused\)/)
  assert.match((await mission('resume', id)).stdout, /\(active\)/)
  assert.equal((await mission('runs', id)).stdout, 'No runs yet.\n')
  assert.equal((await mission('remove', id)).stdout, 'Removed.\n')
  assert.match((await mission('list')).stdout, /^No missions yet: see `\S*atrium mission add --help`\n$/)
  const gone = await mission('show', id)
  assert.equal(gone.code, 1)
  assert.match(gone.stderr, /^error: the mission does not exist: see `\S*atrium mission list`\n$/)
})

test('a mission is as its flags say', async () => {
  const flags = ['--title', 'News', '--tools', 'time, calculate', '--missed', 'skip', '--zone', 'Asia/Tokyo']
  const added = await mission('add', 'Look', '--when', '@daily', ...flags, '--json')
  const { id, title, tools, missed, zone } = JSON.parse(added.stdout) as Record<string, unknown>
  assert.deepEqual([title, tools, missed, zone], ['News', ['time', 'calculate'], 'skip', 'Asia/Tokyo'])
  assert.match((await mission('show', String(id))).stdout, /^Missed while the service was down: skipped$/m)
  for (const limit of ['0', '101', 'x', '1e1'])
    assert.equal((await mission('runs', String(id), '--limit', limit)).code, 2)
  await mission('remove', String(id))
})

const refused: readonly (readonly [args: readonly string[], message: RegExp])[] = [
  [['--when', 'whenever'], /"whenever": it cannot be read\. Examples: every 2h/],
  [['--when', '@daily', '--zone', 'Mars/Base'], /no time zone/],
  [['--when', '@daily', '--tools', 'nope'], /no tool here: \S*atrium tool list names them/],
  [['--when', '@daily', '--missed', 'never'], /once or skip/],
  [['--when', '@daily', '--cap', 'much'], /--cap takes a number of USD above 0, not much/],
  [['--when', '@daily', '--cap', '0'], /--cap takes a number/],
]
test('what cannot be understood is refused, and creates nothing', async () => {
  for (const [args, message] of refused) {
    const { code, stderr } = await mission('add', 'Look', ...args)
    assert.equal(code, 2)
    assert.match(stderr, message)
  }
  assert.match((await mission('list')).stdout, /^No missions yet: see `\S*atrium mission add --help`\n$/)
})

test('a table of runs shows the beginning of a long summary, and that it goes on', async (t) => {
  const service = await serve(home.path)
  t.after(() => service.stop())
  const { id } = JSON.parse((await mission('add', 'Look', '--when', '@daily', '--json')).stdout) as { id: string }
  await mission('run', id)
  let run: { outcome: string | null; summary: string } | undefined
  while (!run?.outcome) [run] = JSON.parse((await mission('runs', id, '--json')).stdout) as [typeof run]
  assert.ok(run.summary.length > 80)
  const [, row = ''] = (await mission('runs', id)).stdout.split('\n')
  assert.ok(row.endsWith(`  ${run.summary.slice(0, 79).replaceAll('\n', ' ')}…`), row)
})

test('every mission that is done is listed and exported, however many there are', async () => {
  const { store } = await openHomeStore(readConfig({ ATRIUM_HOME: home.path }))
  for (let count = 0; count < 101; count++) {
    const added = await addMission(store, operator, { title: `Done ${count}` })
    await store.missions.change(added, { status: 'done', nextAt: null }, 200)
  }
  await store.close()
  const titles = (text: string) => (JSON.parse(text) as { title: string }[]).map(({ title }) => title)
  assert.ok(titles((await mission('list', '--json')).stdout).includes('Done 0'))
  const folder = join(home.path, 'out')
  await atrium(home.path, ['export', folder])
  assert.ok(titles(readFileSync(join(folder, 'missions.json'), 'utf8')).includes('Done 0'))
})
