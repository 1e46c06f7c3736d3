// The source keeps to the floors; and the checker that says so sees what it should.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { findBreaches, findWebBreaches } from './structure.ts'

const src = new URL('../src/', import.meta.url)
const web = new URL('../web/', import.meta.url)

test('the source keeps to the floors', () => {
  const paths = globSync('**/*.{ts,tsx,mts,cts,js,mjs,cjs}', { cwd: src })
  assert(paths.length > 0)
  const files = new Map(paths.map((path) => [path.replaceAll('\\', '/'), readFileSync(new URL(path, src), 'utf8')]))
  assert.deepEqual(findBreaches(files), [])
})

test('the browser app takes nothing of the service but types of the wire and the shared words', () => {
  const paths = globSync('**/*.{ts,tsx}', { cwd: web, exclude: (name) => name.startsWith('dist') })
  assert(paths.length > 0)
  const files = new Map(paths.map((path) => [path.replaceAll('\\', '/'), readFileSync(new URL(path, web), 'utf8')]))
  assert.deepEqual(findWebBreaches(files), [])
})

const inWeb: readonly [what: string, text: string, expected: string[]][] = [
  ['types of the wire', "import type { Job } from '#doors/web/wire/job.ts'\n", []],
  ['its own files', "import { ask } from '../api/client.ts'\nimport type { B } from './b.ts'\n", []],
  ['packages', "import { signal } from '@preact/signals'\n", []],
  ['the shared words', "import { costWords } from '#core/words.ts'\n", []],
  ['the shared limits', "import { maxAttachments } from '#core/page-limits.ts'\n", []],
  ['another file of the core', "import { a } from '#core/turn.ts'\n", ['loads #core/turn.ts']],
  ['a value of the wire', "import { Job } from '#doors/web/wire/job.ts'\n", ['loads #doors/web/wire/job.ts']],
  ['a marked type', "import { type Job } from '#doors/web/wire/job.ts'\n", ['loads #doors/web/wire/job.ts']],
  ['the wire handed on', "export type { Job } from '#doors/web/wire/job.ts'\n", ['loads #doors/web/wire/job.ts']],
  ['the wire in a lazy way', "await import('#doors/web/wire/job.ts')\n", ['loads #doors/web/wire/job.ts']],
  ['another file of the door', "import type { A } from '#doors/web/wire.ts'\n", ['may not import #doors/web/wire.ts']],
  ['a hidden way', "import type { A } from '#doors/web/wire/../a.ts'\n", ['may not import #doors/web/wire/../a.ts']],
  ['the core', "import type { A } from '#core/turn.ts'\n", ['may not import #core/turn.ts']],
  ['a way out by dots', "import { a } from '../../src/core/a.ts'\n", ['loads ../../src/core/a.ts']],
  ['types by dots', "import type { A } from '../../src/core/a.ts'\n", ['may not import ../../src/core/a.ts']],
]
for (const [what, text, expected] of inWeb) {
  test(`in the browser app: ${what}`, () => {
    const found = findWebBreaches(new Map([['parts/a.ts', text]]))
    assert.deepEqual(
      found,
      expected.map((line) => `parts/a.ts ${line}`),
    )
  })
}

type Files = Readonly<Record<string, string>>
const own = 'export const a = 1\n'

