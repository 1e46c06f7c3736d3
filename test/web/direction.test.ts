// Words of a script from right to left in a real browser: what begins with them runs that way, Latin words within included.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import type { ThreadPage } from '#doors/web/wire/thread.ts'
import { until } from '../until.ts'
import { useSite } from './browser.ts'
import { own } from './chat-page.ts'
import { noBrowser } from './launch.ts'

const skip = noBrowser()
const site = useSite({
  script: {
    loop: true,
    replies: [{ when: 'table', text: '| שם | מחיר |\n|---|---|\n| לחם | 12 |\n' }, { text: 'Hi' }],
  },
})
const words = 'שלום to you'

/** Whether the last letter of an element's text stands left of its first. */
const runsLeft = (place: Locator): Promise<boolean> =>
  place.evaluate((node) => {
    const text = node.ownerDocument.createTreeWalker(node, 4).nextNode()
    const leftOf = (at: number): number => {
      const range = node.ownerDocument.createRange()
      range.setStart(text, at)
      range.setEnd(text, at + 1)
      return range.getBoundingClientRect().left
    }
    return leftOf(text.textContent.length - 1) < leftOf(0)
  })

test('own messages and titles run as their first letter does', { skip }, async (t) => {
  const { thread_id } = await site.call<{ thread_id: string }>('POST', '/api/chat', { message: words })
  await site.call('POST', '/api/chat', { message: 'Hello שלום' })
  const page = await site.visit(t, `/threads/${thread_id}`)
  const list = page.getByRole('navigation', { name: 'Threads' })
  assert(await runsLeft(own(page).locator('.long-text')), 'the message')
  assert(await runsLeft(page.getByRole('heading', { level: 1, name: words })), 'the title above it')
  assert(await runsLeft(list.getByRole('link', { name: words }).locator('.one-line')), 'the title in the list')
  assert(!(await runsLeft(list.getByRole('link', { name: 'Hello' }).locator('.one-line'))), 'a Latin title')
  await page.goto(`${site.url}/jobs`)
  assert(await runsLeft(page.locator('.row-link', { hasText: words })), 'the title of a job')
})

test('parts of documents, found messages and fields run as their first letter does', { skip }, async (t) => {
  await site.call('PUT', '/api/memory/documents/note.md', { content: words })
  const { thread_id } = await site.call<{ thread_id: string }>('POST', '/api/chat', { message: words })
  await site.call('PATCH', `/api/threads/${thread_id}`, { title: 'Greeting' })
  const page = await site.visit(t, '/memory/note.md')
  assert(await runsLeft(page.locator('.document-part')), 'the beginning of a document')
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const fields = [
    page.getByRole('textbox', { name: 'Document' }),
    page.getByRole('searchbox', { name: 'Search memory' }),
  ]
  const bidi = (field: Locator) =>
    field.evaluate((node) => node.ownerDocument.defaultView?.getComputedStyle(node).unicodeBidi)
  assert.deepEqual(await Promise.all(fields.map(bidi)), ['plaintext', 'plaintext'])
  const found = `/api/threads?q=${encodeURIComponent('שלום')}`
  await until(async () => (await site.call<ThreadPage>('GET', found)).threads.some(({ match }) => match))
  await page.getByRole('searchbox', { name: 'Search threads' }).fill('שלום')
  assert(await runsLeft(page.locator('.found-words').first()), 'the words around a match')
})

test('the cells of a table from right to left begin at the right', { skip }, async (t) => {
  const { thread_id } = await site.call<{ thread_id: string }>('POST', '/api/chat', { message: 'table' })
  const page = await site.visit(t, `/threads/${thread_id}`)
  const cells = page.getByRole('table').locator('th, td')
  await cells.last().waitFor()
  const begins = await cells.evaluateAll((nodes) =>
    nodes.map((node) => {
      const range = node.ownerDocument.createRange()
      range.selectNodeContents(node)
      const [text, cell] = [range.getBoundingClientRect(), node.getBoundingClientRect()]
      return cell.right - text.right < text.left - cell.left
    }),
  )
  assert.deepEqual(begins, [true, true, true, true])
})
