// Where the focus goes when what had it leaves the page.
import { test } from 'node:test'
import { until } from '../until.ts'
import { isFocused, receipt, useChat } from './chat-page.ts'
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
