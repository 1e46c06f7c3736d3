// The keyboard in a narrow window, as on a phone or at 400 % zoom, and in menus.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until, untilEqual } from '../until.ts'
import { follow } from './browser.ts'
import { box, isFocused, receipt, say, useChat } from './chat-page.ts'
import { noBrowser } from './launch.ts'

const skip = noBrowser()
const site = useChat()
const phone = { width: 360, height: 740 }

test('in a narrow window the composer keeps the focus after the first message, too', { skip }, async (t) => {
  const page = await site.visit(t, '/', phone)
  await say(page, 'hello')
  await receipt(page).waitFor()
  await until(() => isFocused(box(page)))
})

test('Esc closes the menu sheet wherever the focus is, and stops no turn behind it', { skip }, async (t) => {
  const page = await site.visit(t, '/', phone)
  await say(page, 'endless')
  const stop = page.getByRole('button', { name: 'Stop', exact: true })
  await stop.waitFor()
  const opener = page.getByRole('button', { name: 'Menu', exact: true })
  await opener.click()
  const sheet = page.getByRole('dialog', { name: 'Menu' })
  await sheet.locator('.side-foot').click()
  // A click beside the buttons leaves the focus nowhere.
  await until(() => isFocused(page.locator('body')))
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  await until(() => isFocused(opener))
  await page.getByText('It begins.').waitFor()
  await untilEqual(() => page.getByText('Stopped here.').count(), 0)
  assert(await stop.isVisible())
})

test('the focus goes along from a row to its detail and back', { skip }, async (t) => {
  await site.call('PUT', '/api/memory/documents/note.md', { content: 'words' })
  await site.call('PUT', '/api/memory/documents/other.md', { content: 'words' })
  const { id } = await site.call<{ id: string }>('POST', '/api/missions', {
    prompt: 'hello',
    schedule: 'at 2099-01-01 09:00',
  })
  const asked = await site.call<{ thread_id: string; gate: { id: string } }>('POST', '/api/chat', {
    message: 'write a file',
  })
  const page = await site.visit(t, '/', phone)
  for (const [path, row, back] of [
    ['/missions', `.step-list a[href="/missions/${id}"]`, 'All missions'],
    ['/memory', '.step-list a[href="/memory/note.md"]', 'All documents'],
    ['/tools', '.step-list a[href="/tools?tool=time"]', 'All tools'],
    ['/waiting', '.queue-row', 'All requests'],
  ] as const) {
    await follow(page, path)
    await page.locator(row).press('Enter')
    await until(() => isFocused(page.locator('.step-back', { hasText: back })))
    await page.keyboard.press('Enter')
    await until(() => isFocused(page.locator(row)))
  }
  await site.call('POST', `/api/threads/${asked.thread_id}/gates/${asked.gate.id}`, { action: 'deny' })
  await site.call('DELETE', `/api/missions/${id}`)
})

test('Home and End go to the first and the last item of a menu', { skip }, async (t) => {
  const page = await site.visit(t)
  await say(page, 'hello menu')
  await receipt(page).waitFor()
  await page.getByRole('button', { name: 'Thread menu' }).press('Enter')
  const items = page.getByRole('menu', { name: 'Thread menu' }).getByRole('menuitem')
  await until(() => isFocused(items.first()))
  await page.keyboard.press('End')
  await until(() => isFocused(items.last()))
  await page.keyboard.press('Home')
  await until(() => isFocused(items.first()))
})

test('in a window as low as a phone on its side every thread of the menu can be reached', { skip }, async (t) => {
  const { thread_id } = await site.call<{ thread_id: string }>('POST', '/api/chat', { message: 'hello' })
  const page = await site.visit(t, '/jobs', { width: 640, height: 360 })
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  const menu = page.getByRole('dialog', { name: 'Menu' })
  await menu.locator(`a[href="/threads/${thread_id}"]`).click()
  await menu.waitFor({ state: 'detached' })
  await page.waitForURL(`**/threads/${thread_id}`)
})

test('the focus goes along from a job to its thread and back', { skip }, async (t) => {
  const { thread_id } = await site.call<{ thread_id: string }>('POST', '/api/chat', { message: 'hello' })
  const page = await site.visit(t, '/jobs', phone)
  const row = page.locator(`.row-link[href="/threads/${thread_id}"]`).first()
  await row.press('Enter')
  await page.waitForURL(`**/threads/${thread_id}`)
  await until(() => isFocused(page.locator('#main')))
  await page.goBack()
  await until(() => isFocused(row))
  await page.goForward()
  await until(() => isFocused(page.locator('#main')))
})
