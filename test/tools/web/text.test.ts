// HTML as text: what keeps its form, what is left out, and how links and lists read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHTML } from 'linkedom'
import { type Element, textOfElement } from '#tools/web/text.ts'

function textOf(html: string): string {
  const { document } = parseHTML(`<!doctype html><html><body>${html}</body></html>`) as unknown as {
    document: { body: Element }
  }
  return textOfElement(document.body, 'https://a.example/dir/')
}

const pages: readonly [html: string, text: string][] = [
  ['plain', 'plain'],
  ['  many \n blanks  ', 'many blanks'],
  ['<p>one</p><p>two</p>', 'one\n\ntwo'],
  ['<div>one<div>two</div>three</div>', 'one\n\ntwo\n\nthree'],
  ['<h1>One</h1><h6>Six <b>bold</b></h6><h2></h2>', '# One\n\n###### Six bold'],
  ['a<br>b<br> c', 'a\nb\nc'],
  ['a<hr>b', 'a\n\n---\n\nb'],
  ['<pre>\n  x\n  y  \n</pre>', '```\n  x\n  y\n```'],
  ['call <code>f(x)</code> and <code></code>', 'call `f(x)` and'],
  ['<a href="/x">go <b>there</b></a>.', '[go there](https://a.example/x).'],
  ['see<a href="y"> here </a>now', 'see [here](https://a.example/dir/y) now'],
  ['<a href="#part">part</a>', 'part'],
  ['<a href="javascript:f()">run</a>', 'run'],
  ['<a href="mailto:a@b.example">mail</a>', 'mail'],
  ['<a href="/x"></a>', ''],
  ['<a>bare</a>', '[bare](https://a.example/dir/)'],
  ['<a href="/x"><p>one</p><p>two</p></a>', 'one\n\ntwo\n(https://a.example/x)'],
  ['<img alt="a  cat"><img alt=""><img>', '[image: a cat]'],
  ['<blockquote><p>one</p><p>two</p></blockquote>', '> one\n>\n> two'],
  ['<ul><li>one</li><li></li><li>two<ul><li>deep</li></ul></li></ul>', '- one\n- two\n  - deep'],
  ['<ol><li>one</li><li>two</li></ol>', '1. one\n2. two'],
  ['<ol start="9"><li>one</li><li>two<br>lines</li></ol>', '9. one\n10. two\n    lines'],
  ['<ol start="x"><li>one</li></ol>', '1. one'],
  [
    '<table><caption>T</caption><tr><th>a</th><th>b|c</th></tr><tr><td>1</td><td>2</td></tr></table>',
    'T\n| a | b\\|c |\n| --- | --- |\n| 1 | 2 |',
  ],
  [
    '<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr></tr><tr><td>1</td><td>2</td></tr></tbody></table>',
    '| a | b |\n| --- | --- |\n| 1 | 2 |',
  ],
  ['<table><tr><td><p>one</p></td></tr><tr><td>two</td></tr></table>', 'one\n\ntwo'],
  ['<table><tr><td>a</td><td><table><tr><td>in</td></tr></table></td></tr></table>', '| a | in |\n| --- | --- |'],
  [
    'a<span hidden>b</span><span aria-hidden="true">c</span><span style="display: none">d</span><span style="visibility:hidden">e</span>f',
    'af',
  ],
  ['a<span aria-hidden="false">b</span><span style="display: block">c</span>', 'abc'],
  ...'title script style noscript template svg math iframe object select button'
    .split(' ')
    .map((name): [string, string] => [`a<${name}>hidden</${name}>b`, 'ab']),
  ...'address article aside center details dialog figure footer form header main nav section'
    .split(' ')
    .map((name): [string, string] => [`a<${name}>b</${name}>c`, 'a\n\nb\n\nc']),
  ['<!-- note -->a', 'a'],
]
for (const [html, text] of pages) {
  test(`${html.slice(0, 60)} reads ${JSON.stringify(text.slice(0, 40))}`, () => assert.equal(textOf(html), text))
}

test('of an element 300 levels deep only the plain text is used', () => {
  const deep = (levels: number): string => textOf(`${'<span>'.repeat(levels)}<code>x</code>${'</span>'.repeat(levels)}`)
  assert.deepEqual([deep(299), deep(300)], ['`x`', 'x'])
})

test('a page cannot stall its reader by a line of blanks', () => {
  const line = `a${' '.repeat(1_000_000)}b`
  assert.equal(textOf(`<pre>${line} \t\nc</pre>`), `\`\`\`\n${line}\nc\n\`\`\``)
})
