// The connection cut and back, a service that restarts, and a long thread, in a real browser.
import assert from 'node:assert/strict'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { maxKept } from '../../web/lib/kept-turns.ts'
import { until, untilEqual } from '../until.ts'
import { findBarriers } from './barriers.ts'
import { follow, useSite } from './browser.ts'
import { box, openPalette, say } from './chat-page.ts'
import { noBrowser } from './launch.ts'
import { openPausedModel } from '../paused-model.ts'

const skip = noBrowser()
const sentences = Array.from({ length: 60 }, (_, at) => `Sentence number ${at} of the answer.`)
const parts = [0, 20, 40].map((from) => sentences.slice(from, from + 20).join(' ') + (from < 40 ? ' ' : ''))
const long = parts.join('')
const model = await openPausedModel({ long: parts, endless: ['Sentence number 0.', 'It never ends.'] })
after(() => model.close())
const site = useSite({ env: model.env })
const log = (page: Page) => page.getByRole('log', { name: 'Conversation' })

/** A way to the service that can be cut and mended: what went through it breaks, what comes finds nobody. */
async function openCuttable(t: TestContext): Promise<{ url: string; cut(): void; mend(): void }> {
  const open = new Set<Socket>()
  let whole = true
  const server = createServer((from) => {
    if (!whole) return from.destroy()
    const to = connect(Number(new URL(site.url).port), '127.0.0.1')
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      open.add(one)
      one.pipe(other)
      one
        .on('error', () => one.destroy())
        .on('close', () => {
          open.delete(one)
          other.destroy()
        })
    }
    return undefined
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = (): void => {
    whole = false
    for (const each of open) each.destroy()
  }
  t.after(() => {
    cut()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    cut,
    mend() {
      whole = true
    },
  }
}

const badge = (page: Page) => page.getByText(/^Reconnecting, /)

test('on a phone the pill takes the place of New thread, which the menu has', { skip }, async (t) => {
  const way = await openCuttable(t)
  const { thread_id } = await site.call<{ thread_id: string }>('POST', '/api/chat', { message: 'hello' })
  const page = await site.open(t, `/threads/${thread_id}`, { url: way.url })
  await page.setViewportSize({ width: 375, height: 700 })
  const link = page.locator('.top-bar .new-thread')
  await link.waitFor()
  way.cut()
  await page.locator('.link-state .pill').waitFor()
  await link.waitFor({ state: 'hidden' })
  way.mend()
  await link.waitFor()
})

test('a cut loses nothing and doubles nothing of what streams; what is written meanwhile is sent once', {
  skip,
}, async (t) => {
  const way = await openCuttable(t)
  const page = await site.open(t, '/', { url: way.url })
  await say(page, 'long')
  await log(page).getByText('Sentence number 3 ').waitFor()
  way.cut()
  await badge(page).waitFor()
  await log(page).getByText('Sentence number 3 ').waitFor()
  await page.getByText('The turn goes on; the rest follows').waitFor()
  await untilEqual(() => page.getByRole('button', { name: 'Stop' }).count(), 0)
  await model.goOn()
  way.mend()
  await badge(page).waitFor({ state: 'detached' })
  await log(page).getByText('Sentence number 39 ').waitFor()
  await model.goOn()
  await page.getByRole('button', { name: /^Receipt/ }).waitFor()
  await page.getByText('Connected again').waitFor({ state: 'attached' })
  const reply = log(page).getByRole('article', { name: 'Atrium' })
  await untilEqual(async () => (await reply.locator('.markdown').innerText()).trim(), long)
  await untilEqual(() => reply.count(), 1)
  way.cut()
  await say(page, 'written in a tunnel')
  await page.getByText('Sent when the connection is back').first().waitFor()
  way.mend()
  await log(page).getByText('You said: written in a tunnel').waitFor()
  await page.getByText('Sent when the connection is back').waitFor({ state: 'detached' })
  await until(async () => (await log(page).getByRole('article', { name: 'You' }).count()) === 2)
})

test('a page that is first opened without a connection is there once it is back', { skip }, async (t) => {
  const way = await openCuttable(t)
  const page = await site.open(t, '/', { url: way.url })
  await box(page).waitFor()
  way.cut()
  await badge(page).waitFor()
  await page.getByRole('link', { name: 'Memory', exact: true }).click()
  await page.getByText('This page could not be loaded').waitFor()
  way.mend()
  await page.getByRole('searchbox', { name: 'Search memory' }).waitFor()
})

test('a page is not loaded again by itself while it alone has words or files', { skip }, async (t) => {
  const way = await openCuttable(t)
  const page = await site.open(t, '/', { url: way.url })
  await box(page).waitFor()
  let loads = 0
  page.on('request', (request) => {
    if (request.isNavigationRequest()) loads++
  })
  const note = page.getByText('This page could not be loaded')
  const cutAndMend = async (act: () => Promise<void>): Promise<void> => {
    way.cut()
    await badge(page).waitFor()
    await act()
    await note.waitFor()
    // The list of threads is read a moment after the connection is back.
    const listed = page.waitForResponse((response) => new URL(response.url()).pathname === '/api/threads')
    way.mend()
    await listed
    assert.equal(loads, 0)
  }
  const leaveAndReturn = async (): Promise<void> => {
    await cutAndMend(() => page.getByRole('link', { name: 'Memory', exact: true }).click())
    await page.getByRole('link', { name: 'New thread', exact: true }).first().click()
  }
  await page
    .locator('input[type=file]')
    .setInputFiles([{ name: 'list.txt', mimeType: 'text/plain', buffer: Buffer.from('bread') }])
  await leaveAndReturn()
  await page.getByRole('button', { name: 'Remove list.txt' }).click()
  await say(page, 'hello')
  await page.getByRole('button', { name: /^Receipt/ }).waitFor()
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const edited = page.getByRole('textbox', { name: 'Edit message' })
  await edited.fill('half a thought')
  await cutAndMend(() => page.getByRole('button', { name: /^Receipt/ }).click())
  assert.equal(await edited.inputValue(), 'half a thought')
  await page.evaluate(`for (let chars = 2 ** 24; chars >= 1; chars /= 2) {
    try { localStorage.setItem('full' + chars, 'x'.repeat(chars)) } catch {}
  }`)
  await box(page).fill('nowhere else')
  const thread = new URL(page.url()).pathname
  await cutAndMend(() => page.getByRole('link', { name: 'Memory', exact: true }).click())
  await follow(page, thread)
  await untilEqual(() => box(page).inputValue(), 'nowhere else')
})

test('the browser asks before it leaves a page with an unsent message that it had no room to store', {
  skip,
}, async (t) => {
  const way = await openCuttable(t)
  const page = await site.open(t, '/', { url: way.url })
  await box(page).waitFor()
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.accept()
  })
  const fill = (): Promise<void> =>
    page.evaluate(`for (let chars = 2 ** 24; chars >= 1; chars /= 2) {
      try { localStorage.setItem('full' + chars, 'x'.repeat(chars)) } catch {}
    }`)
  way.cut()
  await badge(page).waitFor()
  await say(page, 'there is room')
  await page.getByText('Sent when the connection is back').waitFor()
  way.mend()
  await page.reload()
  await log(page).getByText('You said: there is room').waitFor()
  assert.deepEqual(asked, [])
  way.cut()
  await badge(page).waitFor()
  await fill()
  await say(page, 'there is none')
  await page.getByText('Sent when the connection is back').waitFor()
  await page.reload().catch(() => undefined)
  assert.deepEqual(asked, ['beforeunload'])
})

