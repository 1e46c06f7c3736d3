// A reader whose browser shows no letters below 24 px: none are cut, and nothing sticks out at the side of a phone.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Browser, chromium, type Locator } from 'playwright-core'
import { until } from '../until.ts'
import { follow, useSite } from './browser.ts'
import { findBrowser, noBrowser, plainly } from './launch.ts'

const skip = noBrowser()
const site = useSite({
  script: {
    loop: true,
    replies: [
      { when: 'write', calls: [{ name: 'workspace_write', args: { path: 'notes/today.md', content: 'slow\n' } }] },
      { when: 'add', calls: [{ name: 'calculate', args: { expression: '655/410' } }] },
      {
        text: 'One route is slower:\n\n```sql\nSELECT 1\n```',
        usage: { inputTokens: 7604, outputTokens: 808, costUsd: 0.021 },
      },
    ],
  },
})
let browser: Browser | undefined
before(async () => {
  const executablePath = findBrowser('shell')
  const args = [...plainly, '--blink-settings=minimumFontSize=24']
  if (executablePath !== undefined) browser = await chromium.launch({ executablePath, args })
})
after(() => browser?.close())

/** What is wider than the page, and words on one line that are higher than their box, which hides the rest. */
const findFaults = `(() => {
  const faults = []
  for (const box of document.querySelectorAll('html, main')) {
    if (box.scrollWidth > box.clientWidth) faults.push(box.tagName + ' is ' + box.scrollWidth + ' px wide')
  }
  for (const each of document.querySelectorAll('body *')) {
    const { overflowY, whiteSpace } = getComputedStyle(each)
    const cuts = overflowY === 'hidden' && whiteSpace === 'nowrap' && !each.closest('.unseen')
    if (cuts && each.scrollHeight > each.clientHeight + 1) faults.push('cut: ' + each.textContent)
  }
  return faults
})()`

test('letters of at least 24 px are whole on every page of a phone, and no page is too wide', { skip }, async (t) => {
  assert(browser)
  const say = (message: string) => site.call<{ thread_id: string }>('POST', '/api/chat', { message })
  const added = await say('add two numbers')
  const asked = await say('write a note')
  const mission = { prompt: 'Read the news', schedule: 'weekdays at 08:30' }
  const { id } = await site.call<{ id: string }>('POST', '/api/missions', mission)
  const page = await browser.newPage({ viewport: { width: 360, height: 800 } })
  t.after(() => page.close())
  await page.context().request.post(`${site.url}/api/login`, { data: { token: site.token } })
  await page.goto(site.url)
  const main = page.getByRole('main')
  /** Each page, and what it shows once it has its words. */
  const pages: readonly (readonly [path: string, shown: Locator])[] = [
    ['/', main.getByRole('heading', { name: /^Good/ })],
    [`/threads/${added.thread_id}`, main.getByRole('button', { name: /^Receipt/ })],
    [`/threads/${asked.thread_id}`, main.getByRole('button', { name: 'Allow once' })],
    ['/waiting', main.getByText('Create a file')],
    ['/jobs', main.locator('.row-link').first()],
    [`/missions/${id}`, main.getByRole('heading', { name: 'Read the news' })],
    ['/missions?new', main.getByRole('textbox', { name: 'What to do' })],
    ['/memory', main.getByRole('link', { name: /^AGENTS/ })],
    ['/tools', main.getByRole('link', { name: 'calculate' })],
    ['/activity', main.getByRole('table', { name: 'Latest turns' })],
    ['/settings', main.getByRole('button', { name: 'Add ntfy topic' })],
  ]
  const faults: string[] = []
  for (const [path, shown] of pages) {
    await follow(page, path)
    await shown.waitFor()
    await main.locator('.skeleton').first().waitFor({ state: 'detached' })
    const found = (await page.evaluate(findFaults)) as string[]
    faults.push(...found.map((fault) => `${path}: ${fault}`))
  }
  assert.deepEqual(faults, [])
})

test('in a wide window letters of at least 24 px leave the jobs their titles and their buttons', {
  skip,
}, async (t) => {
  assert(browser)
  await site.call('POST', '/api/chat', { message: 'write a note about the slow route' })
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  t.after(() => page.close())
  await page.context().request.post(`${site.url}/api/login`, { data: { token: site.token } })
  await page.goto(`${site.url}/jobs`)
  const review = page.getByRole('link', { name: /^Review/ }).first()
  await review.waitFor()
  const title = await page.locator('.row-link').first().boundingBox()
  assert(title && title.width > 120, `a title is ${title?.width} px wide`)
  await page.mouse.move(title.x, title.y)
  await page.mouse.wheel(2_000, 0)
  const isSeen = (): Promise<boolean> =>
    review.evaluate((node) => {
      const { left, right, top } = node.getBoundingClientRect()
      return node.contains(node.ownerDocument.elementFromPoint((left + right) / 2, top + 5))
    })
  await until(isSeen)
})
