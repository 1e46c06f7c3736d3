// What of a page scrolls, where Back and Forward lead to, and what is printed, in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { until, untilEqual } from '../until.ts'
import { follow, useSite } from './browser.ts'
import { box, isFocused, receipt, replies } from './chat-page.ts'
import { noBrowser } from './launch.ts'

const skip = noBrowser()
const wideLines = Array.from(
  { length: 80 },
  (_, at) => `Line ${at} of a reply that has so many words that they take two lines of a phone.\n\n`,
)
const site = useSite({
  script: {
    loop: true,
    replies: [
      {
        when: 'write a file',
        calls: [{ name: 'workspace_write', args: { path: 'a.md', content: 'One line\n'.repeat(60) } }],
      },
      { when: 'wide lines', text: wideLines },
      { text: 'One line of an answer.\n\n'.repeat(100) },
    ],
  },
})

/** The part of the page that is loaded after the first one. */
const loadedLate = `(async () => {
  for (;;) {
    const late = performance.getEntriesByType('resource').find(({ name }) => /assets\\/places-.*js$/.test(name))
    if (late) return void (await import(late.name))
    await new Promise(requestAnimationFrame)
  }
})()`

const ask = async (message: string, thread_id?: string): Promise<string> =>
  (await site.call<{ thread_id: string }>('POST', '/api/chat', { message, ...(thread_id && { thread_id }) })).thread_id

const topOf = (page: Page, selector: string): Promise<number> =>
  page.locator(selector).evaluate((node) => node.scrollTop)

async function scrollTo(page: Page, selector: string, top: number): Promise<void> {
  await page.locator(selector).evaluate((node, to) => node.scrollTo(0, to), top)
}

test('at the end of a thread the wheel moves nothing: the composer stays in sight', { skip }, async (t) => {
  const page = await site.visit(t, `/threads/${await ask('hello')}`)
  await receipt(page).waitFor()
  await untilEqual(() => page.locator('main').evaluate((node) => node.scrollHeight - node.clientHeight), 0)
})

test('the end of a thread stays in sight when a keyboard or a long draft takes its room', { skip }, async (t) => {
  const page = await site.visit(t, `/threads/${await ask('hello')}`, { width: 375, height: 800 })
  await receipt(page).waitFor()
  const below = (): Promise<number> =>
    page.locator('.transcript').evaluate((node) => Math.round(node.scrollHeight - node.scrollTop - node.clientHeight))
  await untilEqual(below, 0)
  await page.setViewportSize({ width: 375, height: 420 })
  await until(() => page.evaluate<boolean>('innerHeight === 420'))
  await untilEqual(below, 0)
  const seen = await page.locator('.transcript').evaluate((node) => node.clientHeight)
  await box(page).fill('one\ntwo\nthree\nfour')
  await until(async () => (await page.locator('.transcript').evaluate((node) => node.clientHeight)) < seen)
  await untilEqual(below, 0)
  await box(page).fill('')
})

test('a reader keeps their place when a phone is turned', { skip }, async (t) => {
  const page = await site.visit(t, `/threads/${await ask('wide lines')}`, { width: 390, height: 844 })
  await receipt(page).waitFor()
  const line = replies(page).getByText('Line 40 of')
  const isAtTop = (): Promise<boolean> =>
    line.evaluate((node) => {
      const above = node.closest('.transcript')?.getBoundingClientRect().top ?? 0
      return Math.abs(node.getBoundingClientRect().top - above) < 30
    })
  await line.evaluate((node) => node.scrollIntoView())
  await until(isAtTop)
  for (const [width, height] of [
    [844, 390],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height })
    await until(() => page.evaluate<boolean>(`innerWidth === ${width}`))
    await until(isAtTop)
  }
})

