// The whole screen as the app draws it: widths, the panel, calls and thoughts folded, approvals, files, the status line.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripTerminalSequences, visibleWidth } from '@earendil-works/pi-tui'
import { AppError } from '#core/errors.ts'
import { type Gate, type Part, textMessage } from '#core/item.ts'
import type { OpenGate } from '#core/turn-store.ts'
import { createList } from '#doors/terminal/list.ts'
import { createTheme } from '#doors/terminal/theme.ts'
import { until } from '../../until.ts'
import { mixedReply } from './drawn.ts'
import { entry, stage, turn } from './fake.ts'

const theme = createTheme({ colour: true, utf8: true })

test('no row is wider than the terminal, whatever its size, and there are as many rows as it has', async () => {
  const gate: Gate = { type: 'gate', callId: 'g', kind: 'approval', name: 'write', args: '{"a":"b"}', prompt: '' }
  const waits = { turn: turn('other', 'waiting'), gate, at: 0 }
  for (const [columns, rows] of [
    [1, 1],
    [5, 3],
    [12, 8],
    [20, 6],
    [40, 12],
    [80, 24],
    [110, 30],
    [300, 50],
  ] as const) {
    const { app, tell } = await stage(columns, rows, { gates: () => Promise.resolve([waits]) })
    tell([
      {
        type: 'entries',
        entries: [
          entry(1, textMessage('user', '日本語 '.repeat(50)), 'one'),
          entry(2, { type: 'call', callId: 'c', name: 'read', args: `{"path":"${'p'.repeat(300)}"}` }, 'one'),
          entry(3, textMessage('assistant', mixedReply), 'one'),
        ],
      },
      { type: 'turn', turn: turn('one', 'completed', { lastSeq: 3 }) },
    ])
    for (let tick = 0; tick < 5; tick++) await new Promise(setImmediate)
    for (const keys of ['', '/help\r', '\u001b', '\t', '\u001b[C', '\r', '\u001b', '\t', '\u001b[A', '\r']) {
      for (const key of keys.startsWith('\u001b') ? [keys] : keys) app.press(key)
      const drawn = app.render(columns)
      assert.equal(drawn.length, rows)
      for (const line of drawn) assert(visibleWidth(line) <= columns, `${columns} x ${rows}: ${line}`)
    }
    app.close()
  }
})

test('from the fourth call in a row, those that are done are one line; Enter unfolds it', async () => {
  const { app, tell } = await stage(80, 24)
  const call = (seq: number, name: string) => entry(seq, { type: 'call', callId: name, name, args: '{}' }, 'one')
  const done = (seq: number, callId: string, more: { error?: true } = {}) =>
    entry(seq, { type: 'result', callId, output: `of ${callId}`, ...more }, 'one')
  const shown = async (): Promise<string> => {
    for (let tick = 0; tick < 5; tick++) await new Promise(setImmediate)
    return stripTerminalSequences(app.render(80).join('\n'))
  }
  const attempt = entry(4, { type: 'attempt', callId: 'first' }, 'one')
  tell([
    {
      type: 'entries',
      entries: [
        call(1, 'first'),
        call(2, 'second'),
        call(3, 'third'),
        attempt,
        done(6, 'first'),
        done(7, 'second', { error: true }),
        done(8, 'third'),
      ],
    },
  ])
  assert.match(await shown(), /✓ first .*\n.*▲ second .*\n.*✓ third /)
  tell([{ type: 'entries', entries: [call(9, 'fourth')] }])
  // What failed and what runs stay to be seen.
  assert.match(await shown(), /^ ▸ ✓ 2 tools, 2\.0 s\n ▸ ▲ second .*of second\n ▸ .* fourth .*running\n\s*\n/m)
  for (const key of ['\t', '\u001b[A', '\u001b[A', '\u001b[A', '\r']) app.press(key)
  assert.match(await shown(), /^ ▾ ✓ 2 tools, 2\.0 s\n ▸ ✓ first .*\n ▸ ▲ second .*\n ▸ ✓ third .*\n.* fourth /m)
  // The first call stands below the line of its row, and unfolds by itself.
  for (const key of ['\u001b[B', '\r']) app.press(key)
  assert.match(await shown(), /^ ▾ ✓ 2 tools, 2\.0 s\n ▾ ✓ first .*\n   │ Arguments\n[\s\S]*of first\n ▸ ▲ second /m)
  for (const key of ['\r', '\u001b[A', '\r']) app.press(key)
  assert.match(await shown(), /^ ▸ ✓ 2 tools, 2\.0 s\n ▸ ▲ second /m)
  app.close()
})

test('the screen of a wide terminal has its panel in 36 columns, and words end before its edge', async () => {
  const { app, tell } = await stage(120, 40)
  const code = '```sql\nSELECT 1\n```'
  tell([
    {
      type: 'entries',
      entries: [
        entry(1, { type: 'call', callId: 'c', name: 'read', args: '{}' }, 'one'),
        entry(2, textMessage('assistant', code), 'one'),
      ],
    },
    { type: 'turn', turn: turn('one', 'completed', { lastSeq: 2 }) },
  ])
  for (let tick = 0; tick < 5; tick++) await new Promise(setImmediate)
  for (const key of '/help\r') app.press(key)
  for (let tick = 0; tick < 5; tick++) await new Promise(setImmediate)
  const rows = app.render(120).map((line) => stripTerminalSequences(line))
  assert.equal(rows[1], `${'─'.repeat(83)}┬${'─'.repeat(36)}`)
  assert(rows.some((row) => row.includes(' running │')))
  assert(rows.some((row) => /\/receipt │/.test(row)))
  assert(rows.some((row) => /│╭─ Help ─+╮$/.test(row) && row.length === 120))
  const rules = rows.filter((row) => /^ {3}(sql )?─+ {2}│/.test(row)).map((row) => row.lastIndexOf('─', 82))
  assert.deepEqual(rules, [80, 80])
  app.close()
})