test('what could not be read without a connection is read once it is back', { skip }, async (t) => {
  const way = await openCuttable(t)
  const page = await site.open(t, '/settings', { url: way.url })
  await page.getByRole('textbox', { name: 'Spend per turn' }).waitFor()
  await follow(page, '/')
  await box(page).waitFor()
  way.cut()
  await badge(page).waitFor()
  await follow(page, '/settings')
  const note = page.getByText('The limits could not be read')
  await note.waitFor()
  way.mend()
  await note.waitFor({ state: 'detached' })
  await follow(page, '/missions?new')
  const when = page.getByRole('textbox', { name: 'When' })
  await when.waitFor()
  way.cut()
  await badge(page).waitFor()
  await when.fill('weekdays at 08:30')
  const schedule = page.locator('.mission-preview')
  await schedule.getByText('Atrium was not reached.').waitFor()
  way.mend()
  await schedule.getByText(/^Weekdays at 08:30/).waitFor()
})

test('a closed tab loses nothing: the turn goes on, and the thread has it all', { skip }, async (t) => {
  const page = await site.visit(t)
  await say(page, 'long')
  await log(page).getByText('Sentence number 1 ').waitFor()
  const at = page.url()
  // A tab that shows something else has nothing more of the app than a closed one, and is quicker than a new one.
  await page.goto('about:blank')
  await model.goOn()
  await page.goto(at)
  await log(page).getByText('Sentence number 39 ').waitFor()
  await model.goOn()
  await page.getByRole('button', { name: /^Receipt/ }).waitFor()
  await untilEqual(async () => (await log(page).locator('.markdown').innerText()).trim(), long)
})

/**
 * Run in the page: scrolls up by a part of a screen in each picture, and counts those in which no turn stands at the middle
 * of what is seen. A wheel would come in as many pictures as the browser has time for.
 */
const scrollUp = `(async () => {
  const box = document.querySelector('.transcript')
  let empty = 0
  for (let picture = 0; picture < 30; picture++) {
    box.scrollTop -= 700
    await new Promise(requestAnimationFrame)
    const { top, height } = box.getBoundingClientRect()
    const middle = top + height / 2
    const shown = [...document.querySelectorAll('[data-turn]')].some((turn) => {
      const { top, bottom } = turn.getBoundingClientRect()
      return top <= middle && bottom >= middle
    })
    if (!shown) empty++
  }
  return empty
})()`

