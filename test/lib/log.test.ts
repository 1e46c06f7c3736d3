// The log: its lines, its levels, and what never stands in it.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { growth } from '../safety/growth.ts'
import { createRedactor, formatJson, formatText, logTo, openLog, type LogLevel } from '#lib/log.ts'

const now = new Date('2026-01-02T03:04:05.678Z')
const silence = 'hush-hush-value-0123456789'

/** Every line that a log has written to its file. */
async function linesOf(t: TestContext, use: (log: ReturnType<typeof openLog>) => void, secrets: string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-log-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'atrium.log')
  use(openLog({ level: 'info', file, secrets }))
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  return readFileSync(file, 'utf8').split('\n').slice(0, -1)
}

test('a line has the name of its level, its time, its words and its fields', () => {
  assert.deepEqual(JSON.parse(formatJson('warn', { turn: 't', ms: 3 }, 'turn failed', now)), {
    level: 'warn',
    time: '2026-01-02T03:04:05.678Z',
    msg: 'turn failed',
    turn: 't',
    ms: 3,
  })
})

test('each line has the time of its own second, also where the clock was set back', () => {
  for (const time of [
    '2026-01-02T03:04:05.678Z',
    '2026-01-02T03:04:05.007Z',
    '2026-01-02T03:04:06.000Z',
    '2026-01-02T03:04:04.999Z',
    '1969-12-31T23:59:59.999Z',
  ]) {
    const line = JSON.parse(formatJson('info', {}, 'x', new Date(time))) as { time: string }
    assert.equal(line.time, time)
  }
})

test('a fault is logged with its stack and its causes', () => {
  const err = new Error('outer', { cause: new TypeError('inner') })
  const { err: told } = JSON.parse(formatJson('error', { err }, 'x', now)) as { err: Record<string, unknown> }
  assert.equal(told['message'], 'outer')
  assert.match(String(told['stack']), /log\.test\.ts/)
  assert.equal((told['cause'] as Record<string, unknown>)['message'], 'inner')
})

for (const [minLevel, heard] of [
  ['debug', ['debug', 'info', 'warn', 'error']],
  ['warn', ['warn', 'error']],
  ['silent', []],
] as const) {
  test(`the level ${minLevel} lets ${heard.join(', ') || 'nothing'} through`, () => {
    const told: LogLevel[] = []
    const log = logTo((level) => told.push(level), minLevel)
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level]({}, 'x')
    assert.deepEqual(told, heard)
  })
}

test('on a terminal a line is read at a glance, and nothing in it commands the terminal', () => {
  const text = formatText('info', { path: '/api/chat', note: 'a b\u001b]52;c;aGk=\u0007\u009b' }, 'request', now)
  assert.match(text, /^\d\d:\d\d:\d\d info {2}request path=\/api\/chat note="a b/)
  // oxlint-disable-next-line no-control-regex -- these are what must not be there
  assert.doesNotMatch(text.slice(0, -1), /[\0-\x1f\x7f-\x9f]/)
  assert.match(formatText('error', { err: new Error('boom\u001b[2J') }, 'x', now), /\n {4}Error: boom\?\[2J\n {4} +at /)
})

test('lines that wait are written by themselves', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const lines = await linesOf(t, (log) => {
    log.info({}, 'one')
    log.info({}, 'two')
    t.mock.timers.tick(20)
    log.info({}, 'later')
  })
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { msg: string }).msg),
    ['one', 'two'],
  )
})

test('a warning is written before what keeps the process busy', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-log-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'atrium.log')
  openLog({ level: 'info', file }).warn({}, 'upgrading')
  assert.match(readFileSync(file, 'utf8'), /upgrading/)
})

test('lines that wait are written with a warning, in order', async (t) => {
  const lines = await linesOf(t, (log) => {
    for (let at = 0; at < 999; at++) log.info({ at }, 'x')
    log.warn({ at: 999 }, 'x')
  })
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { at: number }).at),
    Array.from({ length: 1_000 }, (_, at) => at),
  )
})