const breaches: readonly [what: string, files: Files, expected: RegExp[]][] = [
  ['an arrow up', { 'core/a.ts': "import { b } from '#lib/b.ts'\n" }, [/^core\/a.ts may not import lib\/b.ts$/]],
  [
    'a type arrow up',
    { 'lib/a.ts': "import type { B } from '#core/b.ts'\n" },
    [/^lib\/a.ts may not import core\/b.ts$/],
  ],
  ['a marked type up', { 'lib/a.ts': "import { type B } from '#core/b.ts'\n" }, [/may not import core/]],
  ['a type in place', { 'lib/a.ts': "type B = import('#core/b.ts').B\n" }, [/may not import core/]],
  ['an export up', { 'agent/a.ts': `export { b } from '#turns/b.ts'\n${own}` }, [/may not import turns/]],
  ['an export of all up', { 'agent/a.ts': `export * as b from "#turns/b.ts"\n${own}` }, [/may not import turns/]],
  ['a lazy import up', { 'agent/a.ts': "const b = await import('#turns/b.ts')\n" }, [/may not import turns/]],
  ['a bare import up', { 'agent/a.ts': "import '#turns/b.ts'\n" }, [/may not import turns/]],
  [
    'a long import up',
    { 'agent/a.ts': "import b, {\n  type C,\n  d as e,\n} from '#turns/b.ts'\n" },
    [/may not import turns/],
  ],
  ['an arrow across', { 'tools/a.ts': "import { b } from '#memory/b.ts'\n" }, [/may not import memory/]],
  ['a door to the store', { 'doors/web/a.ts': "import { b } from '#store/b.ts'\n" }, [/may not import store/]],
  [
    'a door to a door',
    { 'doors/web/a.ts': "import { b } from '#doors/local/b.ts'\n" },
    [/may not import doors\/local/],
  ],
  [
    'what doors share to a door',
    { 'doors/openai/a.ts': "import { b } from '#doors/responses/b.ts'\n" },
    [/may not import doors\/responses/],
  ],
  [
    'the wire to the rest of its door',
    { 'doors/web/wire/a.ts': "import type { B } from '#core/b.ts'\nimport './c.ts'\n" },
    [/^doors\/web\/wire\/a.ts may not import core\/b.ts$/],
  ],
  [
    'an import of what the page loads',
    { 'core/words.ts': "import type { B } from './b.ts'\n" },
    [/^core\/words.ts imports, yet the page loads it$/],
  ],
  ['a room between doors', { 'doors/a.ts': own }, [/stands on no floor/]],
  ['a door to the commands', { 'doors/web/a.ts': "import { b } from '#commands/b.ts'\n" }, [/may not import commands/]],
  [
    'the service to the commands',
    { 'service.ts': "import { b } from '#commands/b.ts'\n" },
    [/may not import commands/],
  ],
  ['a command to main', { 'commands/a.ts': "import { b } from '#main.ts'\n" }, [/may not import main/]],
  ['a new folder', { 'utils/a.ts': own }, [/^utils\/a.ts stands on no floor$/]],
  ['a hidden way up', { 'core/a.ts': "import { b } from '#core/../turns/b.ts'\n" }, [/may not import turns/]],
  [
    'a way out of the folder',
    { 'store/a.ts': "import { b } from '../core/b.ts'\n" },
    [/^store\/a.ts leaves its folder/],
  ],
  ['a way down by a dot', { 'main.ts': "import { b } from './core/b.ts'\n" }, [/leaves its folder/]],
  [
    'a circle',
    {
      'core/a.ts': "import './b.ts'\n",
      'core/b.ts': "import type { C } from '#core/c.ts'\n",
      'core/c.ts': "import './a.ts'\n",
    },
    [/^circle: core\/a.ts -> core\/b.ts -> core\/c.ts -> core\/a.ts$/],
  ],
  ['a circle of one', { 'core/a.ts': "import './a.ts'\n" }, [/^circle: core\/a.ts -> core\/a.ts$/]],
  ['a barrel by name', { 'core/index.ts': own }, [/^core\/index.ts is a barrel$/]],
  [
    'a barrel',
    { 'core/all.ts': "// all\nexport * from './b.ts'\nexport { c } from './c.ts'\n" },
    [/core\/all.ts is a barrel/],
  ],
  ['a barrel in two steps', { 'core/all.ts': "import { b } from './b.ts'\nexport { b }\n" }, [/is a barrel/]],
  ['a barrel of types', { 'core/all.ts': "export type { B } from './b.ts'\n" }, [/is a barrel/]],
  [
    'all of node:http',
    { 'http/a.ts': "import {\n  createServer,\n} from 'node:http'\n" },
    [/^http\/a.ts imports node:http/],
  ],
  ['a type of node:http, loaded', { 'http/a.ts': "import { type Server } from 'node:http'\n" }, [/imports node:http/]],
  ['a computed import', { 'agent/a.ts': 'await import(`#tools/${name}.ts`)\n' }, [/imports a computed name/]],
  ['the environment', { 'store/a.ts': 'const a = process.env.A\n' }, [/^store\/a.ts reads process.env$/]],
  ['the environment in a template', { 'store/a.ts': 'const a = `${process.env.A}`\n' }, [/reads process.env/]],
  ['the environment by name', { 'store/a.ts': "const a = process['env']\n" }, [/reads process.env/]],
  ['the environment unpacked', { 'store/a.ts': 'const { env } = process\n' }, [/reads process.env/]],
  ['the environment imported', { 'store/a.ts': "import { env } from 'node:process'\n" }, [/reads process.env/]],
  ['a long file', { 'core/a.ts': own.repeat(401) }, [/^core\/a.ts has 401 lines/]],
  ['two breaches', { 'lib/a.ts': "import '#core/a.ts'\nimport '../b.ts'\n" }, [/leaves/, /import core/, /import b.ts/]],
]
for (const [what, files, expected] of breaches) {
  test(`reported: ${what}`, () => {
    const found = findBreaches(new Map(Object.entries(files)))
    assert.equal(found.length, expected.length, found.join('\n'))
    expected.forEach((line, index) => assert.match(found[index] ?? '', line))
  })
}

