// The process of the component builder, with scripts in place of the builder.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { runBuilder } from '#sandbox/build/run-builder.ts'
import { openAllFiles } from '../../full-files.ts'
import { patienceMs } from '../../until.ts'

const folder = mkdtempSync(join(tmpdir(), 'atrium-builder-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const parts = { witPath: folder, jsSource: '', jsPath: join(folder, 'entry.js'), moduleRoot: folder }

/** The address of a builder with this code. */
function standIn(name: string, code: string): string {
  const path = join(folder, `${name}.mjs`)
  writeFileSync(path, code)
  return pathToFileURL(path).href
}

test('the builder sees neither the environment nor the folder of its caller', async () => {
  const told = 'Buffer.from(JSON.stringify({ env: process.env, cwd: process.cwd() }))'
  const builder = standIn('telling', `export const componentize = async () => ({ component: ${told} })`)
  const outcome = await runBuilder(builder, parts, { deadlineMs: patienceMs })
  assert(outcome.type === 'component', JSON.stringify(outcome))
  const { env, cwd } = JSON.parse(Buffer.from(outcome.component).toString()) as {
    env: Record<string, string>
    cwd: string
  }
  /** What some shells set by themselves. */
  const own = ['SHLVL', '_']
  const shared = Object.keys(env).filter((name) => name in process.env && !own.includes(name))
  assert.deepEqual({ shared, cwd }, { shared: [], cwd: '/' })
})

test('the deadline of the tool begins when the builder has loaded, and a builder that does not load is not the tool', async () => {
  const builder = standIn('stuck', 'setInterval(() => {}, 60_000)\nawait new Promise(() => {})')
  const outcome = await runBuilder(builder, parts, { deadlineMs: 1, startMs: 500 })
  assert.deepEqual(outcome, { type: 'ended', how: 'it did not start in time' })
})

test('a build that never ends is stopped, and its process is gone', async () => {
  const builder = standIn(
    'endless',
    `import { writeFileSync } from 'node:fs'
    // Before the builder counts as loaded: the deadline begins then.
    writeFileSync(${JSON.stringify(parts.jsPath)}, String(process.pid))
    export function componentize() {
      for (;;) {}
    }`,
  )
  assert.deepEqual(await runBuilder(builder, parts, { deadlineMs: 2_000 }), { type: 'late' })
  const pid = Number(readFileSync(parts.jsPath, 'utf8'))
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
})

test('a builder that cannot be started, because too many files are open, is told so', async () => {
  using _ = openAllFiles()
  const outcome = await runBuilder('file:///none', parts, { deadlineMs: patienceMs })
  assert(outcome.type === 'ended', JSON.stringify(outcome))
  assert.match(outcome.how, /too many open files/)
})
