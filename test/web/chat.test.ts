// Messages and replies in a real browser: sent, drawn, streamed, queued, with files, in two browsers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { until, untilEqual } from '../until.ts'
import { noBrowser } from './launch.ts'
import { checkLooks } from './looks.ts'
import { box, doubleClick, isFocused, own, receipt, replies, say, useChat } from './chat-page.ts'

const skip = noBrowser()
const site = useChat()

/** Brings a file by a paste or a drop. */
const bringFile = (locator: Locator, how: string): Promise<void> =>
  locator.evaluate((node, kind) => {
    const view = node.ownerDocument.defaultView
    const data = new view.DataTransfer()
    data.items.add(new view.File([`by ${kind}`], `by-${kind}.txt`, { type: 'text/plain' }))
    const init = { bubbles: true, cancelable: true, clipboardData: data, dataTransfer: data }
    node.dispatchEvent(kind === 'paste' ? new view.ClipboardEvent(kind, init) : new view.DragEvent(kind, init))
  }, how)

test('a message opens a thread, with its calls and a receipt; a reload shows the same, once', {
  skip,
}, async (t) => {
  const page = await site.visit(t)
  await say(page, 'what is 6 times 7')
  await page.waitForURL(/\/threads\/[0-9a-f-]{36}$/)
  await replies(page).getByText('It is 42.').waitFor()
  await page.getByRole('button', { name: /^calculate 6\*7, [^ ]+ m?s, done$/ }).waitFor()
  await page.getByRole('button', { name: /^Receipt: 1 tool, [^ ]+ tokens, free, [^ ]+ m?s$/ }).waitFor()
  await untilEqual(() => replies(page).locator('strong').textContent(), '42')
  const call = page.getByRole('button', { name: /^calculate .*done$/ })
  await untilEqual(() => call.getAttribute('aria-expanded'), 'false')
  await call.click()
  await page.getByText('Result, ').waitFor()
  await page.getByText('6*7 = 42').waitFor()
  await receipt(page).click()
  const panel = page.getByRole('complementary', { name: 'Receipt' })
  await panel.getByText('matches the log').waitFor()
  await panel.getByText('calculate').waitFor()
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  await until(() => isFocused(receipt(page)))
  await call.click()
  await untilEqual(() => call.getAttribute('aria-expanded'), 'false')
  // What reads Markdown comes by itself, before the receipt or after it.
  const whole = () => Promise.all([receipt(page).waitFor(), replies(page).locator('strong').waitFor()])
  const before = await page.getByRole('log').innerText()
  await page.reload()
  await whole()
  await untilEqual(() => page.getByRole('log').innerText(), before)
  await untilEqual(() => replies(page).count(), 1)
})

test('Shift+Enter breaks the line, Enter sends, the draft outlives the page', { skip }, async (t) => {
  const page = await site.visit(t)
  await box(page).fill('first')
  await box(page).press('Shift+Enter')
  await page.keyboard.type('second')
  await untilEqual(() => box(page).inputValue(), 'first\nsecond')
  await page.reload()
  await box(page).waitFor()
  await untilEqual(() => box(page).inputValue(), 'first\nsecond')
  await box(page).press('Enter')
  await replies(page).getByText('You said: first').waitFor()
  await untilEqual(() => box(page).inputValue(), '')
})

