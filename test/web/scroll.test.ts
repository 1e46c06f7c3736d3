// What of a page scrolls, in a real browser.
import { test } from 'node:test'
import { untilEqual } from '../until.ts'
import { useSite } from './browser.ts'
import { receipt } from './chat-page.ts'
import { noBrowser } from './launch.ts'

const skip = noBrowser()
const site = useSite({ script: { loop: true, replies: [{ text: 'One line of an answer.\n\n'.repeat(100) }] } })

test('at the end of a thread the wheel moves nothing: the composer stays in sight', { skip }, async (t) => {
  const { thread_id } = await site.call<{ thread_id: string }>('POST', '/api/chat', { message: 'hello' })
  const page = await site.visit(t, `/threads/${thread_id}`)
  await receipt(page).waitFor()
  await untilEqual(() => page.locator('main').evaluate((node) => node.scrollHeight - node.clientHeight), 0)
})
