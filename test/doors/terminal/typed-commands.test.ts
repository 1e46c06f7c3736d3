// Every command of the terminal UI, typed on a real terminal, the sizes of the screen, and what is left behind.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { visibleWidth } from '@earendil-works/pi-tui'
import type { Screen } from './tmux.ts'
import { allowOnce, useTerminal } from './typed-screen.ts'

const { options, home, open, commandLine } = useTerminal()
let screen: Screen

before(async () => {
  if (options.skip !== undefined) return
  screen = await open()
  await screen.shows(/Message Atrium[\s\S]*connected/)
  await screen.type('hello world')
  await screen.keys('Enter')
  await screen.shows(/You said <hello world>[\s\S]*\/receipt/)
})

test('! and a command run in the workspace once it is allowed', options, async () => {
  await screen.type('!echo from the shell > made.txt; cat made.txt')
  await screen.keys('Enter')
  await screen.shows(/Run `echo from the shell[\s\S]*Tab enters/)
  await screen.keys('Tab')
  await allowOnce(screen)
  await screen.shows(/✓ workspace_shell[\s\S]*You said <!echo from/)
  assert.equal(readFileSync(join(home, 'workspace', 'made.txt'), 'utf8'), 'from the shell\n')
})

test('a slash offers commands, Tab completes one, and Enter runs what its letters offer', options, async () => {
  await screen.type('/re')
  await screen.shows(/\/receipt +what the latest turn did and cost/)
  await screen.keys('Tab')
  await screen.shows(/▏\/receipt/)
  await screen.hides(/Tab completes/)
  await screen.keys('C-u')
  await screen.type('/hel')
  await screen.keys('Enter')
  await screen.shows(/─ Help ─/)
  await screen.escape(/Esc closes/)
})

test('an unknown command alone is told and not sent; with words behind it, it is a message', options, async () => {
  await screen.type('/nonsense')
  await screen.keys('Enter')
  await screen.shows(/There is no command \/nonsense[\s\S]*▏\/nonsense/)
  await screen.keys('C-u')
  await screen.type('/nonsense please')
  await screen.keys('Enter')
  await screen.shows(/You said <\/nonsense please>/)
  await screen.type('/etc/hosts is a path')
  await screen.keys('Enter')
  await screen.shows(/You said <\/etc\/hosts is a path>/)
})

for (const [command, shown] of [
  ['/help', /─ Help ─[\s\S]*Shift\+Enter {2}new line[\s\S]*Ctrl\+C +quit[\s\S]*\/model \/tools \/memory \/receipt/],
  ['/threads', /─ Threads ─[\s\S]*▌ >_ hello world/],
  ['/tools', /─ Tools ─[\s\S]*calculate {2}reads/],
  ['/memory', /─ Memory ─[\s\S]*No documents yet/],
  ['/missions', /─ Missions ─[\s\S]*No missions yet/],
  ['/skills', /─ Skills ─[\s\S]*No skills yet/],
  ['/memory sunscreen', /─ Memory ─[\s\S]*Nothing matches sunscreen/],
  ['/receipt', /─ Receipt ─[\s\S]*Cost {2}free[\s\S]*matches the log/],
  ['/model', /─ Model ─[\s\S]*scripted answers/],
  ['/login', /─ Sign in ─[\s\S]*http:\/\/127\.0\.0\.1:\d+\/login#code=/],
  ['/waiting', /─ Waiting for you ─[\s\S]*Nothing waits for you/],
] as const) {
  test(`${command} opens its box, and Esc closes it`, options, async () => {
    await screen.type(command)
    await screen.keys('Enter')
    await screen.shows(shown)
    await screen.escape(/Esc closes/)
  })
}

test('/model that does not fit is told, and changes nothing', options, async () => {
  await screen.type('/model nobody')
  await screen.keys('Enter')
  await screen.shows(/the provider must be one of/)
})

test('/new begins a thread, /open finds one again', options, async () => {
  await screen.type('/new')
  await screen.keys('Enter')
  await screen.shows(/▣ Atrium {2}New thread/)
  await screen.type('another beginning')
  await screen.keys('Enter')
  await screen.shows(/▣ Atrium {2}another beginning[\s\S]*You said <another beginning>/)
  await screen.type('/open nowhere')
  await screen.keys('Enter')
  await screen.shows(/No thread is called nowhere/)
  await screen.type('/open hello')
  await screen.keys('Enter')
  await screen.shows(/▣ Atrium {2}hello world[\s\S]*You said <\/etc\/hosts is a path>/)
})

test('nothing that others wrote commands the terminal', options, async () => {
  await screen.type('hostile')
  await screen.keys('Enter')
  await screen.shows(/a\\u\{1b\}\]52;c;aGk=\\u\{7\}b\\u\{1b\}\[2J\\u\{202e\}done/)
})

test('wide, combining and right-to-left letters and emoji stand where they belong', options, async () => {
  await screen.type('/new')
  await screen.keys('Enter')
  await screen.shows(/New thread/)
  await screen.type('日本語 e\u0301 👩‍👩‍👧 שלום')
  await screen.shows(/▏日本語 e\u0301 👩/)
  await screen.keys('BSpace', 'BSpace', 'BSpace', 'BSpace', 'BSpace', 'BSpace', 'BSpace', 'BSpace')
  await screen.shows(/▏日本語 *\n/)
  await screen.keys('C-u')
})

test('40 x 12, 120 x 40 and back: the same thread, with a panel where there is room', options, async () => {
  await screen.type('/open hello')
  await screen.keys('Enter')
  await screen.shows(/▣ Atrium {2}hello world/)
  await screen.resize(40, 12)
  const small = await screen.shows(/^.{0,40}\/help$/m)
  assert(small.split('\n').every((row) => visibleWidth(row) <= 40))
  assert.match(small, /scripted/)
  await screen.resize(120, 40)
  await screen.shows(/┬─+\n[\s\S]*│ Threads\n[\s\S]*▌ >_ hello world/)
  await screen.keys('Tab', 'Tab', 'Down', 'Enter')
  await screen.shows(/▣ Atrium {2}another beginning/)
  await screen.resize(300, 50)
  await screen.shows(/─{250,}/)
  await screen.resize(80, 24)
  await screen.hides(/│ Threads/)
})

test('/quit leaves the terminal as it was', options, async () => {
  await screen.type('/quit')
  await screen.keys('Enter')
  const text = await screen.shows(/ended with 0\nafter>/)
  assert.match(text, /^thread [0-9a-f-]{36}$/m)
  assert.match(text, /the service ran in this terminal and stops; .* serve` keeps it/)
  assert.equal(await screen.fact('alternate_on'), '0')
  assert.equal(await screen.fact('cursor_flag'), '1')
})

