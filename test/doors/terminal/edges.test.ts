// Around the terminal UI: a service that runs already, one that goes away, a process that is killed, plain terminals.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { atrium, serve } from '../../atrium.ts'
import { newHome } from '../../new-home.ts'
import { until } from '../../until.ts'
import { needsTmux, type Screen, startTmux, type Tmux } from './tmux.ts'

const script = {
  replies: [
    { when: 'slow', text: Array.from({ length: 3_000 }, (_, at) => `word${at} `), chunkDelayMs: 100 },
    { when: 'write', calls: [{ name: 'workspace_write', args: { path: 'a.txt', content: 'hello\n' } }] },
    { afterTool: 'workspace_write', text: 'After the tool: {{result}}' },
    { text: 'You said <{{input}}>', times: 1_000 },
  ],
}
const launcher = fileURLToPath(new URL('../../../bin/atrium', import.meta.url))
const options = needsTmux()
let tmux: Tmux

before(() => {
  if (options.skip === undefined) tmux = startTmux()
})
after(() => tmux?.end())

function prepare(t: TestContext) {
  const home = newHome()
  t.after(home.remove)
  writeFileSync(join(home.path, 'script.json'), JSON.stringify(script))
  const model = { LLM_PROVIDER: 'scripted', LLM_SCRIPT: join(home.path, 'script.json') }
  return { home: home.path, model, env: { ATRIUM_HOME: home.path, GATEWAY_PORT: '0', ...model } }
}

/** The process that has a home. */
async function holderOf(home: string): Promise<number> {
  const { stdout } = await atrium(home, ['status', '--json'])
  return (JSON.parse(stdout) as { pid: number }).pid
}

