// The faults that are made from the syntax of a source.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describe, findFaults, plant } from './faults.ts'

/** A source, and what becomes of it, one fault each. */
const cases: readonly [name: string, source: string, faulty: readonly string[]][] = [
  ['the edge of a comparison moves', 'x = a < b', ['x = a <= b']],
  ['the edge moves back', 'x = a >= b', ['x = a > b']],
  ['equal becomes unequal', 'x = a === b', ['x = a !== b']],
  ['and becomes or', 'x = a || b && c', ['x = (a && b && c)', 'x = a || (b || c)']],
  ['a fallback is dropped', 'x = a ?? b', ['x = a']],
  ['a negation is dropped', 'x = !a', ['x = a']],
  ['a condition holds always or never', 'if (a === b) c()', ['if (true) c()', 'if (false) c()']],
  ['a choice is always the same', 'x = a ? b : c', ['x = true ? b : c', 'x = false ? b : c']],
  ['a loop never begins', 'while (a) b()', ['while (false) b()']],
  ['a number is one more or none', 'const max = 8', ['const max = 9', 'const max = 0']],
  ['a wait is only left out', 'const maxIdleMs = 1_000', ['const maxIdleMs = 0']],
  ['a pause is left alone', 'const pauseMs = 1_000', []],
  ['a guard of a type is left alone', "x = a instanceof B && 'c' in a && d", []],
  ['what tidies up is left alone', 'function f() { clearTimeout(a); b.removeEventListener(c) }', []],
  ['nothing becomes one', 'f(0)', ['f(1)']],
  ['plus becomes minus', 'x = a + b', ['x = a - b']],
  ['texts are not subtracted', 'x = a + `b`', []],
  ['what is added is taken away', 'x += a', ['x -= a']],
  ['the least becomes the most', 'x = Math.min(a, b)', ['x = Math.max(a, b)']],
  ['the last comes first', 'x = a.push(b)', ['x = a.unshift(b)']],
  ['one becomes all', 'x = a.some(b)', ['x = a.every(b)']],
  ['an order is reversed', 'x = a.toSorted(b)', ['x = a.toSorted(b).toReversed()']],
  [
    'of a rank only the sign counts',
    'x = a.sort((b, c) => (b < c ? -1 : 1))',
    ['.reverse()', '(b <= c', '(true ?', '(false ?', '? -0 : 1', '? -1 : 0'],
  ],
  ['a word is emptied', "x = () => 'word'", ["x = () => ''"]],
  ['a flag is turned', 'x = f(true)', ['x = f(false)']],
  ['a call for its effect is dropped', 'function f() { a() }', ['function f() { ; }']],
  [
    'an early return is dropped',
    'function f() { if (a) { b(); return } }',
    ['if (true)', 'if (false)', '{ ; return }', '{ b(); ; }'],
  ],
  ['a row of a table is removed', 'const t = new Set([a, b])', ['const t = new Set([b])', 'const t = new Set([a])']],
  [
    'a word of a row is removed',
    'const t = { a: [b, c] }',
    ['const t = {  }', 'const t = { a: [c] }', 'const t = { a: [b] }'],
  ],
  ['an optional part is dropped', 'x = { a, ...(b && c) }', ['x = { a }', 'x = { a, ...((b || c)) }']],
  ['types are left alone', "type A = { a: 1; b: 'word' }; let x: 1 | 2 = y as 3", []],
  ['imports are left alone', "import a from 'word'; x = import('word')", []],
  ['log lines are left alone', "function f() { log.warn('word', 1); parts.log?.info(2); console.error(3) }", []],
  ['of an error only the code is changed', "f(new AppError('code', 'text', 1))", ["f(new AppError('', 'text', 1))"]],
  ['sentences are left alone', "x = () => 'two words'", []],
  [
    'compared words and numbers are changed once',
    "x = a === 'word' ? b : c",
    ['x = true ? b : c', 'x = false ? b : c'],
  ],
]

for (const [name, source, faulty] of cases) {
  test(name, () => {
    const found = findFaults('x.ts', source).map((fault) => plant(source, fault))
    const missing = faulty.filter((part) => !found.some((text) => text.includes(part)))
    assert.deepEqual(missing, [], `found ${JSON.stringify(found)}`)
    assert.equal(found.length, faulty.length, `found ${JSON.stringify(found)}`)
  })
}

test('a fault says its line, and what was there and is there now', () => {
  const source = `const kinds = [\n  '${'a'.repeat(90)}',\n  b,\n]\nx = (${'c'.repeat(90)}) < d`
  const told = findFaults('src/x.ts', source).map((fault) => ({ line: fault.line, ...describe(source, fault) }))
  assert.deepEqual(told, [
    { line: 2, original: `'${'a'.repeat(69)}…`, change: '(removed)' },
    { line: 3, original: 'b', change: '(removed)' },
    { line: 5, original: `…${'c'.repeat(27)}) < d`, change: `…${'c'.repeat(27)}) <= d` },
  ])
})
