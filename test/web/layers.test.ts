// Layers over the page: Esc and Back close the topmost one and leave the page behind it as it is.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { maxKept } from '../../web/lib/kept-turns.ts'
import { untilEqual } from '../until.ts'
import { follow } from './browser.ts'
import { openPalette, receipt, say, useChat } from './chat-page.ts'
import { noBrowser } from './launch.ts'

const skip = noBrowser()
const site = useChat()
const phone = { width: 360, height: 740 }

const sheetIn = (page: Page): Locator => page.getByRole('dialog', { name: 'Menu' })

/** A thread that was opened from the jobs, on a phone. */
async function openThread(t: TestContext): Promise<Page> {
  const { thread_id } = await site.call<{ thread_id: string }>('POST', '/api/chat', { message: 'hello' })
  const page = await site.visit(t, '/jobs', phone)
  await follow(page, `/threads/${thread_id}`)
  await receipt(page).waitFor()
  return page
}

/** The menu of a thread in the menu sheet: two layers. */
async function openMenuInSheet(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  const row = sheetIn(page).locator('.threads li').first()
  await row.hover()
  await row.getByRole('button', { name: /^More/ }).click()
  const menu = sheetIn(page).getByRole('menu')
  await menu.waitFor()
  return menu
}

test('Back closes a menu, then the sheet below it, and then leads to the page before', { skip }, async (t) => {
  const page = await openThread(t)
  const thread = page.url()
  const menu = await openMenuInSheet(page)
  for (const layer of [menu, sheetIn(page)]) {
    assert(await sheetIn(page).isVisible())
    await page.goBack()
    await layer.waitFor({ state: 'detached' })
    await untilEqual(() => page.url(), thread)
  }
  await page.goBack()
  await page.waitForURL('**/jobs')
})

test('Back closes what covers a thread on a phone: a receipt, the palette', { skip }, async (t) => {
  const page = await openThread(t)
  const thread = page.url()
  const panel = page.getByRole('complementary', { name: 'Receipt' })
  await receipt(page).click()
  await panel.waitFor()
  await page.goBack()
  await panel.waitFor({ state: 'detached' })
  await untilEqual(() => page.url(), thread)
  await openPalette(page)
  await page.goBack()
  await page.getByRole('dialog', { name: 'Go to' }).waitFor({ state: 'detached' })
  await untilEqual(() => page.url(), thread)
})

test('Back closes the question before something is lost', { skip }, async (t) => {
  await site.call('POST', '/api/users', { name: 'ada' })
  const page = await site.visit(t, '/jobs')
  await follow(page, '/settings/users')
  await page.getByRole('button', { name: 'Revoke ada' }).click()
  const question = page.getByRole('dialog', { name: 'Revoke the access of ada?' })
  await question.waitFor()
  await page.goBack()
  await question.waitFor({ state: 'hidden' })
  await page.waitForURL('**/settings/users')
})

/** Browsers without it have the key alone. */
for (const [name, script] of [
  ['with a close watcher', ''],
  ['without a close watcher', 'delete window.CloseWatcher'],
] as const) {
  test(`Esc closes one layer at a time, wherever the focus is, ${name}`, { skip }, async (t) => {
    const page = await site.open(t, '/no-such-page', { viewport: phone })
    await page.addInitScript(script)
    await page.goto(site.url)
    await say(page, 'endless')
    await page.getByText('It begins.').waitFor()
    const menu = await openMenuInSheet(page)
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'detached' })
    assert(await sheetIn(page).isVisible())
    await page.keyboard.press('Escape')
    await sheetIn(page).waitFor({ state: 'detached' })
    assert(await page.getByRole('button', { name: 'Stop', exact: true }).isVisible())
    await page.keyboard.press('Escape')
    await page.getByText('Stopped here.').waitFor()
  })
}

test('Esc in a receipt closes it and leaves the find bar below it', { skip }, async (t) => {
  const turns = Array.from({ length: maxKept }, (_, at) => [
    { role: 'user', content: `Question ${at}` },
    { role: 'assistant', content: `Answer ${at}` },
  ])
  const input = [...turns.flat(), { role: 'user', content: 'the last one' }]
  await site.call('POST', '/api/v1/responses', { model: 'reborn', input })
  const { threads } = await site.call<{ threads: { id: string; door: string }[] }>('GET', '/api/threads')
  const page = await site.visit(t, `/threads/${threads.find(({ door }) => door === 'responses')?.id}`)
  await receipt(page).last().waitFor()
  await page.keyboard.press('Control+f')
  const bar = page.getByRole('search', { name: 'Find in this thread' })
  await bar.waitFor()
  await receipt(page).last().click()
  const panel = page.getByRole('complementary', { name: 'Receipt' })
  await panel.waitFor()
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  assert(await bar.isVisible())
  await page.keyboard.press('Escape')
  await bar.waitFor({ state: 'detached' })
})

test('Esc in a title that is renamed in the sheet leaves the sheet open', { skip }, async (t) => {
  const page = await openThread(t)
  const menu = await openMenuInSheet(page)
  await menu.getByRole('menuitem', { name: 'Rename' }).click()
  const title = sheetIn(page).getByRole('textbox', { name: 'Title' })
  await title.press('Escape')
  await title.waitFor({ state: 'detached' })
  assert(await sheetIn(page).isVisible())
})
