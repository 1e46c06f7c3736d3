// Every key of the terminal UI, and every command, typed on a real terminal.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { visibleWidth } from '@earendil-works/pi-tui'
import { newHome } from '../../new-home.ts'
import { until } from '../../until.ts'
import { launcher, needsTmux, type Screen, startTmux, type Tmux } from './tmux.ts'

const script = {
  replies: [
    { when: 'read this', text: 'It was read.' },
    { when: 'slow', text: Array.from({ length: 3_000 }, (_, at) => `word${at} `), chunkDelayMs: 100 },
    { when: 'list', text: Array.from({ length: 60 }, (_, at) => `- row ${at}`).join('\n') },
    { when: 'sum', reasoning: 'Six times seven.', calls: [{ name: 'calculate', args: { expression: '6*7' } }] },
    { afterTool: 'calculate', text: 'The sum is done.' },
    { when: 'write', calls: [{ name: 'workspace_write', args: { path: 'notes/a.txt', content: 'hello\nworld\n' } }] },
    { afterTool: 'workspace_write', text: 'After the tool: {{result}}' },
    { when: 'hostile', text: ['a\u001b]52;c;aGk=\u0007b', '\u001b[2J\u202Edone'] },
    { text: 'You said <{{input}}>', times: 1_000 },
  ],
}

const options = needsTmux()
const home = newHome()
let tmux: Tmux
let screen: Screen

const env = (more: Record<string, string> = {}): Record<string, string> => ({
  ATRIUM_HOME: home.path,
  GATEWAY_PORT: '0',
  ATRIUM_SHELL: 'true',
  LLM_PROVIDER: 'scripted',
  LLM_SCRIPT: join(home.path, 'script.json'),
  ...more,
})

before(() => {
  if (options.skip !== undefined) return
  writeFileSync(join(home.path, 'script.json'), JSON.stringify(script))
  tmux = startTmux()
})
after(() => {
  tmux?.end()
  home.remove()
})

test('the first screen has the address, the model and the hint; the log goes to its file', options, async () => {
  screen = await tmux.open({ env: env() })
  const text = await screen.shows(/Message Atrium[\s\S]*connected/)
  assert.match(text, /gateway +http:\/\/127\.0\.0\.1:\d+/)
  await screen.shows(/sign in +http:\/\/127\.0\.0\.1:\d+\/login#code=/)
  assert.match(text, /scripted · 0 tokens {2,}.*● connected {2}\/help/)
  assert.equal(await screen.fact('alternate_on'), '1')
  await until(() => /"msg":"started"/.test(readFileSync(join(home.path, 'atrium.log'), 'utf8')))
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
  writeFileSync(join(home.path, 'notes.txt'), 'A line of notes.\n'.repeat(200))
  await screen.type(`/attach ${join(home.path, 'notes.txt')}`)
  await screen.keys('Enter')
  await screen.shows(/⎘ notes\.txt {2}[\d.]+ KB\n ▏ Message Atrium/)
  await screen.type('read this')
  await screen.keys('Enter')
  await screen.shows(/▌ read this\n {3}⎘ notes\.txt {2}[\d.]+ KB[\s\S]*It was read\./)
})

test('@ and a path attach a file; Tab completes the path', options, async () => {
  await screen.type(`read this @${join(home.path, 'no')}`)
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
  await screen.shows(/- row 59/)
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
  await screen.shows(/workspace_write .* waiting/)
})

test('Esc leaves the approval for later, and /waiting finds it again', options, async () => {
  await screen.escape(/Nothing has happened yet/)
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
  // It takes no answer in its first moment: the arrow is pressed until it chooses, and goes no further than this.
  await until(async () => {
    if (/\[7m\[ Allow once \]/.test(await screen.styled())) return true
    await screen.keys('Left')
    return false
  })
  await screen.keys('Enter')
  await screen.shows(/✓ workspace_write[\s\S]*After the tool/)
  assert.equal(readFileSync(join(home.path, 'workspace', 'notes', 'a.txt'), 'utf8'), 'hello\nworld\n')
})

test('! and a command run in the workspace once it is allowed', options, async () => {
  await screen.type('!echo from the shell > made.txt; cat made.txt')
  await screen.keys('Enter')
  await screen.shows(/Run `echo from the shell[\s\S]*Tab enters/)
  await screen.keys('Tab')
  await until(async () => {
    if (/\[7m\[ Allow once \]/.test(await screen.styled())) return true
    await screen.keys('Left')
    return false
  })
  await screen.keys('Enter')
  await screen.shows(/✓ workspace_shell[\s\S]*You said <!echo from/)
  assert.equal(readFileSync(join(home.path, 'workspace', 'made.txt'), 'utf8'), 'from the shell\n')
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
  ['/tools', /─ Tools ─[\s\S]*calculate {2}looks/],
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

test('Ctrl+C with a draft clears it and says that a second one leaves', options, async () => {
  await screen.type('half a thought')
  await screen.shows(/▏half a thought/)
  await screen.keys('C-c')
  await screen.shows(/Cleared; Ctrl\+P brings it back\. Ctrl\+C again leaves and stops the service/)
  await screen.keys('C-p')
  await screen.shows(/▏half a thought/)
  await screen.keys('C-u')
  await screen.shows(/▏ Message Atrium/)
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
    const words = Object.entries(env()).map(([name, value]) => `${name}='${value}'`)
    await screen.type('clear')
    await screen.keys('Enter')
    await screen.hides(/ended with/)
    await screen.type(`${words.join(' ')} '${launcher}' --continue`)
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
    await screen.keys('C-c', 'C-c')
    await screen.shows(/the service ran in this terminal[\s\S]*after>/)
  },
)

test('--thread with an id that no thread has is told', options, async () => {
  const words = Object.entries(env()).map(([name, value]) => `${name}='${value}'`)
  await screen.type(`${words.join(' ')} '${launcher}' --thread nowhere`)
  await screen.keys('Enter')
  await screen.shows(/no thread has the id nowhere/)
})
