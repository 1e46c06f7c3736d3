// Where the focus goes when what had it leaves the page.
import { test } from 'node:test'
import { until, untilEqual } from '../until.ts'
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
  const edit = page.getByRole('button', { name: 'Edit queued message' })
  const field = page.getByRole('textbox', { name: 'Edit message' })
  for (const key of ['Escape', 'Enter']) {
    await edit.press('Enter')
    await until(() => isFocused(field))
    await field.press(key)
    await until(() => isFocused(edit))
  }
  await page.getByRole('button', { name: 'Remove queued message' }).press('Enter')
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
