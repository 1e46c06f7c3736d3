// The page Memory in a real browser: search, read, edit, new, delete; identity files; two steps on a phone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until, untilEqual } from '../until.ts'
import { follow, useSite } from './browser.ts'
import { isFocused } from './chat-page.ts'
import { noBrowser } from './launch.ts'
import { corpus, guard } from './corpus.ts'
import { checkLooks } from './looks.ts'

const skip = noBrowser()
const site = useSite()

const addressOf = (path: string): string => `/api/memory/documents/${path.split('/').map(encodeURIComponent).join('/')}`
const write = (path: string, content: string) => site.call('PUT', addressOf(path), { content })
const contentOf = async (path: string): Promise<string> =>
  (await site.call<{ content: string }>('GET', addressOf(path))).content

test('a search marks what it found, and the document reads as Markdown', { skip }, async (t) => {
  await write('projects/shop/checkout.md', '# Checkout\n\nThe checkout p95 budget is **450 ms**.')
  await write('people/nadia.md', 'Owns checkouts and pricing.')
  await write('garden.md', 'Tomatoes need water.')
  const page = await site.visit(t, '/memory')
  await page.getByRole('link', { name: /garden\.md.*Tomatoes need water/ }).waitFor()
  await page.getByRole('searchbox', { name: 'Search memory' }).fill('checkout')
  await page.getByRole('link', { name: 'garden.md' }).waitFor({ state: 'detached' })
  await page.getByText(/^2 documents, \d+ ms$/).waitFor()
  await page.locator('.document-part mark').getByText('checkouts', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'projects/shop/checkout.md' }).click()
  await page.waitForURL('**/memory/projects/shop/checkout.md')
  await page.getByRole('heading', { name: 'Checkout', exact: true }).waitFor()
  await page.locator('.document-text strong').getByText('450 ms').waitFor()
  await untilEqual(
    () => page.evaluate('[...(CSS.highlights.get("found") ?? [])].map(String)'),
    ['Checkout', 'checkout'],
  )
  await page.getByRole('searchbox', { name: 'Search memory' }).fill('zebras')
  await page.getByRole('heading', { name: 'Nothing about “zebras”' }).waitFor()
  await page.getByRole('button', { name: 'Clear search' }).last().click()
  await page.getByRole('link', { name: 'garden.md' }).waitFor()
})

test('what the agent wrote leads to the thread it was written in', { skip }, async (t) => {
  const { thread_id } = await site.call<{ thread_id: string }>('POST', '/api/chat', {
    message: 'Remember that the gate code is 4711',
  })
  const { results } = await site.call<{ results: { path: string; author: string }[] }>('GET', '/api/memory?limit=100')
  const path = results.find(({ author }) => author === 'agent')?.path ?? ''
  const page = await site.visit(t, `/memory/${path}`)
  await page.getByText(/^Last written by the agent, (just now|\d+ min ago), in Remember that/).waitFor()
  await page.locator('.document-foot').getByRole('link').click()
  await page.waitForURL(`**/threads/${thread_id}`)
})

test('a document is edited in place; Cancel changes nothing; what others changed is not overwritten unasked', {
  skip,
}, async (t) => {
  await write('notes/today.md', 'before')
  const page = await site.visit(t, '/memory/notes/today.md')
  await page.getByRole('button', { name: 'Edit' }).click()
  const field = page.getByRole('textbox', { name: 'Document' })
  await field.fill('never')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.locator('.document-text').getByText('before').waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  await field.fill('after\n')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('.document-text').getByText('after').waitFor()
  await until(() => isFocused(page.getByRole('button', { name: 'Read' })))
  await page.getByText(/^Last written by you, (just now|\d+ min ago)/).waitFor()
  assert.equal(await contentOf('notes/today.md'), 'after\n')
  await page.getByRole('button', { name: 'Edit' }).click()
  await field.fill('mine')
  await write('notes/today.md', 'theirs')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').filter({ hasText: 'It was changed meanwhile' }).waitFor()
  assert.equal(await contentOf('notes/today.md'), 'theirs')
  await page.getByRole('button', { name: 'Save over it' }).click()
  await page.locator('.document-text').getByText('mine').waitFor()
  assert.equal(await contentOf('notes/today.md'), 'mine')
})

