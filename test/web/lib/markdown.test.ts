// Markdown: what each construct becomes, what stays text, and what is read again while a text streams in.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formattedLength, type MarkdownText, readMarkdown } from '../../../web/lib/markdown.ts'
import { outline } from './markdown-outline.ts'

/** How deep the parts of a text are inside one another. */
function depth(text: string): number {
  let [now, most] = [0, 0]
  for (const char of read(text)) most = Math.max(most, (now += char === '(' ? 1 : char === ')' ? -1 : 0))
  return most
}

const read = (text: string): string => outlineOf(readMarkdown(text))
const outlineOf = ({ parts }: MarkdownText): string => outline(parts.map(({ block }) => block))

/** Each text becomes its outline. */
function become(table: Readonly<Record<string, string>>): void {
  for (const [text, expected] of Object.entries(table)) assert.equal(read(text), expected, JSON.stringify(text))
}

test('paragraphs, headings, rules and line breaks', () => {
  become({
    'one\ntwo\n\nthree': 'p(one\ntwo) p(three)',
    'one  \ntwo\\\nthree<br>four': 'p(one<br>two<br>three<br>four)',
    '# One\n## Two ##\n####### seven': 'h1(One) h2(Two) p(####### seven)',
    'One\n===\n\nTwo\n---': 'h1(One) h2(Two)',
    '---\n\n* * *\n\ntext\n# heading': 'rule rule p(text) h1(heading)',
    'one\r\ntwo\r\n\r\nthree': 'p(one\ntwo) p(three)',
  })
})

test('emphasis, by the marks around it', () => {
  become({
    '*a* **b** ***c*** ~~d~~ ~e~ _f_ __g__': 'p(em(a) strong(b) em(strong(c)) del(d) del(e) em(f) strong(g))',
    '**a *b* c** *a **b** c*': 'p(strong(a em(b) c) em(a strong(b) c))',
    'snake_case_name 5 * 3 * 2 a*b*c': 'p(snake_case_name 5 * 3 * 2 aem(b)c)',
    '**open *[unclosed ~~': 'p(**open *[unclosed ~~)',
    '\\*a\\* *a\\*': 'p(*a* *a*)',
    '*********a*********': 'p(*********a*********)',
    'foo****bar': 'p(foo****bar)',
  })
})

test('code', () => {
  become({
    '`a` `` b ` c `` `*d*` `open': 'p(`a` `b ` c` `*d*` `open)',
    '```ts file\nconst a = 1\n\n  b\n```\nafter': 'pre.ts(const a = 1\n\n  b) p(after)',
    '~~~\n```\n~~~\n\n```\nopen': 'pre(```) pre(open)',
    '    a\n\n      b\n\nc\n    d': 'pre(a\n\n  b) p(c\nd)',
    '``` not `code` here': 'p(``` not `code` here)',
  })
})

test('lists: nested, numbered, loose, with boxes and with other blocks inside', () => {
  become({
    '- a\n- b\n  - c\n    lazy\nlazier\n- d': 'ul(p(a), p(b) ul(p(c\nlazy\nlazier)), p(d))',
    '3. a\n4. b\n\ntext': 'ol3(p(a), p(b)) p(text)',
    '- a\n\n- b\n\n  c': 'ul.loose(p(a), p(b) p(c))',
    '- [ ] a\n- [x] b\n- [y] c': 'ul([ ] p(a), [x] p(b), p([y] c))',
    '1. a\n   ```sh\n   ls\n   ```\n2. b': 'ol1(p(a) pre.sh(ls), p(b))',
    '- a\n* b': 'ul(p(a)) ul(p(b))',
    'text\n- a\n1. b\n\ntext\n2. c': 'p(text) ul(p(a)) ol1(p(b)) p(text\n2. c)',
    '-\n- a\n\t- b': 'ul(, p(a) ul(p(b)))',
  })
})

test('quotes', () => {
  become({
    '> a\nlazy\n> b\n\nc': 'quote(p(a\nlazy\nb)) p(c)',
    '> - a\n>\n> # b\nc': 'quote(ul(p(a)) h1(b)) p(c)',
    '>> a\n> b': 'quote(quote(p(a\nb)))',
    '> ```\n> a\nb': 'quote(pre(a)) p(b)',
  })
})

test('tables; what only looks like one is text', () => {
  become({
    '| a | b | c |\n|:--|:-:|--:|\n| 1 | `2` |\n| x \\| y | 2 | 3 | 4 |\n\nd':
      'table(left|center|right; a|b|c; 1|`2`; x | y|2|3) p(d)',
    'text\na | b\n-|-\n1 | 2\n# c': 'p(text) table(-|-; a|b; 1|2) h1(c)',
    'a | b\n-|-|-\n': 'p(a | b\n-|-|-)',
    'a\n|-|': 'p(a\n|-|)',
  })
})

