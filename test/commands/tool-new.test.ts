// From an empty folder to a tool that the agent can call, as the pages say it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { atrium, newHome } from '../atrium.ts'

const home = newHome()
after(home.remove)
const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts')

/** A command in the folder of the home. */
function inFolder(...args: string[]): { code: number | null; text: string } {
  const ran = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...args], {
    cwd: home.path,
    env: { PATH: process.env['PATH'] ?? '', HOME: home.path, ATRIUM_HOME: join(home.path, 'home') },
    encoding: 'utf8',
    input: '',
  })
  return { code: ran.status, text: ran.stdout + ran.stderr }
}

test('a new tool builds, installs and answers at once', () => {
  const made = inFolder('tool', 'new', 'greeter')
  assert.equal(made.code, 0, made.text)
  assert.equal(inFolder('tool', 'new', 'greeter').code, 2, 'what is there is left alone')
  const built = inFolder('tool', 'build', 'greeter')
  assert.equal(built.code, 0, built.text)
  const [wasm, file] = ['greeter/dist/greeter.wasm', 'greeter/capabilities.json']
  const installed = inFolder('tool', 'install', wasm, '--capabilities', file, '--name', 'greeter')
  assert.equal(installed.code, 0, installed.text)
  const tried = inFolder('tool', 'test', 'greeter', '--params', '{"name":"Ada"}', '--json')
  assert.match(tried.text, /Hello, Ada!/)
  const thrown = inFolder('tool', 'test', 'greeter', '--params', '{}', '--json')
  assert.deepEqual([thrown.code, (JSON.parse(thrown.text) as { error: string }).error], [1, "'name' must be a text"])
})

test('what is wrong with a source is said in words', async () => {
  const path = join(home.path, 'greeter', 'tool.ts')
  const good = readFileSync(path, 'utf8')
  const faults = [
    [good.replace('export const tool', 'export const toll'), /export 'tool'/],
    [`${good}\nlet x: = 3\n`, /tool\.ts cannot be read/],
    [`${good}\nenum A { B }\n`, /tool\.ts cannot be read/],
    [good.replace("'near:agent/host@0.3.0'", "'node:fs'"), /could not be built/],
  ] as const
  for (const [source, says] of faults) {
    writeFileSync(path, source)
    const built = inFolder('tool', 'build', 'greeter')
    assert.deepEqual([built.code, says.test(built.text)], [2, true], built.text)
    assert.doesNotMatch(built.text, /\n\s+at /)
  }
  assert.match(inFolder('tool', 'build', 'nowhere').text, /has no tool\.ts/)
  assert.equal((await atrium(home.path, ['tool', 'new', 'memory_x'])).code, 2)
})
