// The levels of a text's headings in the page.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headingLevels } from '../../../web/lib/heading-levels.ts'
import { readMarkdown } from '../../../web/lib/markdown.ts'

const levels = (text: string): number[] => [
  ...headingLevels(readMarkdown(text).parts.map(({ block }) => block)).values(),
]

const rows: readonly (readonly [what: string, text: string, want: readonly number[]])[] = [
  ['a text of all levels', '# a\n## b\n### c\n# d', [2, 3, 4, 2]],
  ['it begins with the second', '## a\n### b\n## c', [2, 3, 2]],
  ['levels are left out', '# a\n#### b\n###### c\n## d', [2, 3, 4, 3]],
  ['it goes up beyond its beginning', '### a\n# b\n## c', [2, 2, 3]],
  ['in quotes and lists', '## a\n\n> #### b\n\n- ### c\n\n## d', [2, 3, 3, 2]],
  ['no more than six', '# a\n## b\n### c\n#### d\n##### e\n###### f', [2, 3, 4, 5, 6, 6]],
  ['none', 'a', []],
]
for (const [what, text, want] of rows) test(`levels of headings: ${what}`, () => assert.deepEqual(levels(text), want))

test('no level is skipped, whatever the order', () => {
  for (let seed = 0; seed < 500; seed++) {
    const depths = Array.from({ length: 8 }, (_, at) => (Math.floor(seed * (at + 3) * 7.31) % 6) + 1)
    let before = 1
    for (const level of levels(depths.map((depth) => `${'#'.repeat(depth)} x`).join('\n'))) {
      assert.ok(level <= before + 1, depths.join(' '))
      before = level
    }
  }
})
