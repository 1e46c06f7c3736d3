// Texts that are too long to be laid out at once, in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../until.ts'
import { useSite } from './browser.ts'
import { box, isFocused, own, say } from './chat-page.ts'
import { noBrowser } from './launch.ts'

const skip = noBrowser()
const maxBlockChars = 20_000
/** The button was higher than the skeleton that stood in its place for a moment. */
const rowsPx = 100
const words = 'word '.repeat(80_000)
const site = useSite({
  script: {
    loop: true,
    replies: [{ when: 'write', calls: [{ name: 'no_such_tool', args: { text: words } }] }, { text: `${words}end` }],
  },
})

test('the rest of a long reply is shown in blocks, and its reader stays where they are', { skip }, async (t) => {
  const { thread_id } = await site.call<{ thread_id: string }>('POST', '/api/chat', { message: 'hello' })
  const page = await site.visit(t, `/threads/${thread_id}`)
  const scrollTop = () => page.evaluate<number>('document.querySelector(".transcript").scrollTop')
  const more = page.getByRole('button', { name: /^Show .* more characters$/ })
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
