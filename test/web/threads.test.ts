// The list of threads in a real browser: the archive, and more threads than are read at first.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import type { ThreadPage } from '#doors/web/wire/thread.ts'
import { until, untilEqual } from '../until.ts'
import { useSite } from './browser.ts'
import { box, isFocused, openPalette } from './chat-page.ts'
import { noBrowser } from './launch.ts'

const skip = noBrowser()
const site = useSite({ script: { replies: [{ text: 'Noted' }] } })
const first = 100
const atOnce = 10

/** One thread more than the list shows at first. */
async function fill(): Promise<void> {
  await site.call('POST', '/api/chat', { message: 'Zeppelin over the harbour' })
  for (let made = 0; made < first; made += atOnce) {
    const notes = Array.from({ length: atOnce }, (_, at) => ({ message: `Note ${made + at}` }))
    await Promise.all(notes.map((note) => site.call('POST', '/api/chat', note)))
  }
}

/** A row out of view takes no time until it is scrolled to, and nothing cuts its menu off. */
async function checkFarRow(row: Locator): Promise<void> {
  const isDrawn = () => row.evaluate((node) => node.checkVisibility({ contentVisibilityAuto: true }))
  assert.equal(await isDrawn(), false)
  await row.scrollIntoViewIfNeeded()
  await until(isDrawn)
  await row.focus()
  await row.locator('xpath=..').getByRole('button', { name: 'More' }).press('Enter')
  const page = row.page()
  const item = page.getByRole('menuitem', { name: 'Rename' })
  // A click goes to what is seen.
  await item.click({ trial: true })
  await item.press('Escape')
}

test('the archive is offered once it has a thread, in line with the rows above it', { skip }, async (t) => {
  const { thread_id } = await site.call<{ thread_id: string }>('POST', '/api/chat', { message: 'Put me away' })
  await site.call('POST', '/api/chat', { message: 'Leave me here' })
  const page = await site.open(t)
  const list = page.getByRole('navigation', { name: 'Threads' })
  await list.getByRole('link', { name: 'Put me away' }).waitFor()
  const archive = list.getByRole('button', { name: 'Archived threads' })
  assert.equal(await archive.count(), 0)
  await site.call('PATCH', `/api/threads/${thread_id}`, { archived: true })
  await archive.waitFor()
  await list.getByRole('link', { name: 'Put me away' }).waitFor({ state: 'detached' })
  const edgeOf = async (row: Locator): Promise<number | undefined> =>
    (await row.locator('.icon').first().boundingBox())?.x
  await until(async () => (await edgeOf(archive)) === (await edgeOf(list.getByRole('link', { name: 'Leave me here' }))))
  await archive.press('Enter')
  await list.getByRole('link', { name: 'Put me away' }).waitFor()
  const back = list.getByRole('button', { name: 'Back to threads' })
  assert(await isFocused(back), 'the button keeps the focus')
  const box = list.getByRole('searchbox', { name: 'Search threads' })
  const asked = Promise.withResolvers<void>()
  await page.route('**/api/threads?shelf=archived&limit=1', async (route) => {
    await asked.promise
    await route.continue()
  })
  const more = list.getByRole('button', { name: 'More' })
  // Each menu has the same name; its description says of which thread it is.
  assert.equal(await more.getAttribute('aria-description'), 'Put me away')
  await more.press('Enter')
  await page.getByRole('menuitem', { name: 'Unarchive' }).press('Enter')
  await list.getByText('No archived threads').waitFor()
  await until(() => isFocused(box))
  await back.press('Enter')
  await list.getByRole('link', { name: 'Leave me here' }).waitFor()
  assert(await isFocused(archive), 'the page does not know yet that the archive is empty')
  asked.resolve()
  await archive.waitFor({ state: 'detached' })
  await until(() => isFocused(box))
  await site.call('POST', '/api/threads/delete', {
    ids: (await site.call<ThreadPage>('GET', '/api/threads')).threads.map(({ id }) => id),
  })
})

test('a search finds threads that the list does not show yet; a button shows them, once each', { skip }, async (t) => {
  await fill()
  const page = await site.open(t)
  const list = page.getByRole('navigation', { name: 'Threads' })
  await list.getByRole('button', { name: 'Older threads' }).waitFor()
  await untilEqual(() => list.getByRole('link').count(), first)
  await untilEqual(() => list.getByRole('link', { name: 'Zeppelin' }).count(), 0)
  await checkFarRow(list.getByRole('link').last())
  const box = list.getByRole('searchbox', { name: 'Search threads' })
  await list.getByText('Ctrl K').waitFor()
  await box.fill('zeppelin harbour')
  await list.getByText('Ctrl K').waitFor({ state: 'detached' })
  await list.getByRole('link', { name: 'Zeppelin over the harbour' }).waitFor()
  await untilEqual(() => list.getByRole('link').count(), 1)
  await box.fill('submarine')
  await list.getByText('Nothing about “submarine”').waitFor()
  // The reply of every thread.
  const found = list.getByRole('region', { name: 'In messages' })
  await until(async () => (await site.call<ThreadPage>('GET', '/api/threads?q=noted')).threads.length > 0)
  await box.fill('noted')
  await found.getByRole('link').first().waitFor()
  await box.press('ArrowDown')
  const link = found.getByRole('link').first()
  await until(() => isFocused(link))
  await link.press('ArrowUp')
  await until(() => isFocused(box))
  await box.press('Enter')
  await page.waitForURL(/threads/)
  await box.fill('')
  await list.getByRole('link', { name: 'Note 99' }).waitFor()
  await untilEqual(() => list.getByRole('link').count(), first)
  await list.getByRole('button', { name: 'Older threads' }).click()
  await list.getByRole('link', { name: 'Zeppelin' }).waitFor()
  await untilEqual(() => list.getByRole('link').count(), first + 1)
  await untilEqual(() => list.getByRole('button', { name: 'Older threads' }).count(), 0)
  // The palette shows the words around those that it found in a message.
  const { threads } = await site.call<ThreadPage>('GET', '/api/threads?q=zeppelin')
  await site.call('POST', '/api/chat', { message: 'Its anchor is gone', thread_id: threads[0]?.id })
  await until(async () => (await site.call<ThreadPage>('GET', '/api/threads?q=anchor')).threads.length > 0)
  await openPalette(page)
  await page.getByRole('combobox', { name: 'Search threads, pages and actions' }).fill('anchor')
  const hit = page.getByRole('option', { name: /^Zeppelin over the harbour\s*Its anchor is gone$/ })
  await hit.locator('mark', { hasText: 'anchor' }).waitFor()
})

test('a thread that is deleted elsewhere is gone where it is read, and leaves what was being written', {
  skip,
}, async (t) => {
  const { thread_id } = await site.call<{ thread_id: string }>('POST', '/api/chat', { message: 'Read twice' })
  const page = await site.visit(t, `/threads/${thread_id}`)
  await page.getByRole('article', { name: 'Atrium' }).waitFor()
  await box(page).fill('half a thought')
  await site.call('DELETE', `/api/threads/${thread_id}`)
  await page.getByRole('heading', { name: 'This thread is not here' }).waitFor()
  await page.getByRole('button', { name: 'Start a thread' }).click()
  await untilEqual(() => box(page).inputValue(), 'half a thought')
})
