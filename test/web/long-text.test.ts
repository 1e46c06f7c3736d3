// Texts that are too long to be laid out at once, in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../until.ts'
import { follow, useSite } from './browser.ts'
import { box, isFocused, own, receipt, replies, say } from './chat-page.ts'
import { noBrowser } from './launch.ts'

const skip = noBrowser()
const maxBlockChars = 20_000
/** The button was higher than the skeleton that stood in its place for a moment. */
const rowsPx = 100
const words = 'word '.repeat(80_000)
const site = useSite({
  script: {
    loop: true,
    replies: [
      { when: 'table', text: `| a | b |\n|---|---|\n${'| 1 | *2* |\n'.repeat(600)}` },
      { when: 'list', text: 'One\n\n- two\n'.repeat(400) },
      { when: 'pieces', text: ['# One\n\nTwo', ' three.'], chunkDelayMs: 500 },
      { when: 'write', calls: [{ name: 'no_such_tool', args: { text: words } }] },
      { text: `${words}end` },
    ],
  },
})

test('the rest of a long reply is shown in blocks, and its reader stays where they are', { skip }, async (t) => {
  const { thread_id } = await site.call<{ thread_id: string }>('POST', '/api/chat', { message: 'hello' })
  const page = await site.visit(t, `/threads/${thread_id}`)
  const scrollTop = () => page.locator('.transcript').evaluate((node) => node.scrollTop)
  const more = page.getByRole('button', { name: /^Show .* more characters$/ })
  // The thread opens at its end, once the code for long texts is loaded.
  await until(async () => (await scrollTop()) > 0)
  await more.scrollIntoViewIfNeeded()
  const before = await scrollTop()
  await more.press('Enter')
  const rest = page.locator('.markdown .long-text')
  await rest.waitFor()
  const blocks = await rest.locator('.text-block').allTextContents()
  assert.equal(blocks.join('').slice(-8), 'word end')
  assert(blocks.length > 1 && blocks.every(({ length }) => length <= maxBlockChars))
  assert(await isFocused(rest), 'the focus of the button goes to what it showed')
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  const after = await scrollTop()
  assert(Math.abs(after - before) < rowsPx, `${before} became ${after}`)
})

for (const [kind, rows] of [
  ['table', 'tr'],
  ['list', 'li'],
] as const) {
  test(`a long ${kind} is drawn in slices, and whole in the end`, { skip }, async (t) => {
    const { thread_id } = await site.call<{ thread_id: string }>('POST', '/api/chat', { message: kind })
    const page = await site.visit(t)
    await box(page).waitFor()
    await page.evaluate(`
      globalThis.drawnAtOnce = 0
      new MutationObserver((changes) => {
        const added = changes.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) => node.nodeType === 1)
        const counts = added.map((node) => node.querySelectorAll('.markdown *').length)
        drawnAtOnce = Math.max(drawnAtOnce, counts.reduce((sum, count) => sum + count, 0))
      }).observe(document.body, { childList: true, subtree: true })`)
    await follow(page, `/threads/${thread_id}`)
    await page.locator('.markdown[aria-busy=false]').waitFor()
    const drawn = await page.locator(`.markdown ${rows}`).count()
    assert.equal(drawn, kind === 'table' ? 601 : 400)
    const atOnce = await page.evaluate<number>('drawnAtOnce')
    assert(atOnce > 0 && atOnce < 1_000, `${atOnce} elements at once`)
  })
}

test('a text that is stored is not drawn again', { skip }, async (t) => {
  const page = await site.visit(t)
  await say(page, 'pieces')
  const heading = replies(page).getByRole('heading', { name: 'One' })
  await heading.waitFor()
  await heading.evaluate((node) => node.setAttribute('data-seen', ''))
  await receipt(page).waitFor()
  await replies(page).getByText('Two three.').waitFor()
  assert.equal(await heading.getAttribute('data-seen'), '')
})

test('long pasted text becomes a file of the message, shorter text its words', { skip }, async (t) => {
  const page = await site.visit(t)
  await box(page).waitFor()
  const paste = (length: number) =>
    page.evaluate<boolean>(`(() => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', 'x'.repeat(${length}))
      const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
      return document.querySelector('.composer-text').dispatchEvent(event)
    })()`)
  assert.equal(await paste(maxBlockChars), true, 'the field takes it')
  assert.equal(await paste(maxBlockChars + 1), false)
  await page.getByRole('list', { name: 'Attached' }).getByText('pasted-text.txt').waitFor()
  await say(page, 'read this')
  await own(page).getByText('pasted-text.txt').waitFor()
})

test('long arguments of a call are shown in blocks', { skip }, async (t) => {
  const { thread_id } = await site.call<{ thread_id: string }>('POST', '/api/chat', { message: 'write' })
  const page = await site.visit(t, `/threads/${thread_id}`)
  await page.getByRole('button', { name: /^no_such_tool/ }).click()
  const blocks = page.locator('.call-text .text-block')
  await until(async () => (await blocks.count()) > words.length / maxBlockChars)
})
