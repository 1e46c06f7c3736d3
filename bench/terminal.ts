// The cost of a keystroke in the terminal UI, from key to screen output, in a long thread and while a reply streams.
import { textMessage } from '#core/item.ts'
import { entry, type Staged, stage } from '../test/doors/terminal/fake.ts'
import { median, percentile } from './compare.ts'
import { fixed, type Suite } from './suite.ts'
import type { Table } from './table.ts'

const messages = 2_000
const keys = 400
/** Tokens between two keys: 200 tokens and ten keys a second. */
const tokensPerKey = 20
const paragraph =
  'One route is slower: `POST /checkout`. Its **p95** went from 410 to 655 ms after the last commit.\n\n'

export const terminal: Suite = async () => {
  const rows: string[][] = []
  for (const [name, long, streams] of [
    ['an empty thread', false, false],
    ['2,000 messages', true, false],
    ['2,000 messages, 200 tokens a second', true, true],
  ] as const) {
    for (const [columns, height] of [
      [80, 24],
      [200, 60],
    ] as const) {
      const staged = await stage(columns, height)
      if (long) staged.tell([{ type: 'entries', entries: history() }])
      await settled()
      const costs = await typeKeys(staged, streams)
      staged.app.close()
      rows.push([
        `${name}, ${columns} x ${height}`,
        ...[median(costs), percentile(costs, 99), Math.max(...costs)].map((ms) => fixed(ms, 2)),
      ])
    }
  }
  const table: Table = {
    title: 'From a key to the screen, CPU ms',
    columns: ['', 'median', 'p99', 'highest'],
    rows,
  }
  return [table]
}

/** CPU time of each key, including the tokens since the last one. */
async function typeKeys({ app, tui, tell }: Staged, streams: boolean): Promise<number[]> {
  const costs: number[] = []
  let text = ''
  for (let key = 0; key < keys; key++) {
    const before = process.cpuUsage()
    if (streams) {
      for (let token = 0; token < tokensPerKey; token++) {
        const piece = paragraph.slice((token * 5) % paragraph.length, ((token * 5) % paragraph.length) + 5)
        tell([{ type: 'delta', turnId: 'streaming', itemId: 'reply', offset: text.length, text: piece }])
        text += piece
      }
      await settled()
    }
    app.press(key % 40 === 39 ? '\u0015' : 'a')
    tui.renderNow()
    const { user, system } = process.cpuUsage(before)
    costs.push((user + system) / 1_000)
  }
  return costs
}

function history() {
  return Array.from({ length: messages }, (_, at) =>
    entry(
      at + 1,
      textMessage(at % 2 === 0 ? 'user' : 'assistant', paragraph.repeat(at % 2 === 0 ? 1 : 4)),
      `turn ${at >> 1}`,
    ),
  )
}

/** Waits until events are processed. */
async function settled(): Promise<void> {
  for (let tick = 0; tick < 3; tick++) await new Promise(setImmediate)
}