test('leaving a document with unsaved words asks: stay, keep the draft, or discard it', { skip }, async (t) => {
  await write('notes/left.md', 'before')
  const page = await site.visit(t, '/memory')
  await page.getByRole('link', { name: 'notes/left.md' }).click()
  await page.getByRole('button', { name: 'Edit' }).click()
  const field = page.getByRole('textbox', { name: 'Document' })
  const question = page.getByRole('dialog', { name: 'Leave with unsaved words?' })
  await field.fill('half a thought')
  await page.getByRole('link', { name: 'SOUL.md' }).click()
  await question.getByRole('button', { name: 'Stay' }).click()
  await question.waitFor({ state: 'hidden' })
  await untilEqual(() => field.inputValue(), 'half a thought')
  const entry = () => page.evaluate('navigation.currentEntry.key')
  const left = await entry()
  await page.goBack()
  await question.getByRole('button', { name: 'Stay' }).click()
  await untilEqual(entry, left)
  await untilEqual(() => field.inputValue(), 'half a thought')
  await page.goBack()
  await question.getByRole('button', { name: 'Keep the draft' }).click()
  await page.getByRole('heading', { name: 'Nothing is open' }).waitFor()
  await page.getByRole('link', { name: 'notes/left.md' }).click()
  await untilEqual(() => field.inputValue(), 'half a thought')
  await page.getByRole('link', { name: 'SOUL.md' }).click()
  await question.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('heading', { name: 'SOUL.md' }).waitFor()
  await page.getByRole('link', { name: 'notes/left.md' }).click()
  await page.locator('.document-text').getByText('before').waitFor()
})

test('Back from a new document with unsaved words asks once, and leaving leads to the page before', {
  skip,
}, async (t) => {
  const page = await site.open(t, '/memory')
  await page.getByRole('button', { name: 'New document' }).click()
  const field = page.getByRole('textbox', { name: 'Document' })
  await field.fill('half a thought')
  const entry = () => page.evaluate('navigation.currentEntry.key')
  const left = await entry()
  const question = page.getByRole('dialog', { name: 'Leave with unsaved words?' })
  await page.goBack()
  await question.getByRole('button', { name: 'Stay' }).click()
  await untilEqual(entry, left)
  await page.goBack()
  await question.getByRole('button', { name: 'Keep the draft' }).click()
  await page.getByRole('heading', { name: 'Nothing is open' }).waitFor()
  await page.goForward()
  await untilEqual(() => field.inputValue(), 'half a thought')
})

test('an answer to the question before the browser has come back leads to the page before, too', {
  skip,
}, async (t) => {
  const page = await site.open(t, '/memory')
  await page.getByRole('button', { name: 'New document' }).click()
  await page.getByRole('textbox', { name: 'Document' }).fill('half a thought')
  await page.evaluate(`addEventListener('popstate', () => {
    document.querySelector('dialog[open] .primary')?.click()
  })`)
  await page.goBack()
  await page.getByRole('heading', { name: 'Nothing is open' }).waitFor()
})

