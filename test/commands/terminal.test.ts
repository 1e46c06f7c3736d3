// Commands on a real terminal: what others wrote commands nothing there, and Ctrl+C and Ctrl+D mean what they say.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { atrium } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { onTerminal, openTerminal } from '../terminal.ts'

const launcher = fileURLToPath(new URL('../../bin/atrium', import.meta.url))
const home = newHome()
after(home.remove)

const hostile = join(home.path, 'hostile.json')
writeFileSync(
  hostile,
  JSON.stringify({ replies: [{ text: ['a\u001b', ']52;c;', 'aGk=\u0007b\u009b2J', ' done'] }], loop: true }),
)
const slow = join(home.path, 'slow.json')
writeFileSync(
  slow,
  JSON.stringify({ replies: [{ text: ['so ', 'far', ', and more'], chunkDelayMs: 20_000 }], loop: true }),
)
const failing = join(home.path, 'failing.json')
writeFileSync(
  failing,
  JSON.stringify({ replies: [{ error: { code: 'model_failed', message: 'no\u001b]52;c;aGk=\u0007' } }], loop: true }),
)
/** A terminal that can do no more than lines: the chat is the plain one. */
const scripted = (file: string) => ({ LLM_PROVIDER: 'scripted', LLM_SCRIPT: file, NO_COLOR: '1', TERM: 'dumb' })

// oxlint-disable-next-line no-control-regex -- these are what must not be there
const commands = /\u001b\]|\u0007|\u009b/

test('run shows a reply without its control sequences, wherever they are cut', onTerminal, async (t) => {
  const terminal = openTerminal(t, home.path, { args: ['run', '-m', 'x'], env: scripted(hostile) })
  await terminal.until('a\\u{1b}]52;c;aGk=\\u{7}b\\u{9b}2J done')
  assert.equal(await terminal.ended, 0)
  assert.doesNotMatch(terminal.shown(), commands)
})

test('run shows a fault of the model without its control sequences', onTerminal, async (t) => {
  const terminal = openTerminal(t, home.path, { args: ['run', '-m', 'x'], env: scripted(failing) })
  assert.equal(await terminal.ended, 1)
  assert.match(terminal.shown(), /no\\u\{1b\}\]52/)
  assert.doesNotMatch(terminal.shown(), commands)
})

test('a pipe gets the reply by the letter; JSON for a terminal has no control letters', async () => {
  const plain = await atrium(home.path, ['run', '-m', 'x'], { env: scripted(hostile) })
  assert.equal(plain.stdout, 'a\u001b]52;c;aGk=\u0007b\u009b2J done\n')
  const json = await atrium(home.path, ['run', '-m', 'x', '--json'], { env: scripted(hostile) })
  assert.doesNotMatch(json.stdout, commands)
  assert.equal((JSON.parse(json.stdout) as { response: string }).response, 'a\u001b]52;c;aGk=\u0007b\u009b2J done')
})

test('Ctrl+C cancels the turn of run', onTerminal, async (t) => {
  const terminal = openTerminal(t, home.path, { args: ['run', '-m', 'x'], env: scripted(slow) })
  await terminal.until('so ')
  terminal.type('\u0003')
  assert.equal(await terminal.ended, 1)
  assert.match(terminal.shown(), /the turn was cancelled/)
})

test('in the chat Ctrl+C stops a reply, then ends; nothing said there commands the terminal', onTerminal, async (t) => {
  const terminal = openTerminal(t, home.path, { args: [], env: scripted(slow) })
  await terminal.until('▌ ')
  terminal.type('hello\r')
  await terminal.until('so ')
  terminal.type('\u0003')
  await terminal.until('stopped')
  await terminal.until('▌ ')
  terminal.type('again\r')
  await terminal.until('so ')
  terminal.type('\u0003')
  await terminal.until('stopped')
  await terminal.until('▌ ')
  terminal.type('\u0003')
  assert.equal(await terminal.ended, 0)
  assert.doesNotMatch(terminal.shown(), /bug|\n\s+at /)
})

test('the chat shows a reply without its control sequences, and Ctrl+D ends it', onTerminal, async (t) => {
  const terminal = openTerminal(t, home.path, { args: [], env: scripted(hostile) })
  await terminal.until('▌ ')
  terminal.type('hello\r')
  await terminal.until('a\\u{1b}]52;c;aGk=\\u{7}b\\u{9b}2J done')
  await terminal.until('▌ ')
  terminal.type('\u0004')
  assert.equal(await terminal.ended, 0)
  assert.doesNotMatch(terminal.shown(), commands)
  const made = readFileSync(join(home.path, 'atrium.log'), 'utf8').match(
    /gateway token for this start only: (atr_[\w-]+)/,
  )
  assert(made?.[1], 'a generated token is in the log')
  assert(!terminal.shown().includes(made[1]), 'and not on the screen')
})

for (const [key, letter] of [
  ['Ctrl+C', '\u0003'],
  ['Ctrl+D', '\u0004'],
] as const) {
  test(`${key} at a hidden prompt stores nothing`, onTerminal, async (t) => {
    const terminal = openTerminal(t, home.path, { args: ['secret', 'set', 'KEY'] })
    await terminal.until('Value of KEY: ')
    terminal.type(letter)
    assert.equal(await terminal.ended, 1)
    assert.equal(terminal.shown().replaceAll('\r', ''), 'Value of KEY: \nstopped: nothing more was done\n')
    assert.equal((await atrium(home.path, ['secret', 'list', '--json'])).stdout, '[]\n')
  })
}

test('a secret that is typed is not shown, and is stored', onTerminal, async (t) => {
  const terminal = openTerminal(t, home.path, { args: ['secret', 'set', 'KEY'] })
  await terminal.until('Value of KEY: ')
  terminal.type('hush-hush\r')
  assert.equal(await terminal.ended, 0)
  assert.doesNotMatch(terminal.shown(), /hush/)
  assert.match(terminal.shown(), /Stored KEY/)
})

/** Runs a line of shell in which $atrium is the launcher. */
async function shell(line: string): Promise<{ code: number; stderr: string }> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home.path, ATRIUM_HOME: home.path, atrium: launcher }
  const child = spawn('/bin/sh', ['-c', line], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
  const [code] = (await once(child, 'close')) as [number]
  return { code, stderr }
}

test('output that cannot be written is one line and exit code 1', async () => {
  const { code, stderr } = await shell('"$atrium" model list > /dev/full')
  assert.deepEqual([code, stderr], [1, 'error: the output could not be written (ENOSPC)\n'])
})

test('output that is closed is one that cannot be written', async () => {
  const { code, stderr } = await shell('"$atrium" model list >&-')
  assert.deepEqual([code, stderr], [1, 'error: the output could not be written (EBADF)\n'])
})

test('a reader that has enough is no fault', async () => {
  const { stderr } = await shell('{ "$atrium" --help; echo "code $?" >&2; } | true')
  assert.equal(stderr, 'code 0\n')
})
