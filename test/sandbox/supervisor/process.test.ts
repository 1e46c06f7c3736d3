// The second line: what a process can do whose script is the attacker's own, and how the parent bears one that lies.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { maxProcessMib } from '#sandbox/child/limits.ts'
import { nobodyUid } from '#sandbox/confine.ts'
import { exitFault, type Host, startProcess } from '#sandbox/supervisor/process.ts'
import { prepareRuntime } from '#sandbox/build/runtime.ts'
import { patienceMs, until } from '../../until.ts'

const folder = mkdtempSync(join(tmpdir(), 'atrium-process-'))
const script = prepareRuntime(folder)
const root = process.getuid?.() === 0
const host: Host = () => Promise.resolve({ head: { ok: true, status: 200, headers: '{}' } })
const work = { kind: 'execute', params: '{}', secretNames: [], secretsSet: [] } as const
after(() => rmSync(folder, { recursive: true, force: true }))

/** Runs scripts of an attacker in place of the generated code, as if a name had become code. Each has an answer. */
async function attack(...codes: readonly string[]): Promise<string[]> {
  const tool = mkdtempSync(join(folder, 'tool-'))
  writeFileSync(join(tool, 'about.json'), JSON.stringify({ tool: 'tool', witVersion: '0.3' }))
  writeFileSync(
    join(tool, 'tool.js'),
    `export async function instantiate(core, imports) {
      const tell = async (run) => { try { return String(await run()) } catch (error) { return 'no: ' + (error.code ?? error.message) } }
      const runs = [${codes.map((code) => `async () => { ${code} }`).join(', ')}]
      const answers = async () => { const all = []; for (const run of runs) all.push(await tell(run)); return all }
      return { tool: { execute: async () => ({ output: JSON.stringify(await answers()) }) } }
    }`,
  )
  const child = startProcess({ script, folder: tool, ...(root && { uid: nobodyUid }) })
  try {
    const result = await child.run({ work, host, logs: [], deadlineMs: patienceMs })
    assert(result.type === 'output', JSON.stringify(result))
    return JSON.parse(result.output) as string[]
  } finally {
    child.stop()
  }
}

const secretFile = join(folder, 'secret.txt')
writeFileSync(secretFile, 'treasure')

/** Node writes what it loads to objects: a setter on their prototype would be given it. */
const watching = `
  const seen = []
  const names = ['setEngine', 'SecureContext', 'getSystemCACertificates', 'Hash', 'KeyObjectHandle', 'RandomBytesJob', 'constants']
  for (const name of names)
    Object.defineProperty(Object.prototype, name, { configurable: true, set() { seen.push(name) } })
  try {
    imports['wasi:random/random'].getRandomU64()
    imports['wasi:random/random'].getRandomBytes(8n)
    imports['wasi:clocks/monotonic-clock'].now()
  } catch {
    // What it has seen by then counts.
  }
  for (const name of names) delete Object.prototype[name]
  if (seen.length === 0) throw new Error('nothing is loaded')
  return seen.join()`
const attacks: readonly [what: string, code: string][] = [
  ['load a platform module', `return (await import('node:fs')).readFileSync('${secretFile}')`],
  ['load a file', `return Object.keys(await import('file://${script}'))`],
  ['load another text', `return (await import('data:text/javascript,export default 1')).default`],
  ['get a platform module', `return process.getBuiltinModule('fs')`],
  ['see the process', `return process.pid`],
  ['require', `return require('fs')`],
  ['make code of text', `return eval('1+1')`],
  ['make a function of text', `return new Function('return 1')()`],
  ['make a function by the back door', `return (async () => {}).constructor('return 1')()`],
  ['fetch', `return (await fetch('http://127.0.0.1:1')).status`],
  ['open a socket', `return new WebSocket('ws://127.0.0.1:1')`],
  ['start a thread', `return new Worker('x')`],
  ['watch a module of Node being loaded', watching],
]
test("an attacker's script can do none of these", async (t) => {
  const answers = await attack(...attacks.map(([, code]) => code))
  for (const [at, [what]] of attacks.entries()) await t.test(what, () => assert.match(answers[at] ?? '', /^no: /))
})

