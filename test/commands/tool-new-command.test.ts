// From an empty folder to a tool that the agent can call, as the pages say it.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { buildTool } from '#sandbox/build/componentize.ts'
import { atrium, type Ran } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { chooseBy, coreModule, manyways } from '../sandbox/fixtures.ts'

const home = newHome()
after(home.remove)

/** A command in the folder of the home. */
const inFolder = (...args: string[]): Promise<Ran> => atrium(home.path, args, { cwd: home.path })

/** A build is a minute's work for a busy machine. */
test('a new tool builds, installs and answers at once', { timeout: 300_000 }, async () => {
  const made = await inFolder('tool', 'new', 'greeter')
  assert.equal(made.code, 0, made.stderr)
  const [again, reserved, nowhere] = await Promise.all([
    inFolder('tool', 'new', 'greeter'),
    inFolder('tool', 'new', 'memory_x'),
    inFolder('tool', 'build', 'nowhere'),
  ])
  assert.deepEqual([again.code, reserved.code, nowhere.code], [2, 2, 2], 'what is there is left alone')
  assert.match(nowhere.stderr, /has no tool\.ts/)
  const built = await inFolder('tool', 'build', 'greeter')
  assert.equal(built.code, 0, built.stderr)
  const [wasm, file] = ['greeter/dist/greeter.wasm', 'greeter/capabilities.json']
  const installed = await inFolder('tool', 'install', wasm, '--capabilities', file, '--name', 'greeter')
  assert.equal(installed.code, 0, installed.stderr)
  const tried = await inFolder('tool', 'test', 'greeter', '--params', '{"name":"Ada"}', '--json')
  assert.match(tried.stdout, /Hello, Ada!/)
  const thrown = await inFolder('tool', 'test', 'greeter', '--params', '{}', '--json')
  assert.deepEqual([thrown.code, (JSON.parse(thrown.stdout) as { error: string }).error], [1, "'name' must be a text"])
})

test('a build that fails leaves nothing, or the component of the build before', async () => {
  const module = async (schema: string): Promise<void> => {
    mkdirSync(join(home.path, 'module'), { recursive: true })
    writeFileSync(join(home.path, 'module', 'plain.wasm'), await coreModule({ schema }))
  }
  const dist = join(home.path, 'module', 'dist')
  await module('no schema')
  const refused = await inFolder('tool', 'build', 'module/plain.wasm')
  assert.match(refused.stderr, /the schema of the tool is not valid JSON/)
  assert.equal(existsSync(dist), false)
  await module('{"type":"object"}')
  const built = await inFolder('tool', 'build', 'module/plain.wasm')
  assert.equal(built.code, 0, built.stderr)
  const good = readFileSync(join(dist, 'plain.wasm'))
  await module('no schema')
  assert.notEqual((await inFolder('tool', 'build', 'module/plain.wasm')).code, 0)
  assert.deepEqual(readdirSync(dist), ['plain.wasm'])
  assert.deepEqual(readFileSync(join(dist, 'plain.wasm')), good)
})

/** Calls of other tools by an alias, and the parameters that choose each. */
const calls: Readonly<Record<string, object>> = {
  sum: { expression: '6*7' },
  greet: { name: 'Ada' },
  write: { path: 'a.md', content: 'x' },
  other: {},
}

/** A component that makes these calls. What the other tool says is its output, and a refusal its error. */
function callingComponent(): Promise<Uint8Array> {
  const texts = Object.entries(calls).map(([alias, args], at) => ({
    alias,
    args: JSON.stringify(args),
    at: 4_096 + at * 256,
  }))
  const data = texts.map(({ alias, args, at }) => `(data (i32.const ${at}) "${(alias + args).replaceAll('"', '\\"')}")`)
  const invoke = `(func $invoked (param $at i32) (param $alias i32) (param $args i32) (result i32)
    (call $invoke (local.get $at) (local.get $alias) (i32.add (local.get $at) (local.get $alias)) (local.get $args)
      (i32.const 2048))
    (if (i32.eqz (i32.load8_u (i32.const 2048)))
      (then (return (call $answer (i32.load (i32.const 2052)) (i32.load (i32.const 2056))))))
    (i32.store8 (i32.const 1024) (i32.const 0))
    (i32.store8 (i32.const 1036) (i32.const 1))
    (i32.store (i32.const 1040) (i32.load (i32.const 2052)))
    (i32.store (i32.const 1044) (i32.load (i32.const 2056)))
    (i32.const 1024))`
  const ways = texts.map(({ alias, args, at }) => {
    const body = `(call $invoked (i32.const ${at}) (i32.const ${alias.length}) (i32.const ${args.length}))`
    return [alias, body] as const
  })
  return manyways(Object.fromEntries(ways), {
    imports: '(import "near:agent/host@0.3.0" "tool-invoke" (func $invoke (param i32 i32 i32 i32 i32)))',
    fields: [...data, invoke].join('\n'),
  })
}

