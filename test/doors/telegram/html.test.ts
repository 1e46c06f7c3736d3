// Markdown as Telegram's HTML.
import assert from 'node:assert/strict'
import { test } from 'node:test'
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

test('a long hostile text takes no longer than its length', () => {
  for (const part of ['`', '**', '*a', ' *a', '[', '[a](https://', '# ']) htmlOf(part.repeat(200_000 / part.length))
})