test('tables, code with a copy button and colours, and math are shown as such', { skip }, async (t) => {
  const page = await site.visit(t)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  t.after(() => page.context().clearPermissions())
  await say(page, 'table')
  await page.locator('.katex').nth(1).waitFor()
  await untilEqual(() => page.locator('td[align=right]').innerText(), '182')
  const thinking = replies(page).getByRole('button', { name: /^Thinking/ })
  await untilEqual(() => thinking.getAttribute('aria-expanded'), 'false')
  await thinking.click()
  await replies(page).getByText('Rows first.').waitFor()
  // The page has one heading of the first rank; a list of Hebrew words stands on its own side.
  await replies(page).getByRole('heading', { name: 'Routes', level: 2 }).waitFor()
  await untilEqual(() => page.locator('h1').count(), 1)
  // Its many parts are not painted again with every word that comes after it.
  const formula = page.locator('.math').first()
  assert.equal(
    await formula.evaluate((node) => node.ownerDocument.defaultView.getComputedStyle(node).isolation),
    'isolate',
  )
  const list = replies(page).locator('ul')
  assert.equal(await list.evaluate((node) => node.ownerDocument.defaultView.getComputedStyle(node).direction), 'rtl')
  await page.locator('.code-frame .code-keyword').first().waitFor()
  await page.locator('.code-frame').getByRole('button', { name: 'Copy' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  await untilEqual(() => page.evaluate('navigator.clipboard.readText()'), 'SELECT 1;')
  // Over plain HTTP from another machine a page has no clipboard: what is copied is what is selected then.
  await page.evaluate(`addEventListener('copy', ({ target }) => (globalThis.copied = target.value));
    Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })`)
  await page.locator('.code-frame').getByRole('button', { name: 'Copy' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  await untilEqual(() => page.evaluate('globalThis.copied'), 'SELECT 1;')
  await page.evaluate('delete navigator.clipboard')
})

test('the chat has no barrier, in any size and theme', { skip }, async (t) => {
  const page = await site.visit(t)
  await say(page, 'table')
  await receipt(page).waitFor()
  const ready = async (): Promise<void> => {
    await page.locator('.code-keyword').first().waitFor()
    const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
    assert.equal(wide, false, 'the page scrolls sideways')
  }
  await checkLooks(page, ready, { frame: true })
})

test('four calls in a row fold into one line, which opens', { skip }, async (t) => {
  const page = await site.visit(t)
  await say(page, 'four')
  const line = page.getByRole('button', { name: /^5 tools/ })
  await line.waitFor()
  await untilEqual(() => page.getByRole('button', { name: /^calculate/ }).count(), 0)
  await line.click()
  await untilEqual(() => page.getByRole('button', { name: /^calculate .*done$/ }).count(), 5)
})

test('a double click on Send does not press Stop, which comes in its place', { skip }, async (t) => {
  const page = await site.visit(t)
  await box(page).fill('endless')
  const stop = page.getByRole('button', { name: 'Stop', exact: true })
  await doubleClick(page, page.getByRole('button', { name: 'Send' }), () => stop.waitFor())
  // A word that the service has answered since: it has heard no stop.
  await say(page, 'next')
  await page.getByText('Waits its turn').waitFor()
  await stop.click()
  await replies(page).getByText('You said: next').waitFor()
})

test('a double click on the button that removes a queued message leaves the next one', { skip }, async (t) => {
  const page = await site.visit(t)
  await say(page, 'endless')
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor()
  for (const text of ['first', 'second', 'third']) {
    await say(page, text)
    await own(page).filter({ hasText: text }).getByText('Waits its turn').waitFor()
  }
  const removals = page.getByRole('button', { name: 'Remove queued message' })
  await untilEqual(() => removals.count(), 3)
  await doubleClick(page, removals.nth(1), async () => {
    await untilEqual(() => removals.count(), 2)
    // Another one lies under the pointer by now.
    const { x, y, width, height } = (await removals.first().boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    await page.mouse.move(x + width / 2, y + height / 2)
  })
  await say(page, 'fourth')
  await untilEqual(() => removals.count(), 3)
  await page.getByRole('button', { name: 'Stop all' }).click()
})

test('text streams in, a reader who scrolled up is left alone, and Stop stops', { skip }, async (t) => {
  const page = await site.visit(t)
  await page.setViewportSize({ width: 1440, height: 500 })
  await say(page, 'long')
  const scroller = page.locator('.transcript')
  await until(async () => (await scroller.evaluate((node) => node.scrollTop)) > 200)
  await scroller.hover()
  await page.mouse.wheel(0, -400)
  await page.getByRole('button', { name: 'Latest' }).waitFor()
  // A wheel rolls out: it stands once two pictures in a row show the same place.
  let before = -1
  await until(async () => {
    const last = before
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    before = await scroller.evaluate((node) => node.scrollTop)
    return before === last
  })
  const height = await scroller.evaluate((node) => node.scrollHeight)
  await until(async () => (await scroller.evaluate((node) => node.scrollHeight)) > height + 100)
  assert.equal(await scroller.evaluate((node) => node.scrollTop), before)
  await page.getByRole('button', { name: 'Latest' }).click()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('Stopped here.').waitFor()
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
})

test('what is sent while a turn runs waits its turn, and both are answered in order', { skip }, async (t) => {
  const page = await site.visit(t)
  await say(page, 'endless')
  await page.getByRole('button', { name: 'Stop' }).waitFor()
  await say(page, 'and then this')
  await page.getByText('Waits its turn').waitFor()
  await page.reload()
  await page.getByText('Waits its turn').waitFor()
  await page.getByRole('button', { name: 'Edit queued message' }).click()
  await page.getByRole('textbox', { name: 'Edit message' }).fill('and then that')
  await page.keyboard.press('Enter')
  await own(page).getByText('and then that').waitFor()
  await say(page, 'not this')
  await page.getByRole('button', { name: 'Remove queued message' }).nth(1).click()
  await page.getByText('The queued message is removed').waitFor()
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await replies(page).getByText('You said: and then that').waitFor()
  await page.getByText('Waits its turn').waitFor({ state: 'detached' })
  await untilEqual(() => own(page).count(), 2)
  // The words of a reply are there before its turn has ended: what is sent until then is queued.
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
  await say(page, 'endless')
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor()
  await say(page, 'nor this')
  await page.getByRole('button', { name: 'Stop all' }).click()
  await page.getByText('Stopped, and 1 queued message removed').waitFor()
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
  await untilEqual(() => own(page).count(), 3)
})

test('a receipt above the page keeps the focus to itself, and gives it back', { skip }, async (t) => {
  const { thread_id } = await site.call<{ thread_id: string }>('POST', '/api/chat', { message: 'hello' })
  const page = await site.visit(t, `/threads/${thread_id}`, { width: 800, height: 800 })
  const panel = page.getByRole('complementary', { name: 'Receipt' })
  await receipt(page).press('Enter')
  const close = panel.getByRole('button', { name: 'Close' })
  await until(() => isFocused(close))
  for (let stops = 0; stops < 5; stops++) {
    await page.keyboard.press('Tab')
    const within = await page.evaluate(
      'document.activeElement === document.body || document.activeElement.closest(".panel") !== null',
    )
    assert(within, 'the focus is under the panel')
  }
  await close.press('Escape')
  await until(() => isFocused(receipt(page)))
  await receipt(page).press('Enter')
  await close.waitFor()
  await page.mouse.click(100, 400)
  await panel.waitFor({ state: 'detached' })
  // A press beside it counts from the moment in which it is there.
  await page.evaluate(`new MutationObserver((_, watcher) => {
    if (!document.querySelector('.panel')) return
    watcher.disconnect()
    document.body.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }))
    window.pressed = true
  }).observe(document.body, { childList: true, subtree: true })`)
  await receipt(page).press('Enter')
  await untilEqual(() => page.evaluate('window.pressed'), true)
  await panel.waitFor({ state: 'detached' })
  await box(page).fill('The page is there again')
})

test('Stop and Stop all stand side by side on a phone', { skip }, async (t) => {
  const page = await site.visit(t)
  await page.setViewportSize({ width: 320, height: 700 })
  await say(page, 'endless')
  const stop = page.getByRole('button', { name: 'Stop', exact: true })
  await stop.waitFor()
  await say(page, 'and then this')
  const all = page.getByRole('button', { name: 'Stop all' })
  await all.waitFor()
  await until(async () => {
    const boxes = await Promise.all([box(page), stop, all].map((each) => each.boundingBox()))
    const [field, one, both] = boxes.map((place) => place && { left: place.x, right: place.x + place.width })
    return !!field && !!one && !!both && field.right <= one.left && one.right <= both.left && both.right <= 320
  })
  await all.click()
  await stop.waitFor({ state: 'detached' })
})

test('a message that was refused is taken back into the composer, before what stands there', { skip }, async (t) => {
  const page = await site.visit(t)
  const list = { name: 'list.txt', mimeType: 'text/plain', buffer: Buffer.from('bread') }
  await page.locator('input[type=file]').setInputFiles(list)
  await page.getByRole('button', { name: 'Remove list.txt' }).waitFor()
  await say(page, 'precious\u0000 words')
  await page.getByText('The message was not sent').waitFor()
  await box(page).fill('and more')
  await page.getByRole('button', { name: 'Take it back' }).click()
  await until(async () => (await box(page).inputValue()) === 'precious\u0000 words\nand more')
  await page.getByRole('button', { name: 'Remove list.txt' }).waitFor()
  await say(page, 'with its file')
  await own(page).getByText('list.txt').waitFor()
})

test('a thread that is not there says so', { skip }, async (t) => {
  const page = await site.visit(t, '/threads/0197a000-0000-7000-8000-000000000000')
  await page.getByRole('heading', { name: 'This thread is not here' }).waitFor()
})

test('what was written and attached goes along from a thread that is gone to a new one', { skip }, async (t) => {
  const { thread_id } = await site.call<{ thread_id: string }>('POST', '/api/chat', { message: 'hello' })
  const page = await site.visit(t, `/threads/${thread_id}`)
  const list = { name: 'list.txt', mimeType: 'text/plain', buffer: Buffer.from('bread') }
  await page.locator('input[type=file]').setInputFiles(list)
  await box(page).fill('half a thought')
  await site.call('DELETE', `/api/threads/${thread_id}`)
  await page.getByRole('button', { name: 'Start a thread' }).click()
  await until(async () => (await box(page).inputValue()) === 'half a thought')
  await page.getByRole('button', { name: 'Remove list.txt' }).click()
  await box(page).fill('')
})

test('an address without a page says so, and the menu leads on from there', { skip }, async (t) => {
  const page = await site.visit(t, '/jobs/', { width: 390, height: 800 })
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('link', { name: 'Jobs' }).click()
  await page.getByRole('heading', { name: 'Jobs', exact: true }).first().waitFor()
})

test('files come by the button, by paste and by drop, over plain HTTP too; what cannot be read stays, with its reason', {
  skip,
}, async (t) => {
  const page = await site.open(t, '/', { afar: true })
  const file = (name: string, mimeType: string, text: string | Buffer) => ({
    name,
    mimeType,
    buffer: Buffer.from(text),
  })
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  await page
    .locator('input[type=file]')
    .setInputFiles([
      file('notes.txt', 'text/plain', 'coupons are slow'),
      file('dot.png', 'image/png', png),
      file('core.bin', 'application/octet-stream', Buffer.from([0, 1, 2, 255])),
    ])
  const chips = page.getByRole('list', { name: 'Attached' })
  await chips.getByText('Only pictures, PDFs and text files can be read').waitFor()
  for (const how of ['paste', 'drop']) {
    await bringFile(box(page), how)
    await chips.getByText(`by-${how}.txt`).waitFor()
  }
  await page.getByRole('button', { name: 'Remove core.bin' }).click()
  // They go with this draft, and with no other.
  const { thread_id } = await site.call<{ thread_id: string }>('POST', '/api/chat', { message: 'another thread' })
  await page.locator(`a[href="/threads/${thread_id}"]`).click()
  await replies(page).getByText('You said: another thread').waitFor()
  await untilEqual(() => chips.count(), 0)
  await page.getByRole('link', { name: 'New thread' }).click()
  await chips.getByText('by-drop.txt').waitFor()
  // Without words they do not go, and the page says why.
  const send = page.getByRole('button', { name: 'Send', description: 'Add a message: files go with one' })
  await untilEqual(() => send.isDisabled(), true)
  await page.getByRole('textbox', { name: 'Message', description: 'Add a message: files go with one' }).press('Enter')
  await untilEqual(() => own(page).count(), 0)
  await say(page, 'read these')
  await receipt(page).waitFor()
  await untilEqual(() => own(page).getByRole('img', { name: 'Attached picture' }).count(), 1)
  for (const name of ['notes.txt', 'by-paste.txt', 'by-drop.txt']) await own(page).getByText(name).waitFor()
})

test('two browsers stay in step', { skip }, async (t) => {
  const one = await site.visit(t)
  await say(one, 'seen by both')
  await receipt(one).waitFor()
  const two = await site.open(t, new URL(one.url()).pathname)
  await replies(two).getByText('You said: seen by both').waitFor()
  await say(two, 'from the other one')
  await replies(one).getByText('You said: from the other one').waitFor()
  await untilEqual(() => own(one).count(), 2)
})

test('a message that is queued in one browser is shown in the other, which can remove it', { skip }, async (t) => {
  const one = await site.visit(t)
  await say(one, 'endless')
  const stopAll = one.getByRole('button', { name: 'Stop all' })
  await one.getByRole('button', { name: 'Stop', exact: true }).waitFor()
  const two = await site.open(t, new URL(one.url()).pathname)
  await say(two, 'from the other one')
  await stopAll.waitFor()
  await untilEqual(() => own(one).count(), 2)
  await one.getByRole('button', { name: 'Remove queued message' }).click()
  await untilEqual(() => own(two).count(), 1)
  await one.getByRole('button', { name: 'Stop', exact: true }).click()
  await receipt(one).waitFor()
})
