import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { constants, Script } from 'node:vm'
import { entryOf, refuseCircles, scriptOf } from '../tools/script-chunks.ts'

type Exports = Record<string, unknown>

/** Runs a module as a script. `others` are the scripts that it may load. */
function run(code: string, others: Readonly<Record<string, Exports>> = {}) {
  const loaded: string[] = []
  const load = (name: string): Exports => {
    loaded.push(name)
    return others[name] ?? {}
  }
  const later = async (name: string) => load(name)
  const meta = { filename: '/bundle/chunk.js', dirname: '/bundle', url: 'file:///bundle/chunk.js' }
  const options = { importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER }
  const chunk = new Script(scriptOf({ fileName: 'chunk.js', code }), options).runInThisContext() as (
    ...parts: unknown[]
  ) => Exports
  return { exports: chunk(load, later, meta), loaded }
}

test('a script exports what its module exports, under the same names', () => {
  const { exports } = run('const one=1;function two(){return 2}class three{}export{one as a,two,three as"a-b"};')
  assert.deepEqual(Object.keys(exports), ['a', 'two', 'a-b'])
  assert.equal(exports['a'], 1)
  assert.equal((exports['two'] as () => number)(), 2)
  assert.deepEqual({ ...run('export default[1,2].length;').exports }, { default: 2 })
})

const imports: readonly [what: string, code: string, expected: unknown][] = [
  ['names', 'import{a as b}from"./x.js";export{b as v}', 1],
  ['the default of a chunk', 'import b from"./x.js";export{b as v}', 'whole'],
  ['all of a chunk', 'import*as x from"./x.js";const v=x.a+1;export{v}', 2],
  ['names of a module of Node', 'import{join}from"node:path";const v=join("a","b");export{v}', 'a/b'],
  ['a module of Node', 'import path from"path";const v=path.join("a","b");export{v}', 'a/b'],
  ['all of a module of Node', 'import*as path from"node:path";const v=path.join("a","b");export{v}', 'a/b'],
  ['the default and a name', 'import d,{a}from"./x.js";const v=d+a;export{v}', 'whole1'],
  ['what it exports', 'export{a as v}from"./x.js"', 1],
  ['its own place', 'const v=import.meta.filename;export{v}', '/bundle/chunk.js'],
]
for (const [what, code, expected] of imports) {
  test(`a script imports ${what}`, () => {
    assert.equal(run(code, { 'x.js': { a: 1, default: 'whole' } }).exports['v'], expected)
  })
}

test('imports are loaded in their order before anything runs, those without names too', () => {
  const { loaded } = run('const at=1;import"./b.js";import{a}from"./a.js";export{at,a};')
  assert.deepEqual(loaded, ['b.js', 'a.js'])
})

test('a chunk is imported later as a script, and anything else as a module', async () => {
  const code = 'const v=[import("./x.js").then(n=>n.a),import(`./x.js`),import("node:path")];export{v}'
  const [name, all, path] = await Promise.all(run(code, { 'x.js': { a: 1 } }).exports['v'] as Promise<unknown>[])
  assert.deepEqual([name, all], [1, { a: 1 }])
  assert.equal((path as { join: unknown }).join, join)
})

test('a script is strict, as a module is', () => {
  assert.equal(run('const v=(function(){return this})();export{v}').exports['v'], undefined)
})

const refused: readonly [what: string, code: string, message: RegExp][] = [
  ['changes what it exports', 'let a=1;function f(){a=2}export{a,f}', /exports a and changes it/],
  [
    'changes what it exports by a name with a sign',
    'let $a=1;function f(){$a=2}export{$a,f}',
    /exports \$a and changes it/,
  ],
  ['counts what it exports', 'var a=1;function f(){a++}export{a,f}', /exports a and changes it/],
  ['takes what it exports from a list', 'let a=1;function f(){[,a=3]=[]}export{a,f}', /exports a and changes it/],
  [
    'takes what it exports from an object',
    'let{a}={};function f(o){({b:a,...o}=o)}export{a,f}',
    /exports a and changes it/,
  ],
  ['counts with what it exports', 'let a;function f(){for(a of[1]);}export{a,f}', /exports a and changes it/],
  ['imports a package', 'import{a}from"zod";export{a}', /imports zod/],
  ['exports all of another', 'export*from"./x.js"', /exports all/],
  ['exports a declaration', 'export const a=1', /exports a declaration/],
  ['exports a function as its default', 'export default function a(){}a()', /exports a declaration/],
  ['exports a class as its default', 'export default class A{}new A', /exports a declaration/],
  ['asks whether it is the entry', 'const a=import.meta.main;export{a}', /uses import\.meta\.main/],
  ['waits before it exports', 'const a=await 1;export{a}', /await/],
]
for (const [what, code, message] of refused) {
  test(`a module that ${what} is refused`, () => {
    assert.throws(() => scriptOf({ fileName: 'chunk.js', code }), message)
  })
}

test('a local variable with the name of an export may change', () => {
  const { exports } = run('function first(){let first=1;first=2;return first}export{first}')
  assert.equal((exports['first'] as () => number)(), 2)
})

test('the entry stays a module and loads scripts', () => {
  const code = entryOf({ fileName: 'main.mjs', code: 'await(await import(`./x.js`)).run();export{};' })
  assert.match(code, /^import\{loadLater as __loadLater\}from"\.\/bundle-loader\.mjs";/)
  assert.match(code, /__loadLater\("x\.js"\)\)\.run\(\)/)
  assert.throws(() => entryOf({ fileName: 'main.mjs', code: 'import{a}from"./x.js";a()' }), /before it runs/)
})

test('chunks that import each other are refused', () => {
  const chunk = (fileName: string, ...imports: string[]) => ({ fileName, code: '', imports })
  refuseCircles([chunk('a', 'b', 'c'), chunk('b', 'c'), chunk('c', 'node:fs')])
  assert.throws(() => refuseCircles([chunk('a', 'b'), chunk('b', 'c'), chunk('c', 'b')]), /each other: a, b, c, b/)
})
