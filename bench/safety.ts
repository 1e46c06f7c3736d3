// The cost of safety checks in an ordinary turn: a question, a tool result of 4 KB, an answer, a short history.
import { digestOf } from '#core/digest.ts'
import { userId } from '#core/ids.ts'
import { type Entry, type Item, textMessage } from '#core/item.ts'
import type { Tool } from '#core/tool.ts'
import { decide } from '#safety/decide.ts'
import { createFence } from '#safety/fence.ts'
import { createLeakScan } from '#safety/leaks.ts'
import { createMarker } from '#safety/marks.ts'
import { createJudge } from '#safety/policy.ts'
import { taintOf } from '#safety/taint.ts'
import { openTurn } from './checked-turn.ts'
import { median } from './compare.ts'
import { fixed, type Suite } from './suite.ts'

const prose =
  'The old mill by the river opens at nine; visitors find the way by the signs and bring cash for the tour. '
const page = `${`${prose}See [the way](https://mill.example/way/on-foot?from=station). `.repeat(8)}${prose.repeat(24)}`
const answer = prose.repeat(5)
const url = 'https://mill.example/way/on-foot?from=station'
const args = JSON.stringify({ url })

export const safety: Suite = async ({ scale }) => {
  const marker = createMarker()
  const fence = createFence(new Uint8Array(32))
  const scan = createLeakScan(Array.from({ length: 20 }, (_, at) => `sealed-value-${at}-7Rm2Zx9Kp4Lw8Tn3`))
  const items: Item[] = Array.from({ length: 20 }, (_, at) => [
    textMessage('user', `Question ${at}: when does the mill at https://mill.example/ open?`),
    textMessage('assistant', answer),
  ]).flat()
  items.push(
    { type: 'call', callId: 'c', name: 'web_fetch', args: '{"url":"https://mill.example/"}' },
    { type: 'result', callId: 'c', output: page, origin: 'web_fetch' },
  )
  let turn = 0
  const checks: [name: string, run: () => unknown][] = [
    // A new text each time, since a marker caches the last one.
    ['fence with marks, 4 KB', () => fence(`${page}${turn++}`, 'web_fetch', { marker })],
    ['leaks in what is stored, 4.5 KB', () => [scan.mask(page), scan.mask(answer)]],
    ['leaks in what goes out', () => scan.stops(args)],
    ['taint of 42 items', () => taintOf(items)],
    [
      'policy, an address under taint',
      () =>
        decide({
          name: 'web_fetch',
          row: 'fetch',
          reach: { type: 'url', url: 'https://mill.example/' },
          taint: 'web_fetch',
          items,
          now: 0,
        }),
    ],
  ]
  const judge = createJudge({ marker: () => marker, scan: () => scan })
  const specs = Array.from({ length: 16 }, (_, at) => ({ name: `tool${at}`, description: answer, parameters: {} }))
  const act = { type: 'call', callId: 'd', name: 'tool1', args } as const
  const tool = { spec: specs[1], effects: 'read', repeatable: true, untrusted: false } as unknown as Tool
  const judged = { user: userId('u'), threadId: 't', call: act, tool, taint: undefined, items, specs }
  const entries: Entry[] = items.slice(-4).map((item, at) => ({ seq: at + 1, id: 'i', turnId: 't', at: 0, item }))
  checks.push(['policy with 16 tools, as the loop asks it', () => judge(judged)])
  checks.push(['digest of 4 entries, 5 KB', () => digestOf(entries)])
  const all = (): void => checks.forEach(([, run]) => run())
  const rows = [...checks, ['all of a turn', all] as const].map(([name, run]) => {
    const times = Array.from({ length: scale.rounds + 1 }, () => cpuMsOf(run, scale.turns.many))
    return [name, fixed(median(times.slice(1)), 4)]
  })
  const [bare, whole] = [await openTurn({ page, answer }), await openTurn({ page, answer, checks: { marker, scan } })]
  const times: [bare: number, whole: number][] = []
  // One extra round: the first warms up the compiler and does not count.
  for (let round = 0; round <= scale.rounds; round++)
    times.push([await cpuMsOfTurns(bare, scale.turns.many), await cpuMsOfTurns(whole, scale.turns.many)])
  const counted = times.slice(1)
  rows.push(
    ['a turn with a 4 KB page, without checks', fixed(median(counted.map(([each]) => each)), 4)],
    ['the same turn with checks', fixed(median(counted.map(([, each]) => each)), 4)],
    ['the difference, round by round', fixed(median(counted.map(([less, more]) => more - less)), 4)],
  )
  return [{ title: 'Checks of an ordinary turn', columns: ['', 'CPU ms'], rows }]
}

async function cpuMsOfTurns(run: () => Promise<void>, times: number): Promise<number> {
  const before = process.cpuUsage()
  for (let time = 0; time < times; time++) await run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000 / times
}

function cpuMsOf(run: () => unknown, times: number): number {
  const before = process.cpuUsage()
  for (let time = 0; time < times; time++) run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000 / times
}
