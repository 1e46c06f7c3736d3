// Markdown as Telegram's HTML.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { growth } from '../../safety/growth.ts'
import { htmlOf } from '#doors/telegram/html.ts'
import { entityFault, plainText } from './entities.ts'

const cases: readonly (readonly [markdown: string, html: string])[] = [
  ['plain', 'plain'],
  ['a < b && c > d', 'a &lt; b &amp;&amp; c &gt; d'],
  ['**bold** and `co<de`', '<b>bold</b> and <code>co&lt;de</code>'],
  ['## Head **line**', '<b>Head line</b>'],
  ['- one\n  * two', '• one\n  • two'],
  ['2 ** 3 ** 4', '2 ** 3 ** 4'],
  ['an *apt < word*, **bold** *too*', 'an <i>apt &lt; word</i>, <b>bold</b> <i>too</i>'],
  ['2 * 3 * 4, a*b*c, *.ts and *', '2 * 3 * 4, a*b*c, *.ts and *'],
  ['* one *word*', '• one <i>word</i>'],
  ['[here](https://a.example/x?y=1&z)', 'here (https://a.example/x?y=1&amp;z)'],
  ['[https://a.example](https://a.example)', 'https://a.example'],
  ['[x](javascript:alert(1))', '[x](javascript:alert(1))'],
  ['```ts\na < b\n```', '<pre><code class="language-ts">a &lt; b</code></pre>'],
  ['```"><b>\nx\n```', '<pre>x</pre>'],
  ['```\nstill open', '<pre>still open</pre>'],
  ['```\n```', ''],
  ['```c++\nx\n```', '<pre><code class="language-c++">x</code></pre>'],
  ['```sh\n```js\n```\nbehind', '<pre><code class="language-sh">```js</code></pre>\nbehind'],
  ['````\n```\nx\n````', '<pre>```\nx</pre>'],
  ['####### seven', '####### seven'],
  ['#no heading', '#no heading'],
  ['-no item\n- **b**', '-no item\n• <b>b</b>'],
  ['`a` b `c`', '<code>a</code> b <code>c</code>'],
  ['**a & b**', '<b>a &amp; b</b>'],
  ['# a & b', '<b>a &amp; b</b>'],
  ['` ` and ** **', '` ` and ** **'],
  ['> a **b** `c`\n>> d\n>\ne', '<blockquote>a <b>b</b> `c`\nd</blockquote>\ne'],
  ['>\n> ', '&gt;\n&gt; '],
  ['> # Head\n> - one', '<blockquote><b>Head</b>\n• one</blockquote>'],
  ['a > b', 'a &gt; b'],
  ['| A | B |\n|---|--:|\n| x | 1 |\ny', '<pre>A  B\n-  -\nx  1</pre>\ny'],
  ['| A | Cost |\n|--|--|\n| `x<y` | 2 ** 3 |', '<pre>A    Cost\n---  ------\nx&lt;y  2 ** 3</pre>'],
  ['| A | B |\n|-|-|\n| xyzxyzxyz | 1 |', '<pre>| A | B |\n|-|-|\n| xyzxyzxyz | 1 |</pre>'],
  ['A | B\n--|--\na \\| b | c', '<pre>A | B\n--|--\na \\| b | c</pre>'],
  ['| a | b |\n| c | d |', '<pre>a  b\nc  d</pre>'],
  ['| a | b |\nx', '| a | b |\nx'],
  ['a | b\nc | d', 'a | b\nc | d'],
  ['a | b\n---', 'a | b\n---'],
  ['```\n| a | b |\n|---|---|\n```', '<pre>| a | b |\n|---|---|</pre>'],
  ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
]

for (const [markdown, html] of cases)
  test(`as HTML: ${JSON.stringify(markdown)}`, () => assert.equal(htmlOf(markdown), html))

test('whatever the text, Telegram can read it, and it is no longer than its source', () => {
  const parts = [
    '**',
    '*',
    '`',
    '```',
    '\n',
    '[',
    '](https://x.example)',
    '<b>',
    '&',
    '# ',
    '- ',
    'word',
    '~~~',
    '|',
    '|-|-|\n',
    '\n> ',
    '"',
    ' ',
  ]
  let seed = 1
  for (let round = 0; round < 2_000; round++) {
    let text = ''
    for (let at = 0; at < 12; at++) {
      seed = (seed * 48_271) % 2_147_483_647
      text += parts[seed % parts.length]
    }
    const html = htmlOf(text)
    assert.equal(entityFault(html), undefined, JSON.stringify(text))
    assert.ok(plainText(html).length <= text.length, JSON.stringify(text))
  }
})

test('the columns of a table stand below each other, where the message has room for that', () => {
  const table = '| Route | Before |\n|---|---:|\n| `GET /cart` | 182 ms |\n| POST | **4 \\| 5** |'
  const columns = 'Route      Before\n---------  ------\nGET /cart  182 ms\nPOST        4 | 5'
  assert.equal(htmlOf(table, 100), `<pre>${columns}</pre>`)
  const wide = `| a | b |\n|---|---|\n${'| x | y |\n'.repeat(40)}| ${'z'.repeat(90)} | y |`
  assert.ok(plainText(htmlOf(wide, 500)).length <= wide.length, 'one long cell would widen every row')
  for (let spare = 0; spare < 400; spare += 10) {
    const text = `${table}\n\n${table}`
    assert.ok(plainText(htmlOf(text, spare)).length <= text.length + spare)
  }
})

test('a long hostile text takes no longer than its length', () => {
  for (const part of [
    '`',
    '**',
    '*a',
    ' *a',
    '[',
    '[a](https://',
    '# ',
    '> ',
    '>',
    '|',
    '|-',
    '|a|\n|-|\n',
    '|a|\n',
    '\\|',
  ])
    htmlOf(part.repeat(200_000 / part.length))
})

test('a quote without words stays as it was written, and takes no more than its length', () => {
  assert.equal(htmlOf('> \n>\n> > \nword'), '&gt; \n&gt;\n&gt; &gt; \nword')
  assert.ok(growth((times) => htmlOf('> \n'.repeat(times))) < 3)
})