test('an attacker finds neither the environment nor the rights of the parent', async () => {
  const [seen] = await attack(`
    const found = []
    for (const key of Object.getOwnPropertyNames(globalThis)) {
      let value
      try { value = globalThis[key] } catch { continue }
      if (value && typeof value === 'object' && ('kill' in value || 'env' in value || 'binding' in value)) found.push(key)
    }
    return JSON.stringify(found)`)
  assert.equal(seen, '[]')
})

test('the process runs as nobody where the service is root, without environment, with an end to its CPU time', async () => {
  const tool = join(folder, 'own')
  mkdirSync(tool)
  writeFileSync(join(tool, 'about.json'), JSON.stringify({ tool: 'tool', witVersion: '0.3' }))
  writeFileSync(
    join(tool, 'tool.js'),
    'export function instantiate() { return { tool: { execute: () => ({ output: "1" }) } } }',
  )
  const child = startProcess({ script, folder: tool, ...(root && { uid: nobodyUid }) })
  await child.run({ work, host, logs: [], deadlineMs: patienceMs })
  const look = (name: string): string => readFileSync(`/proc/${child.pid}/${name}`, 'utf8')
  if (root) assert.match(look('status'), new RegExp(`^Uid:\\s+${nobodyUid}\\s+${nobodyUid}`, 'm'))
  assert.match(look('limits'), /Max cpu time\s+120\s/)
  assert.match(look('limits'), /Max core file size\s+0\s/)
  if (root) assert.equal(look('environ'), '')
  child.stop()
})

const bounded = process.platform === 'linux' ? {} : { skip: 'only Linux bounds what a process makes writable' }
test('buffers that Node does not count are bounded by the system, and the next call runs', bounded, async () => {
  const tool = mkdtempSync(join(folder, 'buffers-'))
  writeFileSync(join(tool, 'about.json'), JSON.stringify({ tool: 'tool', witVersion: '0.3' }))
  // Nothing is written to them: without a bound this ends with four gigabytes of nothing, and harms nobody.
  writeFileSync(
    join(tool, 'tool.js'),
    `export function instantiate() {
      const fill = () => Array.from({ length: 64 }, () => new ArrayBuffer(64 * 2 ** 20)).length
      return { tool: { execute: ({ params }) => ({ output: String(params === '{}' ? fill() : 'fine') }) } }
    }`,
  )
  const child = startProcess({ script, folder: tool, ...(root && { uid: nobodyUid }) })
  try {
    const result = await child.run({ work, host, logs: [], deadlineMs: patienceMs })
    assert.deepEqual(result, { type: 'fault', code: 'memory_limit', message: 'the tool used more memory than it may' })
    const limits = readFileSync(`/proc/${child.pid}/limits`, 'utf8')
    assert.match(limits, new RegExp(`^Max data size\\s+${maxProcessMib * 2 ** 20}\\s`, 'm'))
    const next = await child.run({ work: { ...work, params: '[]' }, host, logs: [], deadlineMs: patienceMs })
    assert.deepEqual(next, { type: 'output', output: 'fine' })
  } finally {
    child.stop()
  }
})

/** Starts a process whose whole code is the attacker's: even the framing is theirs. */
async function lie(code: string, deadlineMs: number): Promise<string> {
  const own = mkdtempSync(join(folder, 'lie-'))
  const file = join(own, 'child.mjs')
  writeFileSync(file, `import { writeSync } from 'node:fs'\n${code}`)
  const child = startProcess({ script: file, folder: own })
  try {
    const result = await child.run({ work, host, logs: [], deadlineMs })
    return result.type
  } catch (error) {
    assert.equal(child.alive, false)
    return (error as { code: string }).code
  } finally {
    child.stop()
  }
}

