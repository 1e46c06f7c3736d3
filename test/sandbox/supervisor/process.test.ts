// How the parent bears a process that lies, floods or ends, and runs its jobs one at a time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exitFault, type Host, startProcess } from '#sandbox/supervisor/process.ts'
import { openAllFiles } from '../../full-files.ts'
import { patienceMs, until } from '../../until.ts'
import { frame, host, useChildScripts, work } from './child-scripts.ts'

const { startChild } = useChildScripts()

/** Starts a process whose whole code is the attacker's: even the framing is theirs. */
async function lie(code: string, deadlineMs: number): Promise<string> {
  const child = startChild(code)
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
const startSaying = (messages: string) =>
  startChild(`${frame} process.stdin.on('data', () => put(Buffer.concat([${messages}].map(frame))))`)
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
  const child = startChild(
    `${frame}
     process.stdin.once('data', () => put(frame({ type: 'done', result: { type: 'output', output: '1' } })))
     process.stdin.on('end', () => process.exit())
     setInterval(() => put(frame({ type: 'ready' })), 20)`,
  )
  assert.equal((await child.run({ work, host, logs: [], deadlineMs: patienceMs })).type, 'output')
  await until(() => !child.alive)
})

test('a process for whose pipes there are no files fails its call, and harms nothing else', async () => {
  using _ = openAllFiles()
  const child = startProcess({ script: '/none', folder: '/none' })
  await assert.rejects(child.run({ work, host, logs: [], deadlineMs: patienceMs }), {
    code: 'sandbox_unavailable',
    message: /too many open files/,
  })
  child.stop()
})