const fields: readonly [what: string, fields: object][] = [
  ['a header', { headers: { authorization: `Bearer ${silence}`, cookie: silence } }],
  ['a name at the top', { token: silence }],
  ['a camel name', { apiKey: silence, authToken: silence, clientSecret: silence }],
  ['a snake name', { api_key: silence, webhook_secret: silence, 'x-api-key': silence }],
  ['a deep name', { a: { b: [{ c: { password: silence } }] } }],
  ['a list under a name', { tokens: [silence], secrets: { a: silence } }],
  ['a field of a fault', { err: Object.assign(new Error('x'), { cause: { secret: silence } }) }],
]
for (const [what, given] of fields) {
  test(`${what} does not bring a secret into the log`, async (t) => {
    const [line = ''] = await linesOf(t, (log) => log.error(given, 'x'))
    assert(!line.includes(silence), line)
    assert(line.includes('***'))
    assert(!formatText('error', given, 'x', now).includes(silence))
  })
}

const texts: readonly [what: string, text: string, secret: string][] = [
  ['a bearer token', `sent Bearer ${silence} to it`, silence],
  ['a basic login', `Basic ${silence}==`, silence],
  ['a token of ours', `no user has atr_${silence}`, silence],
  ['a provider key', `wrong key sk-${silence}`, silence],
  ['the password of a URL', `connect postgres://ada:${silence}@db:5432/x failed`, silence],
  ['the password of a URL without a name', `connect redis://:${silence}@db:6379 failed`, silence],
  ['a password with colons', `connect redis://ada:a:${silence}:@db:6379 failed`, silence],
  ['a secret that is known', 'it said correct horse battery', 'correct horse battery'],
  ['a known secret with a quote', 'it said pass"word\\x', 'pass\\"word'],
]
for (const [what, text, secret] of texts) {
  test(`${what} in the words of a fault is not logged`, async (t) => {
    const known = ['correct horse battery', 'pass"word\\x']
    const lines = await linesOf(t, (log) => log.error({ err: new Error(text), text }, text), known)
    assert.equal(lines.length, 1)
    assert(!lines.join('').includes(secret), lines.join(''))
  })
}

test('the colons of an address take linear time', () => {
  const redact = createRedactor([])
  assert.ok(growth((times) => redact(`a://${'b:'.repeat(times)}`)) < 3)
})

test('a secret that people shall read is written as it is', async (t) => {
  const [line = ''] = await linesOf(t, (log) => log.revealSecret(`the token: atr_${silence}`), [silence])
  assert.equal((JSON.parse(line) as { msg: string }).msg, `the token: atr_${silence}`)
})

test('counts and ordinary words stay', () => {
  const line = formatJson('info', { input_tokens: 7, path: '/api/tokens', ready: true }, 'skipped a task', now)
  assert.equal(createRedactor(['in'])(line), line)
  assert.match(line, /"input_tokens":7/)
})

test('lines that wait are written when the process exits', () => {
  const code = `
    const { openLog } = await import(${JSON.stringify(new URL('../../src/lib/log.ts', import.meta.url).href)})
    openLog({ level: 'info' }).info({}, 'last words')
    process.exit(0)`
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' })
  assert.match(stderr, /"msg":"last words"/)
})

test('a log that cannot be written does not stop the process', async () => {
  const code = `
    const { openLog } = await import(${JSON.stringify(new URL('../../src/lib/log.ts', import.meta.url).href)})
    const log = openLog({ level: 'info', file: '/dev/full' })
    log.warn({}, 'x')
    await new Promise(setImmediate)
    log.info({}, 'y')
    setImmediate(() => process.exit(7))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'ignore' })
  assert.deepEqual(await once(child, 'exit'), [7, null])
})

test('a file that is full is put aside once; the log of all times takes no more than five of them', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-log-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'atrium.log')
  const log = openLog({ level: 'info', file, maxBytes: 1_000 })
  const beside = openLog({ level: 'info', file, maxBytes: 1_000 })
  for (let at = 0; at < 90; at++) {
    const writer = at % 2 === 0 ? log : beside
    writer.warn({ at }, 'x'.repeat(100))
  }
  const names = ['atrium.log.4', 'atrium.log.3', 'atrium.log.2', 'atrium.log.1', 'atrium.log']
  assert.deepEqual(readdirSync(folder).sort(), names.toReversed())
  const numbers = names.flatMap((name) => {
    const path = join(folder, name)
    assert.equal(statSync(path).mode & 0o777, 0o600)
    assert.ok(statSync(path).size <= 2_000, name)
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
    return lines.map((line) => (JSON.parse(line) as { at: number }).at)
  })
  // The newest lines are there, each once and in order.
  assert.deepEqual(
    numbers,
    Array.from(numbers, (_, at) => 90 - numbers.length + at),
  )
})