const frame = `const frame = (head) => { const t = Buffer.from(JSON.stringify(head)); const p = Buffer.alloc(8)
  p.writeUInt32LE(t.length, 0); p.writeUInt32LE(t.length, 4); return Buffer.concat([p, t]) }
const put = (bytes) => { for (let at = 0; at < bytes.length; ) try { at += writeSync(1, bytes, at) } catch {} }\n`
const lies: readonly [what: string, code: string, expected: string][] = [
  [
    'announces a frame of 4 GiB',
    'const p = Buffer.alloc(8, 255); writeSync(1, p); setInterval(() => {}, 1000)',
    'flood',
  ],
  ['sends messages without end', `${frame} for (;;) put(frame({ type: 'ready' }))`, 'flood'],
  [
    'sends questions without end',
    `${frame} for (let id = 0; ; id++) put(frame({ type: 'workspace', id, path: 'x' }))`,
    'flood',
  ],
  [
    'asks again before it took the answer',
    `${frame} put(Buffer.concat([1, 2].map((id) => frame({ type: 'workspace', id, path: 'x' })))); setInterval(() => {}, 1000)`,
    'flood',
  ],
  [
    'sends bytes without end',
    `${frame} const big = Buffer.alloc(11e6); const p = Buffer.alloc(8); p.writeUInt32LE(big.length, 0); for (;;) { put(p); put(big) }`,
    'flood',
  ],
  [
    'sends no JSON',
    `const p = Buffer.from([4,0,0,0,4,0,0,0,123,123,123,123]); writeSync(1, p); setInterval(() => {}, 1000)`,
    'flood',
  ],
  [
    'sends a head longer than its frame',
    'const p = Buffer.from([4,0,0,0,9,0,0,0,1,1,1,1]); writeSync(1, p); setInterval(() => {}, 1000)',
    'flood',
  ],
  ['sends an unknown message', `${frame} put(frame({ type: 'please' })); setInterval(() => {}, 1000)`, 'flood'],
  [
    'sends a result of the wrong shape',
    `${frame} put(frame({ type: 'done', result: { type: 'output', output: 7 } })); setInterval(() => {}, 1000)`,
    'flood',
  ],
  [
    'sends an output that is too long',
    `${frame} put(frame({ type: 'done', result: { type: 'output', output: 'x'.repeat(2e6) } })); setInterval(() => {}, 1000)`,
    'flood',
  ],
  ['says nothing', 'setInterval(() => {}, 1000)', 'time_limit'],
  ['ends at once', '', 'crashed'],
  ['ends by a signal', `process.kill(process.pid, 'SIGSEGV')`, 'crashed'],
  ['runs out of heap', `const all = []; for (;;) all.push(new Array(1e5).fill(all.length))`, 'memory_limit'],
]
for (const [what, code, expected] of lies) {
  // Only one that says nothing may be found out by the deadline.
  const deadlineMs = expected === 'time_limit' ? 500 : patienceMs
  test(`a process that ${what} is put to an end`, async () => assert.equal(await lie(code, deadlineMs), expected))
}

for (const [code, signal, expected] of [
  [null, 'SIGABRT', 'memory_limit'],
  [null, 'SIGTRAP', 'memory_limit'],
  [null, 'SIGILL', 'memory_limit'],
  [134, null, 'memory_limit'],
  [133, null, 'memory_limit'],
  [null, 'SIGSEGV', 'crashed'],
  [1, null, 'crashed'],
] as const) {
  test(`a process that ends with ${signal ?? code} is told as ${expected}`, () => {
    const fault = exitFault(code, signal)
    assert.equal(fault.code, expected)
    if (expected === 'crashed') assert(fault.message.includes(signal ?? `code ${code}`), fault.message)
  })
}

/** A child that answers each call by these messages. */
function startSaying(messages: string) {
  const own = mkdtempSync(join(folder, 'saying-'))
  writeFileSync(
    join(own, 'child.mjs'),
    `import { writeSync } from 'node:fs'\n${frame} process.stdin.on('data', () => put(Buffer.concat([${messages}].map(frame))))`,
  )
  return startProcess({ script: join(own, 'child.mjs'), folder: own })
}
const output = `{ type: 'done', result: { type: 'output', output: '1' }, cpuMs: 7, logs: [{ level: 'warn', message: 'last' }] }`

