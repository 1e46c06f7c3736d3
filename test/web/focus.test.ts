// Where the focus goes when what had it leaves the page.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { until, untilEqual } from '../until.ts'
import { follow } from './browser.ts'
import { box, isFocused, receipt, say, useChat } from './chat-page.ts'
import { noBrowser } from './launch.ts'

const skip = noBrowser()
const site = useChat()

test('a receipt beside the page gives the focus back each time', { skip }, async (t) => {
  const { thread_id } = await site.call<{ thread_id: string }>('POST', '/api/chat', { message: 'hello' })
  const page = await site.visit(t, `/threads/${thread_id}`, { width: 1440, height: 800 })
  const close = page.getByRole('complementary', { name: 'Receipt' }).getByRole('button', { name: 'Close' })
  for (let times = 0; times < 3; times++) {
    await receipt(page).press('Enter')
    await until(() => isFocused(close))
    await page.keyboard.press('Escape')
    await until(() => isFocused(receipt(page)))
  }
})

test('the actions of a queued message keep the focus', { skip }, async (t) => {
  const page = await site.visit(t)
  await say(page, 'endless')
  await page.getByText('It begins.').waitFor()
  await say(page, 'and then this')
  const edit = page.getByRole('button', { name: 'Edit queued message', description: 'and then this' })
  const field = page.getByRole('textbox', { name: 'Edit message' })
  for (const key of ['Escape', 'Enter']) {
    await edit.press('Enter')
    await until(() => isFocused(field))
    await field.press(key)
    await until(() => isFocused(edit))
  }
  await page.getByRole('button', { name: 'Remove queued message', description: 'and then this' }).press('Enter')
  await until(() => isFocused(page.getByRole('button', { name: 'Undo' })))
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
})

test('the text of a queued message that begins while it is edited goes to the composer', { skip }, async (t) => {
  const page = await site.visit(t)
  await say(page, 'endless')
  await page.getByText('It begins.').waitFor()
  await say(page, 'and then this')
  await page.getByRole('button', { name: 'Edit queued message' }).press('Enter')
  await page.getByRole('textbox', { name: 'Edit message' }).pressSequentially(', and more')
  await page.getByRole('button', { name: 'Stop', exact: true }).dispatchEvent('click')
  await page.getByText('You said: and then this', { exact: true }).waitFor()
  await untilEqual(() => box(page).inputValue(), 'and then this, and more')
  await until(() => isFocused(box(page)))
  await box(page).fill('')
})

test('where an action removes its own button, the focus stays near', { skip }, async (t) => {
  const page = await site.visit(t, '/settings')
  const limit = page.getByRole('textbox', { name: 'Spend per turn' })
  await limit.fill('5')
  await page.getByRole('button', { name: 'Save Spend per turn' }).press('Enter')
  await until(() => isFocused(limit))
  const rule = page.getByRole('combobox', { name: /^Reading.*, usually$/ }).first()
  await rule.selectOption('ask')
  await page
    .getByRole('button', { name: /^Back to its default for Reading/ })
    .first()
    .press('Enter')
  await until(() => isFocused(rule))
  await page.getByRole('button', { name: 'Add user' }).press('Enter')
  await page.keyboard.type('nadia')
  await page.keyboard.press('Enter')
  await until(() => isFocused(page.getByRole('button', { name: 'Copy' })))
  await page.getByRole('button', { name: 'nadia', exact: true }).press('Enter')
  await page.getByRole('button', { name: 'Remove nadia' }).press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove nadia' }).press('Enter')
  await page.getByText('Only you so far').waitFor()
  await until(() => isFocused(page.getByRole('button', { name: 'Add user' })))
})

test('a reader who has scrolled elsewhere stays there when what has the focus goes', { skip }, async (t) => {
  const { thread_id } = await site.call<{ thread_id: string }>('POST', '/api/chat', { message: 'table' })
  const page = await site.visit(t, `/threads/${thread_id}`, { width: 1440, height: 500 })
  await receipt(page).waitFor()
  await say(page, 'endless')
  await page.getByText('It begins.').waitFor()
  await say(page, 'and then this')
  const edit = page.getByRole('button', { name: 'Edit queued message' })
  await edit.focus()
  const transcript = page.locator('.transcript')
  await transcript.evaluate((node) => node.scrollTo(0, 0))
  const { jobs } = await site.call<{ jobs: { id: string; thread_id: string }[] }>('GET', '/api/jobs?status=running')
  const job = jobs.find((each) => each.thread_id === thread_id)
  await site.call('POST', `/api/jobs/${job?.id}/cancel`)
  await edit.waitFor({ state: 'detached' })
  await until(() => page.evaluate<boolean>(`document.activeElement.matches('.transcript button')`))
  assert.equal(await transcript.evaluate((node) => node.scrollTop), 0)
})

test('the form that changes a mission takes the focus', { skip }, async (t) => {
  const mission = { prompt: 'Read the news', schedule: 'weekdays at 08:30' }
  const { id } = await site.call<{ id: string }>('POST', '/api/missions', mission)
  const page = await site.visit(t, `/missions/${id}`)
  await page
    .getByRole('link', { name: 'Edit' })
    .or(page.getByRole('button', { name: 'Edit' }))
    .press('Enter')
  await until(() => isFocused(page.getByRole('textbox', { name: 'What to do' })))
  await page.keyboard.press('Escape')
  await until(() => isFocused(page.getByRole('button', { name: 'Edit' })))
})

test('what is pressed keeps the focus until the service has answered, and after it', { skip }, async (t) => {
  const { thread_id } = await site.call<{ thread_id: string }>('POST', '/api/chat', { message: 'hello' })
  const page = await site.visit(t, '/tools')
  const pressed = async (button: Locator): Promise<void> => {
    const { promise: held, resolve: send } = Promise.withResolvers<void>()
    await page.route('**/api/**', (route) =>
      route.request().method() === 'GET' ? route.continue() : held.then(() => route.abort()),
    )
    await button.press('Space')
    await until(() => button.isDisabled())
    // A browser takes the focus from what cannot have it with its next picture.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    assert.equal(await isFocused(button), true)
    send()
    await until(() => button.isEnabled())
    assert.equal(await isFocused(button), true)
    await page.unroute('**/api/**')
  }
  await pressed(page.getByRole('switch', { name: 'Enabled' }).first())
  await follow(page, `/threads/${thread_id}`)
  await pressed(page.getByRole('button', { name: 'Retry', exact: true }))
  await pressed(page.getByRole('button', { name: 'Fork', exact: true }))
})
