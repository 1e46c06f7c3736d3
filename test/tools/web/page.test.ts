// An HTML page as title and text, without its worker.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPage } from '#tools/web/page.ts'

const url = 'https://a.test/dir/page'
const paragraph = (about: string) =>
  `<p>${`${about} is told here in many words, so that it is taken for prose. `.repeat(8)}</p>`
const note = '(The page has no text of its own: its scripts would make it, and they are not run.)'

test('a title is on one line and at most 300 characters, and comes from the page or its description', async () => {
  for (const [head, title] of [
    ['<title> Tea\n and  milk </title>', 'Tea and milk'],
    [`<title>${'x'.repeat(301)}</title>`, 'x'.repeat(300)],
    [`<title>${'x'.repeat(299)}😀</title>`, `${'x'.repeat(299)}\uFFFD`],
    ['<meta property="og:title" content="Tea">', 'Tea'],
    ['<title>One</title><meta property="og:title" content="Tea">', 'One'],
    ['', ''],
  ] as const)
    assert.equal((await readPage(`<html><head>${head}</head><body>x</body></html>`, url)).title, title)
})

test('of a page with an article the article is read, else all of it without its navigation', async () => {
  const article = `<article><h1>Tea</h1>${paragraph('Tea').repeat(4)}</article>`
  const page = `<html><body><div class="sidebar">Buy milk</div>${article}<footer>Imprint</footer></body></html>`
  const { text } = await readPage(page, url)
  assert.match(text, /Tea is told here/)
  assert.doesNotMatch(text, /Imprint|Buy milk/)
})

test('an article that is a small part of the page is a wrong guess', async () => {
  const rows = Array.from({ length: 400 }, (_, at) => `<tr><td>cell ${at}</td><td>value ${at}</td></tr>`).join('')
  const page = `<html><body><article>${paragraph('Tea')}</article><table>${rows}</table></body></html>`
  const { text } = await readPage(page, url)
  assert.match(text, /cell 399/)
})

test('a page without html or body is read, and links are told by the address of its base', async () => {
  assert.equal((await readPage('<p>Tea</p><p>milk</p>', url)).text, 'Tea\n\nmilk')
  assert.equal((await readPage('<html><head></head><p>Tea</p></html>', url)).text, 'Tea')
  const link = (base: string) => `<html><head>${base}</head><body><a href="x">Tea</a></body></html>`
  assert.match((await readPage(link(''), url)).text, /https:\/\/a\.test\/dir\/x/)
  assert.match((await readPage(link('<base href="/other/">'), url)).text, /https:\/\/a\.test\/other\/x/)
  assert.match((await readPage(link('<base href="http://[">'), url)).text, /https:\/\/a\.test\/dir\/x/)
})

test('a page whose content is made by scripts says so, with its description', async () => {
  const shell = (meta: string) => `<html><head>${meta}</head><body><script>go()</script></body></html>`
  assert.equal((await readPage(shell(''), url)).text, note)
  for (const meta of [
    '<meta name="description" content=" All\n tea ">',
    '<meta property="og:description" content="All tea">',
  ])
    assert.equal((await readPage(shell(meta), url)).text, `${note}\nIt describes itself: All tea`)
})

test('a very deep page is read as a whole, without its navigation', async () => {
  const menus = '<nav>Menu</nav><footer>End</footer><p role="navigation">More</p><p role="contentinfo">Imprint</p>'
  const deep = (levels: number) =>
    `<html><body>${'<div>'.repeat(levels)}${paragraph('Tea')}${'</div>'.repeat(levels)}${menus}Buy milk</body></html>`
  const { text } = await readPage(deep(90), url)
  assert.match(text, /Tea is told[^]*Buy milk/)
  assert.doesNotMatch(text, /Menu|End|More|Imprint/)
})