test('a new document asks for its path; a fault is told beside it', { skip }, async (t) => {
  await write('taken.md', 'there')
  const page = await site.visit(t, '/memory')
  await page.getByRole('button', { name: 'New document' }).click()
  const path = page.getByRole('textbox', { name: 'Path' })
  await path.waitFor()
  await untilEqual(() => page.evaluate('document.activeElement.labels?.[0]?.textContent'), 'Path')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').filter({ hasText: 'Give it a path first' }).waitFor()
  for (const [wrong, words] of [
    ['../outside.md', 'A path has names between slashes'],
    ['a\u0007b.md', 'path'],
    ['taken.md', 'There is a document at this path already'],
  ] as const) {
    await path.fill(wrong)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').filter({ hasText: words }).waitFor()
  }
  assert.equal(await contentOf('taken.md'), 'there')
  await path.fill('odd names/50 % of #1?.md')
  await path.press('Enter')
  const text = page.getByRole('textbox', { name: 'Document' })
  await until(() => isFocused(text))
  await text.fill('half')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'odd names/50 % of #1?.md' }).waitFor()
  await until(() => isFocused(page.getByRole('main')))
  assert.equal(await contentOf('odd names/50 % of #1?.md'), 'half')
  await page.reload()
  await page.locator('.document-text').getByText('half').waitFor()
})

test('Esc closes an empty form for a new document and leads back to its button; written words stay', {
  skip,
}, async (t) => {
  const page = await site.visit(t, '/memory')
  const opener = page.getByRole('button', { name: 'New document' })
  const path = page.getByRole('textbox', { name: 'Path' })
  const text = page.getByRole('textbox', { name: 'Document' })
  await opener.press('Enter')
  await path.press('Escape')
  await path.waitFor({ state: 'detached' })
  await until(() => isFocused(opener))
  await opener.press('Enter')
  await text.fill('half a thought')
  await text.press('Escape')
  await untilEqual(() => text.inputValue(), 'half a thought')
  // The same words as a draft that was kept.
  await page.getByRole('link', { name: 'Jobs' }).click()
  await page.getByRole('button', { name: 'Keep the draft' }).click()
  await follow(page, '/memory?new')
  await untilEqual(() => text.inputValue(), 'half a thought')
  await text.press('Escape')
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
  assert.equal(await text.inputValue({ timeout: 1_000 }), 'half a thought')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Undo' }).click()
  await untilEqual(() => text.inputValue(), 'half a thought')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await text.waitFor({ state: 'detached' })
})

test('the draft of a new document keeps its path, as Undo does', { skip }, async (t) => {
  const page = await site.open(t, '/memory?new')
  const path = page.getByRole('textbox', { name: 'Path' })
  const text = page.getByRole('textbox', { name: 'Document' })
  await path.fill('notes/today.md')
  await text.fill('half a thought')
  await page.reload()
  await untilEqual(() => path.inputValue(), 'notes/today.md')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Undo' }).click()
  await untilEqual(() => text.inputValue(), 'half a thought')
  assert.equal(await path.inputValue(), 'notes/today.md')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'New document' }).click()
  await untilEqual(() => text.inputValue(), '')
  assert.equal(await path.inputValue(), '')
})

test('a deleted document is gone at once, and Undo brings it back; an identity file can be written', {
  skip,
}, async (t) => {
  await write('old.md', 'old words')
  const page = await site.visit(t, '/memory/old.md')
  const link = page.getByRole('link', { name: 'old.md' })
  const undo = page.getByRole('button', { name: 'Undo' })
  await link.waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await until(() => isFocused(undo))
  await assert.rejects(contentOf('old.md'), /404/)
  await undo.click()
  await page.locator('.document-text').getByText('old words').waitFor()
  assert.equal(await contentOf('old.md'), 'old words')
  await link.waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await link.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'SOUL.md' }).click()
  await page.getByRole('heading', { name: 'Not written yet' }).waitFor()
  await page.getByRole('button', { name: 'Write it' }).click()
  await page.getByRole('textbox', { name: 'Document' }).fill('Warm and short.')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('.document-text').getByText('Warm and short.').waitFor()
  assert.equal(await contentOf('SOUL.md'), 'Warm and short.')
})