test('links: written out, by label, as they stand; pictures are links', () => {
  become({
    '[a *b*](https://x.y/z_(1) "t") ![pic](https://x.y/p.png)':
      'p(a(https://x.y/z_(1): a em(b)) a(https://x.y/p.png: pic))',
    '[a](<https://x.y/a b>) [![pic](https://p.q)](https://x.y)': 'p(a(https://x.y/a b: a) a(https://x.y: pic))',
    '[a][R] [r][] [r] [s]\n\n[r]: https://x.y "t"\n[r]: https://second.one':
      'p(a(https://x.y: a) a(https://x.y: r) a(https://x.y: r) [s])',
    '<https://a.b> <me@x.org> https://c.d/e_f_g. (www.x.y/z) me@x.org':
      'p(a(https://a.b: https://a.b) a(mailto:me@x.org: me@x.org) a(https://c.d/e_f_g: https://c.d/e_f_g). (a(http://www.x.y/z: www.x.y/z)) a(mailto:me@x.org: me@x.org))',
    '[a [b](https://c.d) e](https://f.g)': 'p([a a(https://c.d: b) e](a(https://f.g: https://f.g)))',
    '[https://x.y](https://z.z) **https://a.b**': 'p(a(https://z.z: https://x.y) strong(a(https://a.b: https://a.b)))',
    '[a] (b) [c](': 'p([a] (b) [c]()',
  })
})

test('footnotes, with their marks where the text has them', () => {
  become({
    'One[^1] and two[^Note].\n\n[^1]: The *first*\ngoes on.\n[^note]: Second':
      'p(Onenote(1) and twonote(Note).) note.1(The em(first)\ngoes on.) note.note(Second)',
    'No such[^2], and [^ not one], [^].\n\n[^1]: x': 'p(No such[^2], and [^ not one], [^].) note.1(x)',
    '`[^1]` \\[^1]\n\n[^1]: x': 'p(`[^1]` [^1]) note.1(x)',
  })
})

test('a link leads to http, https and mail addresses only; of others the words stay', () => {
  become({
    '[a](javascript:alert(1)) [b](data:text/html,x) [c](/d) [e](JaVaScRiPt:x) [f](https:g)': 'p(a b c e f)',
    '[a](java\\script:x) [b](&#106;avascript:x) <javascript:x>': 'p(a b <javascript:x>)',
    '[r]\n\n[r]: javascript:x': 'p(r)',
    '[a](vbscript:x "y") ![i](file:///etc)': 'p(a i)',
  })
})

test('HTML is text; characters by name are characters', () => {
  become({
    '<b onclick="x">a</b> <!-- c -->': 'p(<b onclick="x">a</b> <!-- c -->)',
    '&lt;b&gt; &amp;amp; &nope; &#8212; &#x0; a&nbsp;b': 'p(<b> &amp; &nope; — \uFFFD a\u00A0b)',
  })
})

test('formulas in a line and on lines of their own; prices are none', () => {
  become({
    'a $x^2$ and \\(y\\) and $$z$$ and \\[w\\].': 'p(a math(x^2) and math(y) and display(z) and display(w).)',
    'costs $5 and $6, or $ 7 $': 'p(costs $5 and $6, or $ 7 $)',
    'text\n$$\na\n- b\n$$\nmore\n\\[ c \\]': 'p(text) formula(a\n- b) p(more) formula(c)',
    '$$\nopen\n\n- a': 'p($$\nopen) ul(p(a))',
  })
})

