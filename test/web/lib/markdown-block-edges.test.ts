// Edges of Markdown blocks: one text each for what begins and ends a line, a list, a quote or a table, by CommonMark's rules.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMarkdown } from '../../../web/lib/markdown.ts'
import { outlineOf, testOutlines } from './markdown-outline.ts'

testOutlines({
  'items that begin with a blank line': [
    ['-\n  a', 'ul(p(a))'],
    ['-\n\n  a', 'ul() p(a)'],
    ['- a\n-\n- b', 'ul(p(a), , p(b))'],
    ['-\n\n- b', 'ul.loose(, p(b))'],
    ['1.\n   a', 'ol1(p(a))'],
    ['- \n      a', 'ul(pre(a))'],
    ['-\n\n      a', 'ul() pre(  a)'],
  ],
  'lines: indents of up to three spaces, and those of four': [
    ['   # a', 'h1(a)'],
    ['    # a', 'pre(# a)'],
    ['# a #', 'h1(a)'],
    ['# a#', 'h1(a#)'],
    ['# a \\#', 'h1(a #)'],
    ['#', 'h1()'],
    ['## ##', 'h2()'],
    ['#a', 'p(#a)'],
    ['#\ta', 'h1(a)'],
    ['a\n   ===', 'h1(a)'],
    ['a\n    ===', 'p(a\n===)'],
    ['a\n-', 'h2(a)'],
    ['a\n= =', 'p(a\n= =)'],
    ['a\n---\nb', 'h2(a) p(b)'],
    ['===\n\n--', 'p(===) p(--)'],
    ['***', 'rule'],
    ['_ _ _', 'rule'],
    ['   ---', 'rule'],
    ['    ---', 'pre(---)'],
    ['-- -', 'rule'],
    ['--', 'p(--)'],
    ['+++', 'p(+++)'],
    ['**-', 'p(**-)'],
    ['--a', 'p(--a)'],
    ['   ```\n   a\n     b\n c\n   ```', 'pre(a\n  b\nc)'],
    ['    ```\n    a', 'pre(```\na)'],
    ['````\n```\n````', 'pre(```)'],
    ['```\na\n````', 'pre(a)'],
    ['```\na\n``` b\n```', 'pre(a\n``` b)'],
    ['~~~ a`b\nc\n~~~', 'pre.a(c)'],
    ['```\na\n~~~\n```', 'pre(a\n~~~)'],
    ['``\na\n``', 'p(`a`)'],
    ['``` x y\n```', 'pre.x()'],
    ['```\n\n\na\n\n```', 'pre(\n\na\n)'],
    ['    a\n  b', 'pre(a) p(b)'],
    ['    a\n\n\n    b\n\n', 'pre(a\n\n\nb)'],
    ['a\n\n    b', 'p(a) pre(b)'],
    ['     a', 'pre( a)'],
    ['\ta', 'pre(a)'],
    ['  \ta', 'pre(a)'],
    ['```\n\ta\n \tb\n```', 'pre(\ta\n \tb)'],
    ['  ```\n\ta\n  \tb\n  ```', 'pre(  a\n\tb)'],
    ['- ```\n  \ta\n\tb\n  ```', 'ul(pre(\ta\n  b))'],
    ['1. a\n\n   ```\n   b:\n   \tc\n   \t\td\n   ```', 'ol1.loose(p(a) pre(b:\n\tc\n\t\td))'],
    ['> ```\n> \ta\n> ```', 'quote(pre(\ta))'],
    ['- > ```\n  > \ta\n  > ```', 'ul(quote(pre(\ta)))'],
    ['- a\n\t- b\n\n\t  \tc\n\n\t      d', 'ul(p(a) ul.loose(p(b) p(c) pre(d)))'],
    ['a  ', 'p(a)'],
    ['  a\n    b', 'p(a\nb)'],
  ],
  'lists: where an item ends': [
    ['- a\n  b', 'ul(p(a\nb))'],
    ['- a\n b', 'ul(p(a\nb))'],
    ['-   a\n    b', 'ul(p(a\nb))'],
    ['-     a', 'ul(pre(a))'],
    ['- a\n\n  b\nc', 'ul.loose(p(a) p(b\nc))'],
    ['- a\n\nb', 'ul(p(a)) p(b)'],
    ['10) a\n11) b', 'ol10(p(a), p(b))'],
    ['1. a\n1) b', 'ol1(p(a)) ol1(p(b))'],
    ['1234567890. a', 'p(1234567890. a)'],
    ['- a\n- \n- b', 'ul(p(a), , p(b))'],
    ['-a', 'p(-a)'],
    ['1.a', 'p(1.a)'],
    ['+ a\n+ b', 'ul(p(a), p(b))'],
    ['   - a\n   - b', 'ul(p(a), p(b))'],
    ['- a\n   - b', 'ul(p(a) ul(p(b)))'],
    ['    - a', 'pre(- a)'],
    ['a\n-', 'h2(a)'],
    ['a\n- b', 'p(a) ul(p(b))'],
    ['a\n1. b', 'p(a) ol1(p(b))'],
    ['a\n0. b', 'p(a\n0. b)'],
    ['a\n2. b', 'p(a\n2. b)'],
    ['- - a', 'ul(ul(p(a)))'],
    ['- 1. a', 'ul(ol1(p(a)))'],
    ['- # a\n- > b', 'ul(h1(a), quote(p(b)))'],
    ['- ```\n  a\n  ```\nb', 'ul(pre(a)) p(b)'],
    ['- ---\n- a', 'rule ul(p(a))'],
    ['* a\n\n\n* b', 'ul.loose(p(a), p(b))'],
    ['- [X] a', 'ul([x] p(a))'],
    ['- [ ]a', 'ul(p([ ]a))'],
    ['- [x]  a', 'ul([x] p(a))'],
    ['1. [ ] a', 'ol1([ ] p(a))'],
    ['- a\n\n      b', 'ul.loose(p(a) pre(b))'],
    ['- a\n# b', 'ul(p(a)) h1(b)'],
    ['- a\n> b', 'ul(p(a)) quote(p(b))'],
    ['- a\n---', 'ul(p(a)) rule'],
    ['-\n  a', 'ul(p(a))'],
    ['- a\n  - b\n\n  c', 'ul.loose(p(a) ul(p(b)) p(c))'],
    ['- a\n  - b\n\n    c\n- d', 'ul(p(a) ul.loose(p(b) p(c)), p(d))'],
    ['0. a', 'ol0(p(a))'],
  ],
  'quotes: where they end': [
    ['>a', 'quote(p(a))'],
    ['   > a', 'quote(p(a))'],
    ['    > a', 'pre(> a)'],
    ['>\ta', 'quote(pre(a))'],
    ['>', 'quote()'],
    ['> a\n>\n> b', 'quote(p(a) p(b))'],
    ['> a\n\n> b', 'quote(p(a)) quote(p(b))'],
    ['> a\n- b', 'quote(p(a)) ul(p(b))'],
    ['> - a\nb', 'quote(ul(p(a\nb)))'],
    ['> - a\n- b', 'quote(ul(p(a))) ul(p(b))'],
    ['> a\n---', 'quote(p(a)) rule'],
    ['> # a\nb', 'quote(h1(a)) p(b)'],
    ['>     a\nb', 'quote(pre(a)) p(b)'],
    ['> ```\n> a\n> ```\nb', 'quote(pre(a)) p(b)'],
    ['> a\n    b', 'quote(p(a\nb))'],
    ['> > a\nb', 'quote(quote(p(a\nb)))'],
    ['- > a\n  b\n- c', 'ul(quote(p(a\nb)), p(c))'],
    ['> ***\na', 'quote(rule) p(a)'],
  ],
  'tables: edges': [
    ['|a|\n|-|', 'table(-; a)'],
    ['| a |\n| :-: |\n| b |', 'table(center; a; b)'],
    ['a|b\n-|-\nc|d|e\nf', 'table(-|-; a|b; c|d; f)'],
    ['|a|b|\n|-|-|\n> c', 'table(-|-; a|b) quote(p(c))'],
    ['|a|b|\n|-|-|\n- c', 'table(-|-; a|b) ul(p(c))'],
    ['|a|b|\n|-|-|\n\n|c|d|', 'table(-|-; a|b) p(|c|d|)'],
    ['a|b\n:-|-:', 'table(left|right; a|b)'],
    ['a|b\n: -|-', 'p(a|b\n: -|-)'],
    ['a|b\n--', 'h2(a|b)'],
    ['|a\\|b|c|\n|-|-|', 'table(-|-; a|b|c)'],
    ['|a||\n|-|-|', 'table(-|-; a|)'],
    ['| a | b |\n| - | - |\n| | c |', 'table(-|-; a|b; |c)'],
    ['a|b\n=|=', 'p(a|b\n=|=)'],
    ['|a|b|\n  |-|-|', 'table(-|-; a|b)'],
    ['| `a|b` |\n|-|-|', 'table(-|-; `a|b`)'],
  ],
  'what one construct leaves to the next': [
    ['> ```\n> a\n> ```\n> b\nc', 'quote(pre(a) p(b\nc))'],
    ['> a\n>     ---\nb', 'quote(p(a\n---\nb))'],
    ['- b\n  ```\n  c\n  ```\n  d\ne', 'ul(p(b) pre(c) p(d\ne))'],
    ['-_(a)_-', 'p(-em((a))-)'],
    ['a***b***c', 'p(aem(strong(b))c)'],
    ['a*b**c*', 'p(aem(b**c))'],
    ['     \ta', 'pre(    a)'],
    ['a|b\n-|x', 'p(a|b\n-|x)'],
    ['- [x]', 'ul(p([x]))'],
    ['[a](https://x.y "b" c)', 'p([a](a(https://x.y: https://x.y) "b" c))'],
    ['[a](https://x.y "")', 'p(a(https://x.y: a))'],
    ['see http://x.', 'p(see a(http://x: http://x).)'],
    ['\\(a\\) \\(b\\)', 'p(math(a) math(b))'],
    ['`a` ``b`` `c`', 'p(`a` `b` `c`)'],
  ],
})