test('a process runs one job at a time, none that was cancelled, and none once it is stopped', async () => {
  const child = startSaying(output)
  const logs: { level: string; message: string }[] = []
  const job = { work, host, logs, deadlineMs: patienceMs }
  await assert.rejects(child.run({ ...job, signal: AbortSignal.abort() }), /cancelled/)
  const first = child.run(job)
  await assert.rejects(child.run(job), /not free/)
  assert.deepEqual([await first, child.alive, child.cpuMs], [{ type: 'output', output: '1' }, true, 7])
  assert.deepEqual(logs, [{ level: 'warn', message: 'last' }])
  child.stop()
  assert.equal(child.alive, false)
  await assert.rejects(child.run(job), /not free/)
})

test('log lines of many messages are bounded together', async () => {
  const some = `{ type: 'logs', lines: Array.from({ length: 700 }, () => ({ level: 'info', message: 'x' })) }`
  const child = startSaying(`${some}, ${some}, ${output}`)
  const logs: { level: string; message: string }[] = []
  await child.run({ work, host, logs, deadlineMs: patienceMs })
  child.stop()
  assert.equal(logs.length, 1_000)
})

test('a host that fails ends the call with its cause', async () => {
  const child = startSaying(`{ type: 'workspace', id: 1, path: 'x' }`)
  const cause = new Error('no disk')
  const failing: Host = () => Promise.reject(cause)
  await assert.rejects(child.run({ work, host: failing, logs: [], deadlineMs: patienceMs }), {
    code: 'sandbox_unavailable',
    cause,
  })
  assert.equal(child.alive, false)
})

test('a process that speaks between two calls is put to an end', async () => {
  const own = mkdtempSync(join(folder, 'chatter-'))
  writeFileSync(
    join(own, 'child.mjs'),
    `import { writeSync } from 'node:fs'\n${frame}
     process.stdin.once('data', () => put(frame({ type: 'done', result: { type: 'output', output: '1' } })))
     process.stdin.on('end', () => process.exit())
     setInterval(() => put(frame({ type: 'ready' })), 20)`,
  )
  const child = startProcess({ script: join(own, 'child.mjs'), folder: own })
  assert.equal((await child.run({ work, host, logs: [], deadlineMs: patienceMs })).type, 'output')
  await until(() => !child.alive)
})

test('even a whole child of the attacker reads no file, sees no variable, and starts nothing', async () => {
  const code = `${frame}
    const tries = {
      file: async () => (await import('node:fs')).readFileSync('${secretFile}', 'utf8'),
      list: async () => (await import('node:fs')).readdirSync('/'),
      write: async () => (await import('node:fs')).writeFileSync('/tmp/x', ''),
      run: async () => (await import('node:child_process')).execSync('id'),
      thread: async () => new (await import('node:worker_threads')).Worker('1', { eval: true }),
      net: async () => new Promise(async (ok, no) => (await import('node:net')).connect(80, '127.0.0.1').on('error', no).on('connect', ok)),
      sqlite: async () => import('node:sqlite'),
      ffi: async () => import('node:ffi'),
      native: async () => process.dlopen({}, '/lib/x.node'),
      wasi: async () => new (await import('node:wasi')).WASI({ version: 'preview1' }),
      inspect: async () => (await import('node:inspector')).open(0),
    }
    const done = []
    for (const [name, run] of Object.entries(tries)) await run().then(() => done.push(name), () => {})
    done.push(...Object.keys(process.env))
    put(frame({ type: 'done', result: { type: 'error', error: done.join() }, logs: [] }))
    setInterval(() => {}, 1000)`
  const own = mkdtempSync(join(folder, 'whole-'))
  const file = join(own, 'child.mjs')
  writeFileSync(file, `import { writeSync } from 'node:fs'\n${code}`)
  const child = startProcess({ script: file, folder: own })
  const result = await child.run({ work, host, logs: [], deadlineMs: patienceMs })
  child.stop()
  assert.deepEqual(result, { type: 'error', error: '' })
})