test('with forced colours what has the focus and what is chosen is seen; nothing moves where motion is unwanted', {
  skip,
}, async (t) => {
  const page = await site.visit(t)
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
  await say(page, 'endless')
  await page.getByRole('button', { name: 'Stop' }).waitFor()
  await untilEqual(() => page.evaluate('document.querySelectorAll(".light.running").length'), 1)
  const moving = `document.getAnimations().filter((each) => each.playState === 'running').length`
  await untilEqual(() => page.evaluate(moving), 0)
  const outlined = (found: ReturnType<Page['locator']>) =>
    found.evaluate((node) => {
      const style = node.ownerDocument.defaultView?.getComputedStyle(node)
      return `${style?.outlineStyle} ${style?.outlineWidth}`
    })
  await box(page).focus()
  await untilEqual(() => outlined(page.locator('.composer')), 'solid 2px')
  await untilEqual(() => outlined(page.locator('.thread-row [aria-current=page]').first()), 'solid 2px')
  await openPalette(page)
  await until(async () => (await outlined(page.getByRole('combobox', { name: /^Search threads/ }))) === 'solid 2px')
  await until(async () => (await outlined(page.getByRole('option', { selected: true }))) === 'solid 2px')
  // Esc closes the palette first, then it stops the turn.
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await box(page).press('Escape')
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
})

test('a thread of 1,000 messages opens at its end with a part of it in the page, and goes back to its beginning', {
  skip,
}, async (t) => {
  const input = Array.from({ length: 1_000 }, (_, at) => ({
    type: 'message',
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `${at % 2 === 0 ? 'Question' : 'Answer'} number ${at}`,
  }))
  await site.call('POST', '/api/v1/responses', {
    model: 'reborn',
    input: [...input, { role: 'user', content: 'the last one' }],
  })
  const { threads } = await site.call<{ threads: { id: string; door: string }[] }>('GET', '/api/threads')
  const page = await site.visit(t, `/threads/${threads.find(({ door }) => door === 'responses')?.id}`)
  await log(page).getByText('You said:').waitFor()
  // A turn has two messages.
  const inPage = (): Promise<number> => log(page).getByRole('article').count()
  assert((await inPage()) <= 2 * maxKept, `${await inPage()} messages are in the page`)
  const scroller = page.locator('.transcript')
  // Scrolling shows no empty page.
  assert.equal(await page.evaluate(scrollUp), 0)
  await until(async () => {
    await scroller.evaluate((node) => node.scrollTo(0, 0))
    return (await log(page).getByText('Question number 0', { exact: true }).count()) === 1
  })
  assert((await inPage()) <= 2 * maxKept, `${await inPage()} messages are in the page`)
  await findsWords(page)
})

/** Words of the whole thread are found from the keyboard alone, near its beginning too. */
async function findsWords(page: Page): Promise<void> {
  const field = page.getByRole('searchbox', { name: 'Find in this thread' })
  const bar = page.getByRole('search', { name: 'Find in this thread' })
  await box(page).focus()
  // A part that cannot be loaded is told, and is there once the page is loaded again.
  await page.route('**/assets/find-*', (asked) => asked.abort())
  await page.keyboard.press('Control+f')
  await page.getByText('The search in this thread could not be loaded.').waitFor()
  await page.unroute('**/assets/find-*')
  await page.reload()
  await log(page).getByText('You said:').waitFor()
  await box(page).focus()
  await page.keyboard.press('Control+f')
  await untilEqual(() => field.evaluate((node) => node === node.ownerDocument.activeElement), true)
  await page.keyboard.type('number 77')
  // 77 and 770 to 779.
  await bar.getByText('11 of 11').waitFor()
  await isShown(page, 'Answer number 779')
  await page.keyboard.press('Enter')
  await bar.getByText('1 of 11', { exact: true }).waitFor()
  await isShown(page, 'Answer number 77')
  await page.keyboard.press('ArrowDown')
  await isShown(page, 'Question number 770')
  await page.keyboard.press('Shift+Enter')
  await bar.getByText('1 of 11', { exact: true }).waitFor()
  await isShown(page, 'Answer number 77')
  assert.deepEqual(await findBarriers(page, 'all', 'any'), [])
  await field.fill('number 7x')
  await bar.getByText('Nothing found').waitFor()
  await page.keyboard.press('Escape')
  await bar.waitFor({ state: 'detached' })
  await untilEqual(() => box(page).evaluate((node) => node === node.ownerDocument.activeElement), true)
  // Esc closes the bar from outside of it too.
  await page.keyboard.press('Control+f')
  await bar.waitFor()
  await box(page).focus()
  await page.keyboard.press('Escape')
  await bar.waitFor({ state: 'detached' })
}

/** The text is in the page, and within what is seen of it. */
async function isShown(page: Page, text: string): Promise<void> {
  const found = log(page).getByText(text, { exact: true })
  await found.waitFor()
  await until(() =>
    found.evaluate((node) => {
      const { top, bottom } = node.getBoundingClientRect()
      const seen = node.closest('.transcript')?.getBoundingClientRect()
      return seen !== undefined && top >= seen.top && bottom <= seen.bottom
    }),
  )
}