test('beyond the limits a text is plain: nodes, depth, columns, formulas', () => {
  const limits = { nodes: 6, formulas: 2, formulaChars: 5 }
  const bounded = (text: string): string => outlineOf(readMarkdown(text, undefined, limits))
  assert.equal(bounded('a\n\nb\n\n- c\n- d\n- e\n\n# f'), 'p(a) p(b) ul(p(c), p(d)) plain(- e\n\n# f)')
  assert.equal(bounded('*a* *b* *c* *d* *e* *f* *g*'), 'p(em(a) em(b) em(c) em(d) em(e) *f* *g*)')
  assert.equal(bounded('$a$ $b$ $c$ $$d$$'), 'p(math(a) math(b) $c$ $$d$$)')
  assert.equal(bounded('$abcdef$ $a$'), 'p($abcdef$ math(a))')
  assert.equal(read(`\\[${'x'.repeat(2_001)}\\]`), `p([${'x'.repeat(2_001)}])`)
  assert(depth('>'.repeat(5_000)) < 20)
  assert(depth(`${'- '.repeat(5_000)}a`) < 20)
  assert(depth(`${'*a _b '.repeat(1_000)}${'b_ a*'.repeat(1_000)}`) < 80)
  const columns = '|a'.repeat(65)
  assert.match(read(`${columns}\n${'|-'.repeat(65)}`), /^p\(/)
})

test('a text that streams in reads as the whole does, and what cannot change is not read again', () => {
  const texts = [
    'One\n\nTwo *a\nb*\n\n- a\n\n- b\n\n  c\n\nThree\n\n```\ncode\n\nmore\n```\n\nFour\n',
    '1. a\n\n2. b\n\ntext\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> q\n\n$$\nx\n- y\n$$\n\nend',
    'text\n- a\n- *b*\nlazy\n  - c\n- d\n\n- e\n---\n- f\n* g\n* * *\n1. h\n2.5 i\n2. j\n--',
    'text\n| a | b |\n|---|--:|\n| 1 | *2* |\n| `3` | $4$ |\n# h\n| a |\r\n|---|\r\n| b |\r\n* c',
    'see [a] and [b][c]\n\nmore\n\n[a]: https://x.y\n[c]: https://z.z\n\nend of [a]',
    'text\n\n$$\na\n+ b\n+ c\n$$\n- d\n- e\n\\[\nf\n- g\n- h\n\\]',
    '[a]\n\n- b\n-\t[a]: https://x.y\n',
    '[a]\n\n- b\n- [x] [a]: https://x.y\n',
  ]
  for (const text of texts) {
    let before: MarkdownText | undefined
    for (let length = 1; length <= text.length; length++) {
      before = readMarkdown(text.slice(0, length), before)
      assert.equal(outlineOf(before), read(text.slice(0, length)), JSON.stringify(text.slice(0, length)))
    }
  }
  const first = readMarkdown('One\n\nTwo\n\nThree')
  const second = readMarkdown('One\n\nTwo\n\nThree and more', first)
  assert.equal(second.parts[1], first.parts[1])
  assert.notEqual(second.parts[2], first.parts[2])
  assert.equal(outlineOf(readMarkdown('Other', second)), 'p(Other)')
})

test('of a table or list that streams in only the last row or item is read again', () => {
  const entriesOf = ({ parts }: MarkdownText): readonly object[] => {
    const block = parts.at(-1)?.block
    return block?.type === 'table' ? block.rows : block?.type === 'list' ? block.items : []
  }
  const table = 'text\n| a\u2028 | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4'
  const list = 'text\n- a\n- b\n\n- c'
  for (const text of [table, list].flatMap((each) => [each, each.replaceAll('\n', '\r\n')])) {
    const first = readMarkdown(text)
    const second = readMarkdown(`${text} and more`, first)
    assert.equal(entriesOf(second).length, entriesOf(first).length)
    entriesOf(first).forEach((each, at, { length }) => assert.equal(entriesOf(second)[at] === each, at < length - 1))
  }
  const twoLines = 'a | b\r\n- | -\r\n1 | 2\r\n- | -\r\n3 | 4'
  assert.equal(outlineOf(readMarkdown(twoLines, readMarkdown(twoLines.slice(0, 19)))), read(twoLines))
  const limits = { nodes: 8, formulas: 2, formulaChars: 100 }
  const rows = '| a |\n|---|\n' + '| b |\n'.repeat(20)
  const first = readMarkdown(rows, undefined, limits)
  const second = readMarkdown(`${rows}| c`, first, limits)
  assert.equal(second.parts[0], first.parts[0])
  assert.equal(outlineOf(second), outlineOf(readMarkdown(`${rows}| c`, undefined, limits)))
  // Spans take no rows away: a table that streams in is as long as the whole.
  const emphasised = '| a |\n|---|\n| *b* |\n| *c* |\n| *d* |\n| *e* |'
  const begun = readMarkdown(emphasised.slice(0, 30), undefined, limits)
  assert.equal(entriesOf(readMarkdown(emphasised, begun, limits)).length, 4)
})

test('the limits hold for a text that streams in as for the whole', () => {
  const limits = { nodes: 8, formulas: 2, formulaChars: 100 }
  const text = 'a *b*\n\n$c$ d\n\n$e$ f\n\n$g$ h\n\ni'
  const first = readMarkdown(text.slice(0, 20), undefined, limits)
  const whole = readMarkdown(text, undefined, limits)
  assert.equal(outlineOf(readMarkdown(text, first, limits)), outlineOf(whole))
})

test('a long text is formatted up to a line', () => {
  assert.equal(formattedLength('a'.repeat(100_000)), 100_000)
  assert.equal(formattedLength('a'.repeat(100_001)), 100_000)
  assert.equal(formattedLength(`${'a'.repeat(90_000)}\n${'b'.repeat(20_000)}`), 90_001)
})