test('on a phone the list and the document are two steps', { skip }, async (t) => {
  const path = 'projects/shop/step.md'
  await write(path, 'second step')
  const page = await site.visit(t, '/memory')
  await page.setViewportSize({ width: 375, height: 800 })
  await page.getByRole('link', { name: path }).click()
  await page.locator('.document-text').getByText('second step').waitFor()
  await page.getByRole('searchbox', { name: 'Search memory' }).waitFor({ state: 'hidden' })
  // Its path is one line.
  await untilEqual(async () => (await page.getByRole('heading', { name: path }).boundingBox())?.height, 20)
  await page.getByRole('link', { name: 'All documents' }).click()
  await page.getByRole('searchbox', { name: 'Search memory' }).waitFor()
  await page.getByRole('button', { name: 'New document' }).click()
  await page.getByRole('textbox', { name: 'Path' }).waitFor()

  // The menu is a dialog: the focus is in it and stays there, Esc closes it and gives the focus back.
  const focused = () => page.evaluate<string>('document.activeElement.getAttribute("aria-label")')
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  await until(async () => (await focused()) === 'Close menu')
  await page.keyboard.press('Shift+Tab')
  assert.notEqual(await page.evaluate('document.activeElement.closest("main")?.id'), 'main')
  await page.getByRole('button', { name: 'Close menu' }).focus()
  await page.keyboard.press('Escape')
  await until(async () => (await focused()) === 'Menu')
})

test('Memory has no barrier, in any size and theme', { skip }, async (t) => {
  await write('plain/reading.md', '# Reading\n\n- one\n- `two`\n\n| a | b |\n|---|---|\n| 1 | 2 |')
  const page = await site.visit(t, '/memory/plain/reading.md')
  await checkLooks(page, () => page.locator('.document-text table').waitFor())
  await page.getByRole('button', { name: 'New document' }).click()
  await checkLooks(page, () => page.getByRole('textbox', { name: 'Path' }).waitFor())
})

test('words of others stay words: paths and contents', { skip }, async (t) => {
  for (const [at, text] of corpus.entries()) {
    await write(`words/${at}.md`, `${text}\n\n${text} found`)
    await write(`paths/${text.replaceAll('/', '|').slice(0, 150)}`, 'found by path').catch(() => undefined)
  }
  const page = await site.visit(t, '/waiting')
  const watch = guard(page)
  await follow(page, `/memory/${encodeURIComponent('<img src=x onerror="window.hit = 2">')}`)
  await page.getByRole('heading', { name: 'Not written yet' }).waitFor()
  await page.getByRole('link', { name: 'paths/<script>' }).waitFor()
  await watch.check()
  const search = page.getByRole('searchbox', { name: 'Search memory' })
  await search.fill('found')
  await page.locator('mark').first().waitFor()
  await watch.check()
  for (const at of corpus.keys()) {
    await follow(page, `/memory/words/${at}.md`)
    await page.getByRole('heading', { name: `words/${at}.md` }).waitFor()
    await page.locator('.document-text').getByText('found').first().waitFor()
    await watch.check()
  }
  await search.fill('')
})

test('memory that cannot be read says so; nobody else’s is shown', { skip }, async (t) => {
  const { token } = await site.call<{ token: string }>('POST', '/api/users', { name: 'stranger' })
  const page = await site.open(t, '/memory', { token })
  await page.getByRole('heading', { name: 'No documents yet' }).waitFor()
  await page.route('**/api/memory*', (route) => route.abort())
  await page.reload()
  await page.getByRole('alert').filter({ hasText: 'Memory could not be read' }).waitFor()
})

test('an open document shows what is written elsewhere while it is read', { skip }, async (t) => {
  await write('notes/bees.md', 'six hives')
  const page = await site.visit(t, '/memory/notes/bees.md')
  const text = page.locator('.document-text')
  await text.getByText('six hives').waitFor()
  await write('notes/bees.md', 'seven hives')
  await text.getByText('seven hives').waitFor()
  await site.call('DELETE', addressOf('notes/bees.md'))
  await page.getByRole('heading', { name: 'Not written yet' }).waitFor()
})