test('what is told is told in full, in as many lines as it takes, and is not yellow', async () => {
  const { app } = await stage(40, 12)
  for (const key of `/${'nonsense'.repeat(3)}\r`) app.press(key)
  const rows = app.render(40)
  const told = rows.map((row) => stripTerminalSequences(row).trim()).join(' ')
  assert.match(told, /There is no command \/(nonsense){3}: \/help lists them\. Nothing was sent\./)
  assert(!rows.some((row) => row.includes('\u001b[33m')))
  app.close()
})

test('a status line without room has no separators that separate nothing', async () => {
  const { app } = await stage(32, 12)
  assert.match(stripTerminalSequences(app.render(32).at(-1) ?? ''), / ● \/help *$/)
  app.close()
})

test('an approval that follows another one does not take the focus', async () => {
  const gates: OpenGate[] = []
  const { app, tell } = await stage(80, 24, { gates: () => Promise.resolve([...gates]) })
  const open = (callId: string): void => {
    const gate: Gate = { type: 'gate', callId, kind: 'approval', name: callId, args: '{}', prompt: '' }
    gates.splice(0, 1, { turn: turn('one', 'waiting'), gate, at: 0 })
    tell([{ type: 'entries', entries: [entry(gates.length + callId.length, gate, 'one')] }])
  }
  const asks = async (what: RegExp): Promise<void> =>
    until(() => what.test(stripTerminalSequences(app.render(80).join('\n'))))
  open('first')
  await asks(/Run first\?[\s\S]*Tab enters/)
  app.press('\t')
  await asks(/Run first\?[\s\S]*Esc later/)
  open('second')
  await asks(/Run second\?[\s\S]*Tab enters/)
  app.close()
})

test('a file goes with the next message: named above the composer, taken away by Enter, back when it was not sent', async () => {
  const sent: (readonly Part[] | undefined)[] = []
  const { app } = await stage(80, 24, {
    send: ({ threadId = 'thread', files }) => {
      sent.push(files)
      if (files?.length === 1) return Promise.reject(new AppError('shutting_down', 'it is away'))
      return Promise.resolve({ threadId, turnId: 'sent', queued: false })
    },
  })
  const type = (text: string): void => {
    for (const key of text) app.press(key)
  }
  const shows = async (what: RegExp): Promise<void> =>
    until(() => what.test(stripTerminalSequences(app.render(80).join('\n'))))
  for (const name of ['a.log', 'b.log']) {
    type(`/attach ${name}\r`)
    await shows(new RegExp(`⎘ ${name} {2}3 bytes`))
  }
  type('/attach\r')
  await shows(/─ Attached ─[\s\S]*Enter takes it away/)
  type('\r')
  await shows(/Message Atrium/)
  type('look at it\r')
  await shows(/⎘ b\.log[\s\S]*Not sent: it is away|Not sent: it is away[\s\S]*⎘ b\.log/)
  assert.deepEqual(sent.at(-1), [{ type: 'file', name: 'b.log', text: 'abc' }])
  app.close()
})

test('a thought is one line until it is unfolded', async () => {
  const { app, tell } = await stage(60, 24)
  const long = `First words.\n${'more of it '.repeat(10)}\n${'line\n'.repeat(20)}`
  tell([{ type: 'entries', entries: [entry(1, { type: 'reasoning', text: long }, 'one')] }])
  const shows = async (what: RegExp): Promise<void> =>
    until(() => what.test(stripTerminalSequences(app.render(60).join('\n'))))
  await shows(/▸ … Thought {2}First words\. more of it/)
  for (const key of ['\t', '\u001b[A', '\r']) app.press(key)
  await shows(/▾ … Thought *\n {3}│ First words\.\n[\s\S]*more lines, Enter shows all/)
  app.press('\r')
  await shows(/^(?![\s\S]*Enter shows all)/)
  app.close()
})

test('what is set in in a box stays so in all of its lines', () => {
  const list = createList({ title: 'Tools', text: () => ['read', `  ${'word '.repeat(20)}`] }, theme)
  const rows = list.render({ width: 40, height: 12 }).map((line) => stripTerminalSequences(line))
  const words = rows.filter((row) => row.includes('word'))
  assert(words.length > 2)
  for (const row of words) assert.match(row, /^│ {3}word/)
})

const days: readonly [costUsd: number | null, unpricedCalls: number, says: RegExp][] = [
  [0, 0, /^ m · 0 tokens {2,}/],
  [0.84, 0, /^ m · 0 tokens · today \$0\.84 /],
  [0.84, 2, /^ m · 0 tokens · today at least \$0\.84 /],
  [null, 2, /^ m · 0 tokens · cost unknown today /],
]
for (const [costUsd, unpricedCalls, says] of days) {
  test(`the status line tells what is known of the day, and nothing of a thread without a turn: ${says}`, async () => {
    const costToday = { costUsd, unpricedCalls }
    const status = { provider: 'p', model: 'm', skippedModels: [], skills: [], costToday, doors: [] }
    const { app } = await stage(120, 24, { status: () => Promise.resolve(status) })
    const line = (): string => app.render(120).map(stripTerminalSequences).at(-1) ?? ''
    await until(() => says.test(line()))
    app.close()
  })
}