test(
  '--continue opens the latest thread; Ctrl+Z gives the terminal to the shell, and fg brings it back',
  options,
  async () => {
    await screen.type('clear')
    await screen.keys('Enter')
    await screen.hides(/ended with/)
    await screen.type(commandLine('--continue'))
    await screen.keys('Enter')
    await screen.shows(/▣ Atrium {2}hello world[\s\S]*● connected/)
    await screen.type('kept')
    await screen.shows(/▏kept/)
    await screen.keys('C-z')
    await screen.shows(/Suspended; fg brings Atrium back\.[\s\S]*after>/)
    assert.equal(await screen.fact('alternate_on'), '0')
    await screen.type('echo typed $((1+1))')
    await screen.keys('Enter')
    await screen.shows(/^typed 2$/m)
    await screen.type('fg')
    await screen.keys('Enter')
    await screen.shows(/▣ Atrium {2}hello world[\s\S]*▏kept/)
    assert.equal(await screen.fact('alternate_on'), '1')
    await screen.keys('C-c')
    await screen.shows(/the service ran in this terminal[\s\S]*after>/)
  },
)

test('--thread with an id that no thread has is told', options, async () => {
  await screen.type(commandLine('--thread nowhere'))
  await screen.keys('Enter')
  await screen.shows(/no thread has the id nowhere/)
})
