// The second line: what a process can do whose script is the attacker's own.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { maxProcessMib } from '#sandbox/child/limits.ts'
import { nobodyUid } from '#sandbox/confine.ts'
import { patienceMs } from '../../until.ts'
import { frame, host, root, useChildScripts, work } from './child-scripts.ts'

const { folder, script, startTool, startChild } = useChildScripts()
const secretFile = join(folder, 'secret.txt')
writeFileSync(secretFile, 'treasure')

/** Runs scripts of an attacker in place of the generated code, as if a name had become code. Each has an answer. */
async function attack(...codes: readonly string[]): Promise<string[]> {
  const child = startTool(
    `export async function instantiate(core, imports) {
      const tell = async (run) => { try { return String(await run()) } catch (error) { return 'no: ' + (error.code ?? error.message) } }
      const runs = [${codes.map((code) => `async () => { ${code} }`).join(', ')}]
      const answers = async () => { const all = []; for (const run of runs) all.push(await tell(run)); return all }
      return { tool: { execute: async () => ({ output: JSON.stringify(await answers()) }) } }
    }`,
  )
  try {
    const result = await child.run({ work, host, logs: [], deadlineMs: patienceMs })
    assert(result.type === 'output', JSON.stringify(result))
    return JSON.parse(result.output) as string[]
  } finally {
    child.stop()
  }
}

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
  const child = startTool('export function instantiate() { return { tool: { execute: () => ({ output: "1" }) } } }')
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
  // Nothing is written to them: without a bound this ends with four gigabytes of nothing, and harms nobody.
  const child = startTool(
    `export function instantiate() {
      const fill = () => Array.from({ length: 64 }, () => new ArrayBuffer(64 * 2 ** 20)).length
      return { tool: { execute: ({ params }) => ({ output: String(params === '{}' ? fill() : 'fine') }) } }
    }`,
  )
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
  const child = startChild(code)
  const result = await child.run({ work, host, logs: [], deadlineMs: patienceMs })
  child.stop()
  assert.deepEqual(result, { type: 'error', error: '' })
})