test('twelve quotes or lists are read inside one another; a thousand labels are known', () => {
  assert.equal(outlineOf(`${'>'.repeat(14)}a`), `${'quote('.repeat(12)}p(>>a)${')'.repeat(12)}`)
  assert.equal(outlineOf(`${'- '.repeat(14)}a`), `${'ul('.repeat(12)}p(- - a)${')'.repeat(12)}`)
  const labels = Array.from({ length: 1_001 }, (_, at) => `[l${at}]: https://x.y/${at}`)
  assert.match(outlineOf(`${labels.join('\n')}\n\n[l999] [l1000]`), / p\(a\(https:\/\/x\.y\/999: l999\) \[l1000\]\)$/)
})

test('cells count as nodes, and all formulas together are bounded', () => {
  const limits = { nodes: 6, formulas: 9, formulaChars: 5 }
  assert.equal(outlineOf('$abc$ $def$ $gh$', limits), 'p(math(abc) $def$ math(gh))')
  const table = '|a|b|\n|-|-|\n|1|2|\n|3|4|\n|5|6|\n\nx'
  assert.equal(outlineOf(table, limits), 'table(-|-; a|b; 1|2; 3|4) plain(|5|6|\n\nx)')
})

test('blocks of code count as eight nodes', () => {
  const limits = { nodes: 16, formulas: 9, formulaChars: 5 }
  const code = '```\na\n```\n\n'
  assert.equal(outlineOf(code.repeat(3), limits), 'pre(a) pre(a) plain(```\na\n```\n\n)')
})