test('Back and Forward lead to the place at which a page was left; a link leads to the top', {
  skip,
}, async (t) => {
  for (let count = 0; count < 20; count++) await ask(`job ${count}`)
  const page = await site.visit(t, '/jobs')
  await page.evaluate(loadedLate)
  const row = page.locator('main').getByRole('link', { name: 'job 9' })
  await row.waitFor()
  await scrollTo(page, 'main', 300)
  await row.focus()
  const top = await topOf(page, 'main')
  assert(top > 0)
  await page.keyboard.press('Enter')
  await replies(page).first().waitFor()
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  await untilEqual(() => topOf(page, 'main'), 0)
  await page.goBack()
  await replies(page).first().waitFor()
  await page.goBack()
  await untilEqual(() => topOf(page, 'main'), top)
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('link', { name: 'Jobs' }).click()
  await row.waitFor()
  await untilEqual(() => topOf(page, 'main'), 0)
  await page.goBack()
  await page.goBack()
  await untilEqual(() => topOf(page, 'main'), top)
})

test('Back leads to the link that was followed from the keyboard', { skip }, async (t) => {
  await ask('a row')
  const page = await site.visit(t, '/jobs')
  await page.evaluate(loadedLate)
  const row = page.locator('main').getByRole('link', { name: 'a row' })
  await row.focus()
  await page.keyboard.press('Enter')
  await replies(page).first().waitFor()
  await page.goBack()
  await until(() => isFocused(row))
})

test('Back leads to the part of a thread that was read', { skip }, async (t) => {
  const thread = await ask('one')
  for (const message of ['two', 'three', 'four']) await ask(message, thread)
  const page = await site.visit(t, `/threads/${thread}`)
  await page.evaluate(loadedLate)
  await receipt(page).last().waitFor()
  /** How far the second message is from the top of what is seen, once it stands. */
  const place = (): Promise<number> =>
    page.evaluate(`(async () => {
      const top = () => Math.round(document.querySelectorAll('[data-turn]')[1]?.getBoundingClientRect().top ?? 0)
      for (let [last, same] = [top(), 0]; ; same = top() === last ? same + 1 : 0, last = top()) {
        if (same === 20) return last
        await new Promise(requestAnimationFrame)
      }
    })()`)
  await until(async () => {
    await page.evaluate(`document.querySelectorAll('[data-turn]')[1]?.scrollIntoView()`)
    await scrollTo(page, '.transcript', (await topOf(page, '.transcript')) + 500)
    return (await place()) < -100 && (await page.getByRole('button', { name: 'Latest' }).count()) === 1
  })
  const before = await place()
  await page.getByRole('link', { name: 'Jobs' }).click()
  await page.getByRole('heading', { name: 'Jobs' }).waitFor()
  await page.goBack()
  await receipt(page).last().waitFor({ state: 'attached' })
  await untilEqual(place, before)
  await page.getByRole('button', { name: 'Latest' }).waitFor()
})

test('Back to the beginning of a thread offers the way to its end', { skip }, async (t) => {
  const thread = await ask('one')
  await ask('two', thread)
  const page = await site.visit(t, `/threads/${thread}`)
  await page.evaluate(loadedLate)
  await receipt(page).last().waitFor()
  const latest = page.getByRole('button', { name: 'Latest' })
  await until(async () => {
    await scrollTo(page, '.transcript', 0)
    return (await latest.count()) === 1
  })
  await page.getByRole('link', { name: 'Jobs' }).click()
  await page.getByRole('heading', { name: 'Jobs' }).waitFor()
  await page.goBack()
  await latest.waitFor()
  await latest.click()
  await latest.waitFor({ state: 'detached' })
})

test('a page that is left before it is back at its place keeps the place', { skip }, async (t) => {
  for (let count = 0; count < 20; count++) await ask(`row ${count}`)
  const page = await site.visit(t, '/tools')
  await page.evaluate(loadedLate)
  await follow(page, '/jobs')
  await page.locator('main').getByRole('link', { name: 'row 9' }).waitFor()
  await scrollTo(page, 'main', 300)
  const top = await topOf(page, 'main')
  assert(top > 0)
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  await untilEqual(() => topOf(page, 'main'), 0)
  await page.evaluate(`(async () => {
    const step = (by) => new Promise((done) => {
      addEventListener('popstate', done, { once: true })
      history.go(by)
    })
    const draw = requestAnimationFrame
    const held = []
    globalThis.requestAnimationFrame = (picture) => held.push(picture)
    await step(-1)
    await step(-1)
    globalThis.requestAnimationFrame = draw
    held.forEach((picture) => draw(picture))
    await step(1)
  })()`)
  await untilEqual(() => topOf(page, 'main'), top)
})

