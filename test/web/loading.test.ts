// Pages whose code or style sheet is late, or does not come, in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until, untilEqual } from '../until.ts'
import { follow, useSite } from './browser.ts'
import { box, isFocused } from './chat-page.ts'
import { noBrowser } from './launch.ts'

const skip = noBrowser()
const site = useSite()

test('the menu of a phone opens and closes while a page is still loading', { skip }, async (t) => {
  const page = await site.open(t, '/', { viewport: { width: 390, height: 844 } })
  await box(page).waitFor()
  const { promise: sent, resolve: send } = Promise.withResolvers<void>()
  t.after(() => send())
  await page.route('**/assets/jobs-*.js', (route) => sent.then(() => route.continue()))
  await follow(page, '/jobs')
  const { x, width } = (await page.locator('.pane > .skeleton').boundingBox()) ?? assert.fail()
  assert.deepEqual([x, width], [16, 358])
  const menu = page.getByRole('button', { name: 'Menu' })
  const sheet = page.getByRole('dialog', { name: 'Menu' })
  await menu.click()
  await sheet.getByRole('button', { name: 'Close menu' }).click()
  await sheet.waitFor({ state: 'detached' })
  await until(() => isFocused(menu))
  await menu.press('Enter')
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  await until(() => isFocused(menu))
  send()
  await page.getByRole('searchbox', { name: 'Search jobs' }).waitFor()
  assert.equal(await menu.count(), 1)
})

test('the menu leads away from a page that could not be loaded', { skip }, async (t) => {
  const page = await site.open(t, '/', { viewport: { width: 390, height: 844 } })
  await box(page).waitFor()
  await page.route('**/assets/jobs-*.js', (route) => route.abort())
  await follow(page, '/jobs')
  await page.getByText('This page could not be loaded').waitFor()
  const { x, width } = (await page.locator('.pane > .note').boundingBox()) ?? assert.fail()
  assert.deepEqual([x, width], [16, 358])
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('dialog', { name: 'Menu' }).getByRole('link', { name: 'Memory' }).click()
  await page.getByRole('searchbox', { name: 'Search memory' }).waitFor()
})

test('a style sheet that failed to load is loaded again with the next visit', { skip }, async (t) => {
  const page = await site.open(t)
  await box(page).waitFor()
  const styled = (): Promise<boolean> =>
    page.evaluate(`[...document.styleSheets].some(({ href }) => /assets\\/jobs-/.test(href))`)
  for (const fail of ['missing', 'broken']) {
    await page.route('**/assets/jobs-*.css', (route) =>
      fail === 'broken' ? route.abort() : route.fulfill({ status: 404, contentType: 'application/json', body: '{}' }),
    )
    await follow(page, '/jobs')
    await page.getByText('This page could not be loaded').waitFor()
    // The note of the first failure stands until the second one.
    await untilEqual(styled, false)
    await follow(page, '/')
    await box(page).waitFor()
    await page.unroute('**/assets/jobs-*.css')
  }
  await follow(page, '/jobs')
  await page.getByRole('searchbox', { name: 'Search jobs' }).waitFor()
  assert.equal(await styled(), true)
})

test('what can be done with a thread is offered once it is known', { skip }, async (t) => {
  const { thread_id } = await site.call<{ thread_id: string }>('POST', '/api/chat', { message: 'hello' })
  const page = await site.open(t, '/no-such-page')
  const { promise: sent, resolve: send } = Promise.withResolvers<void>()
  t.after(() => send())
  await page.route(/\/api\/threads/, (route) => sent.then(() => route.continue()))
  await page.reload()
  await follow(page, `/threads/${thread_id}`)
  const main = page.getByRole('main')
  await main.getByRole('heading', { name: 'Thread', exact: true }).waitFor()
  const menu = main.getByRole('button', { name: 'Thread menu' })
  assert.equal(await menu.count(), 0)
  send()
  await menu.click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByText('“hello” is deleted').waitFor()
})