const fine: readonly [what: string, files: Files][] = [
  [
    'the way down',
    { 'main.ts': "import '#commands/a.ts'\nimport './service.ts'\n", 'commands/a.ts': "import '#service.ts'\n" },
  ],
  ['a command to a door', { 'commands/a.ts': "import { b } from '#doors/local/b.ts'\nimport '#config.ts'\n" }],
  [
    'the service to all below',
    { 'service.ts': "import '#store/a.ts'\nimport '#doors/web/a.ts'\nimport '#config.ts'\n" },
  ],
  ['a door to what doors share', { 'doors/responses/a.ts': "import { b } from '#doors/openai/b.ts'\n" }],
  ['the wire to the shared limits', { 'doors/web/wire/a.ts': "import { maxB } from '#core/page-limits.ts'\n" }],
  ['a neighbour', { 'doors/web/a.ts': "import './b.ts'\nimport '#doors/web/live/c.ts'\nimport '#http/d.ts'\n" }],
  ['the parts of the config', { 'config.ts': "import '#config/model.ts'\nconst a = process.env\n" }],
  ['packages', { 'lib/a.ts': "import { z } from 'zod'\nimport { join } from 'node:path'\nexport const b = join\n" }],
  ['an import in a comment', { 'lib/a.ts': "// import '#core/b.ts'\n/*\nimport '#core/b.ts'\n*/\n" }],
  ['an import in a text', { 'lib/a.ts': 'export const a = "import(\'#core/b.ts\')"\n' }],
  [
    'an import in a template',
    { 'lib/a.ts': "export const a = `\nimport '#core/b.ts'\n${b({ c: `}` })}\nimport '#core/b.ts'\n`\n" },
  ],
  ['a quote in a pattern', { 'lib/a.ts': "const a = /['\"`/]/\n// import '#core/b.ts'\nconst b = 1 / 2 / 3\n" }],
  ['the environment in a text', { 'store/a.ts': "const a = 'process.env'\n// process.env\nconst env = a\n" }],
  ['a re-export beside a statement', { 'core/a.ts': `export { b } from './b.ts'\n${own}` }],
  ['types of node:http', { 'http/a.ts': "import type { Server } from 'node:http'\nimport '#lib/http.ts'\n" }],
  ['types alone', { 'core/a.ts': "import type { B } from './b.ts'\nexport type A = { b: B }\n" }],
  ['a program without exports', { 'main.ts': "import '#service.ts'\n" }],
  ['made code in the sandbox', { 'sandbox/child.ts': 'await import(url)\n' }],
  [
    'two ways to one file',
    { 'core/a.ts': "import './b.ts'\nimport './c.ts'\n", 'core/b.ts': "import './c.ts'\n", 'core/c.ts': own },
  ],
  ['a file of 400 lines', { 'core/a.ts': own.repeat(400) }],
]
for (const [what, files] of fine) {
  test(`not reported: ${what}`, () => {
    assert.deepEqual(findBreaches(new Map(Object.entries(files))), [])
  })
}
