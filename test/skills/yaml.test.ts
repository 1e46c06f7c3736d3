import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readYaml } from '#skills/yaml.ts'

const plain = 'name: pdf\ndescription: d\n'

test('each name has its value and its line in SKILL.md', () => {
  assert.deepEqual(
    readYaml('# ours\nname: pdf\n1: [a, {b: 2}]\n? asked\n: null').values,
    new Map<string, unknown>([
      ['name', { value: 'pdf', line: 3 }],
      ['1', { value: ['a', { b: 2 }], line: 4 }],
      ['asked', { value: null, line: 5 }],
    ]),
  )
})

test('ten levels are read', () => {
  assert.ok(readYaml(`${plain}a: ${'['.repeat(9)}${']'.repeat(9)}`).values)
})

test('a directive brings no other types', () => {
  const { values } = readYaml('%YAML 1.1\n--- {a: !!binary QQ==, b: !!set {c}, d: 2001-01-01, <<: {e: f}}')
  assert.deepEqual(
    [...(values ?? [])].map(([name, { value }]) => [name, value]),
    [
      ['a', 'QQ=='],
      ['b', { c: null }],
      ['d', '2001-01-01'],
      ['<<', { e: 'f' }],
    ],
  )
})

const deep = (field: string): string => `${field} is nested more than 10 deep: write plain names and values`
const noText = (field: string): string => `${field} has a name that is no text: write plain names and values`
const refused: readonly [what: string, head: string, message: string, line: number][] = [
  ['a name that is a map', `${plain}? a: b\n: c`, noText('the head'), 4],
  ['hundreds of nested names', `${plain}${'? '.repeat(700)}`, noText('the head'), 4],
  ['a name that is a list', `${plain}metadata: {a: b, [c]: d}`, noText('metadata'), 4],
  ['an alias as a name', `${plain}a: &b c\nd: {*b : e}`, noText('d'), 5],
  ['an alias in a list', `${plain}a: &b c\nd:\n  - *b`, 'd has an alias: write the value out', 6],
  ['eleven levels', `${plain}a: ${'['.repeat(10)}${']'.repeat(10)}`, deep('a'), 4],
  ['hundreds of levels', `${plain}a: ${'{b: '.repeat(200)}${'}'.repeat(200)}`, deep('a'), 4],
  ['a name twice in a value', `${plain}a:\n  b: c\n  b: d`, 'a has "b" twice: keep one of them', 6],
]
for (const [what, head, message, line] of refused) {
  test(`refuse: ${what}`, () => {
    assert.deepEqual(readYaml(head).fault, { message, line })
  })
}

for (const mark of ['[', '{', ',', '- ', 'a: ', '? ', '&a ', '*a ', '!a ', '#', '\n', "'", '"', '|']) {
  test(`refuse: thousands of ${JSON.stringify(mark)}`, () => {
    assert.match(
      readYaml(`${plain}metadata: ${mark.repeat(3_000)}`).fault?.message ?? '',
      /at most 1000 are read: shorten it$/,
    )
  })
}
