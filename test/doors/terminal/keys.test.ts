// Every key of the terminal UI, typed on a real terminal.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '../../until.ts'
import type { Screen } from './tmux.ts'
import { allowOnce, useTerminal } from './typed-screen.ts'

const { options, home, open } = useTerminal()
let screen: Screen

test('the first screen has the address, the model and the hint; the log goes to its file', options, async () => {
  screen = await open()
  const text = await screen.shows(/Message Atrium[\s\S]*connected/)
  assert.match(text, /gateway +http:\/\/127\.0\.0\.1:\d+/)
  await screen.shows(/sign in +http:\/\/127\.0\.0\.1:\d+\/login#code=/)
  await screen.shows(/scripted · 0 tokens {2,}.*● connected {2}\/help/)
  assert.equal(await screen.fact('alternate_on'), '1')
  await until(() => /"msg":"started"/.test(readFileSync(join(home, 'atrium.log'), 'utf8')))
})

test('Enter sends; the thread has a title, the reply a receipt line', options, async () => {
  await screen.type('hello world')
  await screen.shows(/▏hello world/)
  await screen.keys('Enter')
  const text = await screen.shows(/You said <hello world>/)
  assert.match(text, /▌ hello world/)
  const after = await screen.shows(/▣ Atrium {2}hello world[\s\S]*\d+ tokens · free · [\d.]+ m?s +\/receipt/)
  assert.match(after, /▏ Message Atrium/)
})

for (const [name, sequence] of [
  ['Shift+Enter as CSI 13;2u', '\u001b[13;2u'],
  ['Shift+Enter as CSI 27;2;13~', '\u001b[27;2;13~'],
  ['Alt+Enter', '\u001b\r'],
  ['a backslash before Enter', '\\\r'],
] as const) {
  test(`${name} is a new line in the composer`, options, async () => {
    await screen.type('above')
    await screen.raw(sequence)
    await screen.type('below')
    await screen.shows(/▏above\n ▏below/)
    await screen.keys('Enter')
    await screen.shows(/You said <above\n below>|▌ above\n ▌ below/)
    await screen.shows(/▏ Message Atrium/)
  })
}

test('a paste of many lines is one message, with its tabs', options, async () => {
  await screen.paste('first\n\tsecond\nthird')
  await screen.shows(/▏first\n ▏␉second\n ▏third/)
  await screen.keys('Enter')
  await screen.shows(/▌ first\n ▌ {5}second\n ▌ third/)
  await screen.paste(Array.from({ length: 40 }, (_, at) => `line ${at}`).join('\n'))
  await screen.shows(/▏\[paste #1 \+40 lines\]/)
  await screen.keys('C-u')
  await screen.shows(/▏ Message Atrium/)
})

test('/attach puts a file beside the next message; one that is not there is told', options, async () => {
  await screen.type('/attach nowhere.txt')
  await screen.keys('Enter')
  await screen.shows(/nowhere\.txt does not exist/)
  writeFileSync(join(home, 'notes.txt'), 'A line of notes.\n'.repeat(200))
  await screen.type(`/attach ${join(home, 'notes.txt')}`)
  await screen.keys('Enter')
  await screen.shows(/⎘ notes\.txt {2}[\d.]+ KB\n ▏ Message Atrium/)
  await screen.type('read this')
  await screen.keys('Enter')
  await screen.shows(/▌ read this\n {3}⎘ notes\.txt {2}[\d.]+ KB[\s\S]*It was read\./)
})

test('@ and a path attach a file; Tab completes the path', options, async () => {
  await screen.type(`read this @${join(home, 'no')}`)
  await screen.shows(/notes\.txt[\s\S]*Tab completes/)
  await screen.keys('Tab')
  await screen.shows(/notes\.txt/)
  await screen.hides(/Tab completes/)
  await screen.keys('Enter')
  await screen.shows(/▌ read this @[^⎘]*⎘ notes\.txt {2}[\d.]+ KB/)
  await screen.shows(/▏ Message Atrium/)
})

test('Up and Down scroll the transcript, and the reader stays where they are', options, async () => {
  await screen.type('a list')
  await screen.keys('Enter')
  await screen.shows(/- row 59[\s\S]*\/receipt/)
  await screen.keys(...Array<string>(30).fill('Up'))
  await screen.shows(/- row 30\n/)
  await screen.hides(/- row 59/)
  await screen.keys(...Array<string>(40).fill('Down'))
  await screen.shows(/- row 59/)
  await screen.keys('PPage')
  await screen.hides(/- row 59/)
  await screen.keys('NPage')
  await screen.shows(/- row 59/)
})

test(
  'in a text of several lines Up and Down move in it, and scroll at its edge; Ctrl+P and Ctrl+N recall',
  options,
  async () => {
    await screen.paste('one\ntwo')
    await screen.shows(/▏two/)
    await screen.keys('Up')
    await screen.type('X')
    await screen.shows(/▏oneX\n ▏two/)
    await screen.keys('Up', 'Up', 'Up', 'Up')
    await screen.hides(/- row 59/)
    await screen.keys('Down', 'Down', 'Down', 'Down', 'Down', 'Down', 'Down', 'Down')
    await screen.shows(/- row 59/)
    await screen.keys('C-p')
    await screen.shows(/▏a list/)
    await screen.keys('C-n')
    await screen.shows(/▏oneX\n ▏two/)
    await screen.keys('C-u', 'BSpace', 'C-u')
    await screen.shows(/▏ Message Atrium/)
  },
)

test('Ctrl+L clears the screen; what was there is above it', options, async () => {
  await screen.keys('C-l')
  await screen.hides(/- row 5/)
  await screen.keys('Up', 'Up', 'Up', 'Up')
  await screen.shows(/- row 59/)
  await screen.keys('Down', 'Down', 'Down', 'Down')
})

test('Esc stops the running turn; what it said is kept', options, async () => {
  await screen.type('be slow')
  await screen.keys('Enter')
  await screen.shows(/word2 [\s\S]*working \d+ s, Esc stops/)
  await screen.keys('Escape')
  const text = await screen.shows(/■ Stopped/)
  assert.match(text, /word1 word2/)
  await screen.hides(/working/)
})

test('a call is one folded line with its state; Tab enters the transcript, Enter unfolds', options, async () => {
  await screen.type('a sum')
  await screen.keys('Enter')
  await screen.shows(/▸ … Thought {2}Six times seven\.\n ▸ ✓ calculate {9}6\*7 +[\d.]+ m?s[\s\S]*The sum is done\./)
  await screen.keys('Tab', 'Up', 'Enter')
  const text = await screen.shows(/▾ ✓ calculate[\s\S]*│ Arguments\n +│ +expression {2}6\*7\n +│ Result, \d+ bytes/)
  assert.match(text, /│ +6\*7 = 42/)
  await screen.keys('Enter')
  await screen.shows(/▸ ✓ calculate/)
  await screen.keys('Escape')
})

test('whoever types in the transcript is back in the composer', options, async () => {
  await screen.keys('Tab')
  await screen.type('typed')
  await screen.shows(/▏typed/)
  await screen.keys('C-u')
})

test('an approval opens without the focus; Enter alone answers nothing', options, async () => {
  await screen.type('write it')
  await screen.keys('Enter')
  const text = await screen.shows(/Waiting for you[\s\S]*Tab enters/)
  assert.match(text, /Create notes\/a\.txt\? {2}Nothing has happened yet\./)
  assert.match(text, /│ \+hello/)
  assert.match(text, /expires in 24 h/)
  assert.match(text, /● 1 waiting/)
  assert.match(text, /Message Atrium; it waits until the request is answered/)
  await screen.keys('Enter', 'Enter')
  // A message can still be written; the dialog takes none of its letters.
  await screen.type('yes')
  await screen.shows(/▏yes/)
  await screen.keys('C-u', 'Tab')
  await screen.shows(/←→ choose {2}Esc later/)
  await screen.keys('Enter', 'Enter')
  assert.doesNotMatch(await screen.shows(/● 1 waiting[\s\S]*←→ choose {2}Esc later/), /workspace_write .* waiting/)
})

test('Esc leaves the approval for later, and /waiting finds it again', options, async () => {
  await screen.escape(/Nothing has happened yet/)
  await screen.shows(/workspace_write .* waiting/)
  await screen.type('/waiting')
  await screen.keys('Enter')
  await screen.shows(/● >_ Create notes\/a\.txt\?/)
  await screen.keys('Enter')
  await screen.shows(/←→ choose {2}Esc later/)
})

test('Deny takes a word to the agent', options, async () => {
  await screen.keys('Left', 'Enter')
  await screen.shows(/Word to the agent/)
  await screen.type('not there')
  await screen.keys('Enter')
  await screen.shows(/✕ workspace_write .* denied[\s\S]*not there/)
  await screen.hides(/1 waiting/)
})

test('Allow once runs the call', options, async () => {
  await screen.type('write it')
  await screen.keys('Enter')
  await screen.shows(/Tab enters/)
  await screen.keys('Tab')
  await screen.shows(/←→ choose/)
  await allowOnce(screen)
  await screen.shows(/✓ workspace_write[\s\S]*After the tool/)
  assert.equal(readFileSync(join(home, 'workspace', 'notes', 'a.txt'), 'utf8'), 'hello\nworld\n')
})