test('a table, a list or blocks as long as a text may be are plain beyond some thousand elements', () => {
  for (const [head, row] of [
    ['|a|b|\n|-|-|\n', '|a|b|\n'],
    ['', '- a\n'],
    ['', 'a\n\n'],
  ] as const) {
    const { parts } = readMarkdown(head + row.repeat(15_000))
    const count = parts.reduce((sum, { used }) => sum + used.nodes, 0)
    assert.ok(count >= 4_000 && count < 4_010, String(count))
    assert.equal(parts.at(-1)?.block.type, 'plain')
  }
})

test('a paragraph too long for one layout is plain, in a list too', () => {
  const longest = 'x'.repeat(20_000)
  assert.equal(outlineOf(`${longest}\n\n*a*`), `p(${longest}) p(em(a))`)
  assert.equal(outlineOf(`${longest} *a*\n\n*b*`), `plain(${longest} *a*) p(em(b))`)
  assert.equal(outlineOf(`- ${longest} *a*`), `ul(plain(${longest} *a*))`)
})

test('a block says whether a blank line stands before it; a list without numbers has no start', () => {
  const { parts } = readMarkdown('a\n\nb\n# c\n- d')
  assert.deepEqual(
    parts.map(({ gap }) => gap),
    [false, true, false, false],
  )
  const list = parts.at(-1)?.block ?? assert.fail()
  assert.equal('start' in list, false)
})