test('a module is not overwritten by its own component', async () => {
  const path = join(home.path, 'own.wasm')
  writeFileSync(path, 'a module')
  const { code, stderr } = await inFolder('tool', 'build', 'own.wasm', '--out', 'own.wasm')
  assert.deepEqual([code, /--out must name another file/.test(stderr)], [2, true], stderr)
  assert.equal(readFileSync(path, 'utf8'), 'a module')
})

test('a tool that is tried runs another as it would for the agent: what has to be allowed is refused, in words', async () => {
  const aliases = { sum: 'calculate', write: 'workspace_write', greet: 'greeter' }
  const file = { version: '1', wit_version: '0.3.0', http: { allowlist: [] }, tool_invoke: { aliases } }
  const [wasm, limits] = ['caller.wasm', 'caller.json']
  writeFileSync(join(home.path, limits), JSON.stringify(file))
  writeFileSync(join(home.path, wasm), await callingComponent())
  const installed = await inFolder('tool', 'install', wasm, '--capabilities', limits, '--name', 'caller', '--yes')
  assert.equal(installed.code, 0, installed.stderr)
  const tried = async (alias: string): Promise<{ output: string | null; error: string | null }> =>
    JSON.parse((await inFolder('tool', 'test', 'caller', '--params', chooseBy(calls, alias), '--json')).stdout)
  assert.match((await tried('sum')).output ?? '', /42/)
  assert.match((await tried('greet')).output ?? '', /Hello, Ada!/, 'another component')
  const refusal = /workspace_write cannot be run by a tool: .*somebody would have to allow it, and a tool cannot ask/
  assert.match((await tried('write')).error ?? '', refusal)
  assert.match((await tried('other')).error ?? '', /does not grant the tool "other"/)
})

test('code that never ends while it loads is stopped, and said to be', async () => {
  const folder = join(home.path, 'greeter')
  const overrides = new Map([['tool.ts', 'for (;;) {}\nexport const tool = {}']])
  // The time begins once the builder is loaded: a busy machine does not use it up before the loop.
  await assert.rejects(buildTool({ folder, overrides, deadlineMs: 2_000 }), {
    code: 'invalid_input',
    message: /^the code of tool\.ts did not finish loading within 2 s and was stopped: look for a loop outside of /,
  })
})

test('what is wrong with a source is said in words', async () => {
  const folder = join(home.path, 'greeter')
  const good = readFileSync(join(folder, 'tool.ts'), 'utf8')
  const faults = [
    [good.replace('description: () =>', 'describe: () =>'), /: tool\.ts: tool lacks description: export const tool = /],
    [`let x: = 3\n${good}`, /^tool\.ts cannot be read, line 1: /],
    [`\nenum A { B }\n${good}`, /^tool\.ts cannot be read, line 2: .* enum /],
    [good.replace("'near:agent/host@0.3.0'", "'node:fs'"), /: tool\.ts imports node:fs: only near:agent\/host/],
  ] as const
  for (const [source, message] of faults) {
    const build = buildTool({ folder, overrides: new Map([['tool.ts', source]]) })
    await assert.rejects(build, { code: 'invalid_input', message })
  }
  writeFileSync(join(folder, 'tool.ts'), `${good}\nlet x: = 3\n`)
  const built = await inFolder('tool', 'build', 'greeter')
  assert.deepEqual([built.code, /tool\.ts cannot be read/.test(built.stderr)], [2, true], built.stderr)
  assert.doesNotMatch(built.stderr, /\n\s+at /)
})

test('a schema that fails when it is read fails the build, with the words of its error', async () => {
  const folder = join(home.path, 'failing')
  mkdirSync(folder)
  const source = `export const tool = { execute: () => ({}), schema() { throw new Error('no\\nfields') }, description: () => '' }`
  writeFileSync(join(folder, 'tool.ts'), source)
  const built = await inFolder('tool', 'build', 'failing')
  const words =
    'tool.ts: the tool broke off: schema failed: no fields; it must return a JSON Schema, as an object or as text'
  assert.deepEqual([built.code, built.stderr.split('\n').slice(1)], [2, [`error: ${words}`, '']])
  assert.equal(existsSync(join(folder, 'dist')), false)
})
