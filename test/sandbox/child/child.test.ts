// A tool's process from its start to its end, with a script in place of the generated code.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { prepareRuntime } from '#sandbox/build/runtime.ts'
import { maxProcessMib } from '#sandbox/child/limits.ts'
import { spawnConfined } from '#sandbox/confine.ts'
import { startProcess } from '#sandbox/supervisor/process.ts'
import { patienceMs } from '../../until.ts'

const folder = mkdtempSync(join(tmpdir(), 'atrium-child-'))
const script = prepareRuntime(folder)
const work = { kind: 'execute', params: '{}', secretNames: [], secretsSet: [] } as const
after(() => rmSync(folder, { recursive: true, force: true }))

/** The folder of a tool with this expression as the output of its calls. */
function toolOf(output: string): string {
  const tool = mkdtempSync(join(folder, 'tool-'))
  writeFileSync(join(tool, 'about.json'), JSON.stringify({ tool: 'tool', witVersion: '0.3' }))
  writeFileSync(
    join(tool, 'tool.js'),
    `export const instantiate = async (core, imports) => ({ tool: { execute: async () => ({ output: ${output} }) } })`,
  )
  return tool
}

test('a guest gets random numbers, though its process has lost its rights by then', async () => {
  const random = `imports['wasi:random/random']`
  const said = `[${random}.getRandomU64(), ${random}.getRandomU64(), ${random}.getRandomBytes(16n).length].join()`
  const child = startProcess({ script, folder: toolOf(said) })
  const host = () => Promise.reject(new Error('no host'))
  const result = await child.run({ work, host, logs: [], deadlineMs: patienceMs })
  child.stop()
  assert(result.type === 'output', JSON.stringify(result))
  const [one, other, length] = result.output.split(',')
  assert.match(`${one} ${other}`, /^\d+ \d+$/)
  assert.notEqual(one, other)
  assert.equal(length, '16')
})

test('a process whose parent is gone ends by itself, without a fault', async () => {
  const tool = toolOf(`'1'`)
  const reads = [`${dirname(script)}/*`, `${tool}/*`]
  const limits = { flags: [], cpuSecs: 60, memoryMib: maxProcessMib, stderr: 'ignore' } as const
  const child = spawnConfined({ script, args: [tool], reads, ...limits })
  await once(child.stdout, 'data')
  child.stdin.end()
  assert.deepEqual(await once(child, 'exit'), [0, null])
})