test(
  'beside a running service the terminal attaches and says so; what waits at other doors is shown',
  options,
  async (t) => {
    const { home, model, env } = prepare(t)
    const service = await serve(home, model)
    t.after(() => service.stop())
    const screen = await tmux.open({ env, columns: 120, rows: 40 })
    const first = await screen.shows(/attached to the running service[\s\S]*● connected/)
    assert.match(first, /sign in +http:\/\/127\.0\.0\.1:\d+\/login#code=/)
    const run = await atrium(home, ['run', '-m', 'write it'], { env: model })
    assert.equal(run.code, 1)
    const shown = await screen.shows(/● 1 waiting[\s\S]*│ Waiting for you\n.*>_ Create a\.txt\?/)
    // It is not of this thread: no dialog opens by itself.
    assert.doesNotMatch(shown, /Nothing has happened yet/)
    await screen.type('/waiting')
    await screen.keys('Enter')
    await screen.shows(/─ Waiting for you ─[\s\S]*Enter opens/)
    await screen.keys('Enter')
    await screen.shows(/Nothing has happened yet[\s\S]*←→ choose/)
    await screen.keys('Right', 'Right', 'Enter')
    await screen.shows(/Enter: allow workspace_write with \.\/a\.txt, for 1 hour/)
    await screen.keys('Down', 'Right', 'Enter')
    await screen.hides(/waiting/)
    const { stdout } = await atrium(home, ['grants', '--json'])
    assert.match(stdout, /"tool": "workspace_write"/)
    const written = join(home, 'workspace', 'a.txt')
    await until(() => existsSync(written) && readFileSync(written, 'utf8') === 'hello\n')
    await screen.keys('C-c')
    await screen.shows(/ended with 0/)
    assert.equal((await atrium(home, ['status'])).code, 0)
  },
)

test(
  'a service that stops is told, what is written stays, and the terminal goes on with a new one',
  options,
  async (t) => {
    const { home, model, env } = prepare(t)
    const first = await serve(home, model)
    const screen = await tmux.open({ env })
    await screen.shows(/● connected/)
    await screen.type('before')
    await screen.keys('Enter')
    await screen.shows(/You said <before>/)
    await first.stop()
    await screen.shows(/The service is not answering[\s\S]*○ reconnecting \d+ s/)
    await screen.type('in between')
    await screen.keys('Enter')
    await screen.shows(/Not sent: .*\n ▏in between/)
    const second = await serve(home, model)
    t.after(() => second.stop())
    await screen.shows(/● connected/)
    await screen.keys('Enter')
    const text = await screen.shows(/You said <in between>/)
    assert.equal(text.match(/You said <before>/g)?.length, 1)
    await screen.keys('C-c')
    await screen.shows(/ended with 0/)
  },
)

/** The program has ended with this code, and the terminal is as it was before it. */
async function isAsBefore(screen: Screen, code: number): Promise<void> {
  await until(async () => (await screen.fact('alternate_on')) === '0' && (await screen.fact('cursor_flag')) === '1')
  // What is typed is seen again, and lines end as they did.
  await screen.type('stty -a | grep -o " icanon\\| echo\\b" | tr -d "\\n"; echo " stands after $ended"')
  await screen.keys('Enter')
  // The shell may have been slower than who types: then its prompt stands before the answer.
  await screen.shows(new RegExp(`^(after> )? icanon echo stands after ${code}$`, 'm'))
}

for (const signal of ['SIGTERM', 'SIGHUP', 'SIGKILL'] as const) {
  test(`${signal} leaves the terminal as it was`, options, async (t) => {
    const { home, env } = prepare(t)
    const screen = await tmux.open({ env })
    await screen.shows(/● connected/)
    process.kill(await holderOf(home), signal)
    // A killed program leaves the screen to its shell before it can be restored: what the shell says then may be gone.
    if (signal !== 'SIGKILL') await screen.shows(/ended with 0/)
    await isAsBefore(screen, signal === 'SIGKILL' ? 137 : 0)
  })
}

for (const [name, fault] of [
  ['an exception that nobody caught', "throw new Error('planted')"],
  ['a rejection that nobody caught', "void Promise.reject(new Error('planted'))"],
] as const) {
  test(`${name} leaves the terminal as it was, and is told`, options, async (t) => {
    const { home, env } = prepare(t)
    const file = join(home, 'fault.mjs')
    writeFileSync(file, `process.on('SIGUSR2', () => { ${fault} })`)
    const screen = await tmux.open({ env: { ...env, NODE_OPTIONS: `--import=${file}` } })
    await screen.shows(/● connected/)
    process.kill(await holderOf(home), 'SIGUSR2')
    await screen.shows(/planted[\s\S]*ended with 1/)
    await isAsBefore(screen, 1)
  })
}

test(
  'a message to a busy thread is queued and says so, and is sent when the turn before it has ended',
  options,
  async (t) => {
    const { env } = prepare(t)
    const screen = await tmux.open({ env })
    await screen.shows(/● connected/)
    await screen.type('be slow')
    await screen.keys('Enter')
    await screen.shows(/word1 /)
    await screen.type('and then')
    await screen.keys('Enter')
    await screen.shows(/▌ and then\n ▌ queued/)
    await screen.keys('Escape')
    await screen.shows(/■ Stopped[\s\S]*You said <and then>/)
    await screen.hides(/▌ queued/)
    await screen.keys('C-c')
    await screen.shows(/ended with 0/)
  },
)

test(
  '/model PROVIDER MODEL answers from the next message on; one that does not answer is told in full',
  options,
  async (t) => {
    const { home, model } = prepare(t)
    const screen = await tmux.open({ env: { ATRIUM_HOME: home, GATEWAY_PORT: '0', LLM_SCRIPT: model.LLM_SCRIPT } })
    await screen.shows(/^ offline · .*● connected/m)
    await screen.type('/model scripted parrot')
    await screen.keys('Enter')
    await screen.shows(/scripted parrot answers from now on\.[\s\S]*\n parrot · 0 tokens/)
    await screen.type('polly')
    await screen.keys('Enter')
    await screen.shows(/You said <polly>/)
    await screen.type('/receipt')
    await screen.keys('Enter')
    await screen.shows(/Model calls\s+│\n│ +parrot /)
    await screen.escape(/Esc closes/)
    await screen.type('/model ollama a-model-with-a-long-name-that-nobody-has-pulled')
    await screen.keys('Enter')
    const told = await screen.shows(/the\s+model\s+in\s+use\s+stays[\s\S]*\n ▏/)
    assert.match(told, /\n parrot · /)
    await screen.keys('C-c')
    await screen.shows(/ended with 0/)
  },
)

test(
  'what is typed before the terminal is taken is not lost, and leaves no trace when it is given back',
  options,
  async (t) => {
    const { env } = prepare(t)
    const screen = await tmux.open({ env, command: `sh -c 'echo begun; read go; exec "$0"' '${launcher}'` })
    await screen.shows(/begun/)
    await screen.keys('Enter')
    await screen.type('early words')
    await screen.keys('Enter')
    await screen.type('and more')
    await screen.shows(/You said <early words>[\s\S]*▏and more/)
    await screen.keys('C-c')
    // The reply is on the screen before its turn is stored: the end may still wait for that.
    await screen.shows(/^thread \S+\nthe service ran .*\n(finishing open work, up to 10 s\n)?ended with 0/m)
  },
)

test('NO_COLOR leaves bold, signs and words; a locale without UTF-8 gets letters of ASCII', options, async (t) => {
  const { env } = prepare(t)
  const screen = await tmux.open({ env: { ...env, NO_COLOR: '1', LC_ALL: 'C' } })
  const text = await screen.shows(/\* connected {2}\/help/)
  // oxlint-disable-next-line no-control-regex -- the letters of ASCII
  assert.match(text, /^[\x00-\x7f]+$/)
  assert.match(text, /# Atrium {2}New thread\n-{80}/)
  assert.doesNotMatch(await screen.styled(), /\[(3[0-7]|2)m/)
  await screen.keys('C-c')
  await screen.shows(/ended with 0/)
})

for (const [name, command] of [
  ['a dumb terminal', `TERM=dumb '${launcher}'`],
  ['a pipe', `sh -c "echo hello | '${launcher}'"`],
] as const) {
  test(`${name} gets the plain chat`, options, async (t) => {
    const { env } = prepare(t)
    const screen = await tmux.open({ env, command })
    await screen.shows(/\/new starts a thread/)
    assert.equal(await screen.fact('alternate_on'), '0')
    if (name === 'a dumb terminal') {
      await screen.type('/nonsense')
      await screen.keys('Enter')
      await screen.shows(/there is no command \/nonsense: /)
      await screen.type('hello')
      await screen.keys('Enter')
    }
    await screen.shows(/You said <hello>/)
    if (name === 'a dumb terminal') {
      await screen.type('write')
      await screen.keys('Enter')
      await screen.shows(
        /● Waiting for you: Create a\.txt\? {2}Nothing has happened yet\.[^]*\+hello[^]*Allow once\? y or n/,
      )
      await screen.keys('Enter')
      await screen.shows(/y allows it once, n does not[^]*Allow once\? y or n/)
      await screen.type('n')
      await screen.keys('Enter')
      await screen.shows(/After the tool: the user did not allow/)
      await screen.keys('C-d')
    }
    await screen.shows(/ended with 0/)
  })
}
