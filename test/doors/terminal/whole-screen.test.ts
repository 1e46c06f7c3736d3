// The whole screen as it is read, in a wide terminal and in a narrow one: header, transcript, panel, composer and status.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { stripTerminalSequences } from '@earendil-works/pi-tui'
import { type Gate, textMessage } from '#core/item.ts'
import { noUsage } from '#core/turn.ts'
import { turnOver } from '../../turns/house.ts'
import { entry, stage, turn } from './fake.ts'

const usage = { ...noUsage, inputTokens: 1_200, outputTokens: 34, costUsd: 0.0123, model: 'm' }
const gate: Gate = { type: 'gate', callId: 'g', kind: 'approval', name: 'write', args: '{}', prompt: '' }

/** The screen after a turn with a thought, calls and a reply, while a gate waits in another thread. */
async function shown(t: TestContext, columns: number, rows: number, keys: readonly string[]): Promise<string[]> {
  const { app, tell } = await stage(columns, rows, {
    gates: () => Promise.resolve([{ turn: turn('other', 'waiting', { threadId: 'elsewhere' }), gate, at: 0 }]),
  })
  t.after(() => app.close())
  const call = (seq: number, name: string, args: object) =>
    entry(seq, { type: 'call', callId: name, name, args: JSON.stringify(args) }, 'one')
  tell([
    {
      type: 'entries',
      entries: [
        entry(1, textMessage('user', 'What is in the file?\nPlease be brief.'), 'one'),
        { ...entry(2, { type: 'reasoning', text: 'I should look.' }, 'one'), asked: { model: 'm', usage, ms: 1_000 } },
        call(3, 'read', { path: 'notes/a.md' }),
        entry(4, { type: 'attempt', callId: 'read' }, 'one'),
        entry(6, { type: 'result', callId: 'read', output: 'first line\nsecond line' }, 'one'),
        call(7, 'web_fetch', { url: 'https://example.com/' }),
        entry(8, { type: 'attempt', callId: 'web_fetch' }, 'one'),
        entry(9, { type: 'result', callId: 'web_fetch', output: 'it is away', error: true }, 'one'),
        entry(10, textMessage('assistant', 'It has **two** lines:\n\n- first\n- second'), 'one'),
      ],
    },
    {
      type: 'turn',
      turn: turn('one', 'completed', { firstSeq: 1, lastSeq: 10, usage, startedAt: 0, endedAt: 12_000 }),
    },
  ])
  await turnOver(20)
  // Keys are pressed on a screen that was drawn.
  app.render(columns)
  for (const key of keys) app.press(key)
  await turnOver(20)
  return app.render(columns).map((line) => stripTerminalSequences(line).trimEnd())
}

const [up, left, pageUp, pageDown] = ['\u001b[A', '\u001b[D', '\u001b[5~', '\u001b[6~']
const longMessage = Array.from({ length: 14 }, (_, at) => `word${at}`).join(' ')

test('a wide terminal shows the panel beside the thread', async (t) => {
  assert.deepEqual(await shown(t, 110, 26, []), [
    ' ▣ Atrium  A thread                                                                         here  ● 1 waiting',
    '─────────────────────────────────────────────────────────────────────────┬────────────────────────────────────',
    ' ▌ What is in the file?                                                  │ Waiting for you',
    ' ▌ Please be brief.                                                      │   >_ Run write?           just now',
    '                                                                         │',
    ' ▸ … Thought  I should look.                                             │ Threads',
    ' ▸ ✓ read              notes/a.md                                  2.0 s │ ▌ >_ A thread',
    ' ▸ ▲ web_fetch         https://example.com/                   it is away │',
    '                                                                         │',
    ' It has two lines:                                                       │',
    '                                                                         │',
    ' - first                                                                 │',
    ' - second                                                                │',
    '   2 tools · 1,234 tokens · $0.012 · 12 s                       /receipt │',
    '                                                                         │',
    '                                                                         │',
    '                                                                         │',
    '                                                                         │',
    '                                                                         │',
    '                                                                         │',
    '                                                                         │',
    '                                                                         │',
    '                                                                         │',
    '─────────────────────────────────────────────────────────────────────────┴────────────────────────────────────',
    ' ▏ Message Atrium',
    ' m · 1,234 tokens · $0.012                                                                ● connected · /help',
  ])
})

test('Tab, an arrow and Enter unfold the last call', async (t) => {
  assert.deepEqual(await shown(t, 56, 22, ['\t', up, '\r']), [
    ' ▣ Atrium  A thread                         ● 1 waiting',
    '────────────────────────────────────────────────────────',
    ' ▌ What is in the file?',
    ' ▌ Please be brief.',
    '',
    ' ▸ … Thought  I should look.',
    ' ▸ ✓ read  notes/a.md                             2.0 s',
    ' ▾ ▲ web_fetch  https://example.com/         it is away',
    '   │ Arguments',
    '   │   url  https://example.com/',
    '   │ Result, 10 bytes',
    '   │   it is away',
    '',
    ' It has two lines:',
    '',
    ' - first',
    ' - second',
    '   2 tools · 1,234 tokens · $0.012 · 12 s      /receipt',
    '',
    ' ▏Message Atrium',
    '────────────────────────────────────────────────────────',
    ' m · 1,234 tokens · $0.012           ● connected  /help',
  ])
})

test('Page Up shows what came before', async (t) => {
  assert.deepEqual(await shown(t, 50, 12, [pageUp]), [
    ' ▣ Atrium  A thread                   ● 1 waiting',
    '──────────────────────────────────────────────────',
    ' ▌ What is in the file?',
    ' ▌ Please be brief.',
    '',
    ' ▸ … Thought  I should look.',
    ' ▸ ✓ read  notes/a.md                       2.0 s',
    ' ▸ ▲ web_fetch  https://example.com/   it is away',
    '',
    ' ▏ Message Atrium',
    '──────────────────────────────────────────────────',
    ' m · 1,234 tokens · $0.012     ● connected  /help',
  ])
})

test('twice Page Up and one Page Down end where one goes', async (t) => {
  assert.deepEqual(await shown(t, 50, 12, [pageUp, pageUp, pageDown]), [
    ' ▣ Atrium  A thread                   ● 1 waiting',
    '──────────────────────────────────────────────────',
    ' ▸ ▲ web_fetch  https://example.com/   it is away',
    '',
    ' It has two lines:',
    '',
    ' - first',
    ' - second',
    '   2 tools · 1,234 tokens · $0.012 · 12 s',
    ' ▏ Message Atrium',
    '──────────────────────────────────────────────────',
    ' m · 1,234 tokens · $0.012     ● connected  /help',
  ])
})

test('a long message wraps in the composer, and a key goes where the cursor is', async (t) => {
  assert.deepEqual(await shown(t, 44, 14, [...longMessage.split(''), left, left, 'y']), [
    ' ▣ Atrium  A thread             ● 1 waiting',
    '────────────────────────────────────────────',
    ' ▸ ▲ web_fetch  https://exampl…  it is away',
    '',
    ' It has two lines:',
    '',
    ' - first',
    ' - second',
    '   2 tools · 1,234 tokens · $0.012 · 12 s',
    ' ▏word0 word1 word2 word3 word4 word5',
    ' ▏word6 word7 word8 word9 word10 word11',
    ' ▏word12 wordy13',
    '────────────────────────────────────────────',
    ' m · 1,234 tokens · $0.012          ● /help',
  ])
})