test('Back leads to the place in a page that was opened by signing in again', { skip }, async (t) => {
  const thread = await ask('one')
  for (const message of ['two', 'three', 'four']) await ask(message, thread)
  const page = await site.open(t, `/threads/${thread}`)
  await page.evaluate(loadedLate)
  await receipt(page).last().waitFor()
  await page.getByRole('link', { name: 'Jobs' }).click()
  await page.getByRole('heading', { name: 'Jobs' }).waitFor()
  await page.context().clearCookies()
  await page.evaluate(`document.querySelector('a[href="/waiting"]')?.click()`)
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
  await page.goBack()
  await page.goBack()
  await page.getByRole('textbox', { name: 'Access token' }).fill(site.token)
  await page.keyboard.press('Enter')
  await receipt(page).last().waitFor()
  await until(async () => {
    await scrollTo(page, '.transcript', 300)
    return (await page.getByRole('button', { name: 'Latest' }).count()) === 1
  })
  await page.getByRole('link', { name: 'Jobs' }).click()
  await page.getByRole('heading', { name: 'Jobs' }).waitFor()
  await page.goBack()
  await page.getByRole('button', { name: 'Latest' }).waitFor()
})

test('a link leads to the top, also where the browser does not name the entries of its history', {
  skip,
}, async (t) => {
  for (let count = 0; count < 20; count++) await ask(`line ${count}`)
  const page = await site.open(t, '/login', { token: null, viewport: { width: 1440, height: 900 } })
  await page.addInitScript(`Object.defineProperty(globalThis, 'navigation', { value: undefined })`)
  await page.goto(`${site.url}/settings`)
  await page.getByRole('textbox', { name: 'Access token' }).fill(site.token)
  await page.keyboard.press('Enter')
  await page.evaluate(loadedLate)
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Jobs' }).click()
  await page.locator('main').getByRole('link', { name: 'line 9' }).waitFor()
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  await scrollTo(page, 'main', 300)
  await page.getByRole('link', { name: 'Jobs' }).click()
  await page.locator('main').getByRole('link', { name: 'line 9' }).waitFor()
  assert.equal(await topOf(page, 'main'), 0)
})

test('a thread is printed whole and in dark ink, without what cannot be used on paper', { skip }, async (t) => {
  const page = await site.visit(t, `/threads/${await ask('hello')}`)
  await page.evaluate(loadedLate)
  await receipt(page).waitFor()
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  const reply = replies(page)
  await until(async () => {
    const { height = 0 } = (await reply.boundingBox()) ?? {}
    return (await page.evaluate<number>('document.documentElement.scrollHeight')) >= height && height > 2_000
  })
  await untilEqual(() => page.locator('.composer, nav, .top-action, .reply-acts').filter({ visible: true }).count(), 0)
  const ink = await reply.evaluate((node) => node.ownerDocument.defaultView?.getComputedStyle(node).color)
  assert.equal(ink, 'rgb(28, 27, 24)')
})

test('other pages are printed without their buttons', { skip }, async (t) => {
  const page = await site.visit(t, '/missions')
  const action = page.getByRole('main').getByRole('button', { name: 'New mission' })
  await action.waitFor()
  await page.emulateMedia({ media: 'print' })
  await action.waitFor({ state: 'hidden' })
  await follow(page, '/settings')
  await page.getByRole('heading', { name: 'Limits' }).waitFor()
  await untilEqual(() => page.getByRole('main').locator('.button, .icon-button').filter({ visible: true }).count(), 0)
})

test('a request is printed whole, without the buttons that answer it', { skip }, async (t) => {
  const page = await site.visit(t, `/threads/${await ask('write a file')}`)
  await page.getByRole('button', { name: 'Deny…' }).waitFor()
  const body = page.locator('.preview-body')
  const hidden = (): Promise<number> => body.evaluate((node) => node.scrollHeight - node.clientHeight)
  await until(async () => (await hidden()) > 0)
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await untilEqual(hidden, 0)
  await untilEqual(() => page.locator('.approval button').filter({ visible: true }).count(), 0)
})
