// Approvals in a real browser: the card, the queue, the three answers, and that nothing else answers.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { clearOfMidnight } from '../clear-of-midnight.ts'
import { until, untilEqual } from '../until.ts'
import { findBarriers } from './barriers.ts'
import { follow, hearing, useSite } from './browser.ts'
import { box, doubleClick, isFocused, say } from './chat-page.ts'
import { noBrowser } from './launch.ts'

const skip = noBrowser()
const write = (path: string, content: string) => ({ name: 'workspace_write', args: { path, content } })
const site = useSite({
  env: { ATRIUM_SHELL: 'true' },
  script: {
    replies: [
      { when: 'write one', calls: [write('docs/one.md', 'first\n')] },
      { when: 'write two', calls: [write('docs/two.md', 'second\n')] },
      { when: 'write three', calls: [write('docs/three.md', 'third\n')] },
      { when: 'write four', calls: [write('docs/four.md', 'fourth\n')] },
      { when: 'write five', calls: [write('docs/five.md', 'fifth\n')] },
      { when: 'write six', calls: [write('docs/six.md', 'sixth\n')] },
      { when: 'write seven', calls: [write('docs/seven.md', 'seventh\n')] },
      { when: 'list files', calls: [{ name: 'workspace_shell', args: { command: 'ls' } }] },
      { afterTool: 'workspace_write', text: 'The tool said: {{result}}' },
    ],
    loop: true,
  },
})
const fileAt = (path: string): string => join(site.home, 'workspace', path)
const said = (page: Page, text: string) => page.getByRole('log').getByText(text)
const card = (page: Page, question: string) => page.getByRole('group', { name: question })

/** Answers the gate of a new thread. */
async function answer(message: string, given: object): Promise<void> {
  const asked = await site.call<{ thread_id: string; gate: { id: string } }>('POST', '/api/chat', { message })
  await site.call('POST', `/api/threads/${asked.thread_id}/gates/${asked.gate.id}`, given)
}

/** Run in the page: clicks as soon as there is something to click. */
const clickAtOnce = `new MutationObserver((_, watcher) => {
  const found = [...document.querySelectorAll('.approval button')].find((each) => each.textContent === 'Allow once')
  if (!found) return
  watcher.disconnect()
  found.click()
  window.clicked = true
}).observe(document.body, { childList: true, subtree: true })`

test('Allow once runs it once; the card becomes a line; title and badge tell that it waits', { skip }, async (t) => {
  const page = await site.visit(t)
  await say(page, 'write one')
  const one = card(page, 'Create docs/one.md?')
  await one.getByText('Writes 1 line to a new file').waitFor()
  await one.getByText('first').waitFor()
  await until(async () => (await page.title()).startsWith('1 waiting · '))
  await page.getByRole('link', { name: 'Waiting for you 1 waiting for you' }).waitFor()
  // A thread is named by its title; that it waits describes it.
  await page.getByRole('link', { description: 'waiting for you' }).waitFor()
  await untilEqual(() => page.getByRole('link', { name: 'Waiting for you' }).count(), 1)
  assert.equal(existsSync(fileAt('docs/one.md')), false)
  await hearing(page)
  const allow = one.getByRole('button', { name: 'Allow once' })
  // Refused, it has not run; where the answer was lost, nobody knows.
  await page.route('**/gates/*', (asked) => asked.fulfill({ status: 429, body: '' }), { times: 1 })
  await allow.click()
  await one.getByText('The gateway answered 429. Nothing has run.').waitFor()
  await page.route('**/gates/*', (asked) => asked.abort(), { times: 1 })
  await allow.click()
  await one.getByText('Atrium was not reached.', { exact: true }).waitFor()
  await allow.click()
  await said(page, 'The tool said: created').waitFor()
  await page.getByText('Allowed once by you').waitFor()
  assert.equal(readFileSync(fileAt('docs/one.md'), 'utf8'), 'first\n')
  await untilEqual(() => one.count(), 0)
  await until(async () => !/waiting/.test(await page.title()))
  // The line looks the same in a page that has shown no card.
  const line = page.getByText('Allowed once by you')
  const look = () => line.evaluate((node) => node.ownerDocument.defaultView?.getComputedStyle(node).fontSize)
  const before = await look()
  await page.reload()
  await untilEqual(look, before)
})

test('a card takes no key and no click of its first half second, and Enter in the composer never answers it', {
  skip,
}, async (t) => {
  const page = await site.visit(t)
  await page.evaluate(clickAtOnce)
  await say(page, 'write two')
  const allow = card(page, 'Create docs/two.md?').getByRole('button', { name: 'Allow once' })
  await allow.waitFor()
  await until(async () => (await page.evaluate('window.clicked')) === true)
  await untilEqual(() => page.evaluate('document.activeElement.getAttribute("aria-label")'), 'Message')
  await page.keyboard.press('Enter')
  await say(page, 'yes')
  await page.getByText('Waits its turn').waitFor()
  assert.equal(existsSync(fileAt('docs/two.md')), false)
  await allow.focus()
  await hearing(page)
  await page.keyboard.press('Enter')
  await said(page, 'The tool said: created').waitFor()
})

test('a double click on Deny… asks for the word, and denies nothing yet', { skip }, async (t) => {
  const page = await site.visit(t)
  await say(page, 'write three')
  const deny = card(page, 'Create docs/three.md?').getByRole('button', { name: 'Deny…' })
  await deny.waitFor()
  await hearing(page)
  const word = page.getByRole('textbox', { name: 'Word to the agent' })
  await doubleClick(page, deny, () => word.waitFor())
  await word.fill('Not twice')
  await word.press('Enter')
  await said(page, 'The tool said: the user did not allow workspace_write: Not twice').waitFor()
})

test('Deny takes a word to the agent, by the keyboard alone', { skip }, async (t) => {
  const page = await site.visit(t)
  await say(page, 'write three')
  const deny = card(page, 'Create docs/three.md?').getByRole('button', { name: 'Deny…' })
  await deny.focus()
  await hearing(page)
  await page.keyboard.press('Space')
  const word = page.getByRole('textbox', { name: 'Word to the agent' })
  await word.waitFor()
  await until(() => isFocused(word))
  await page.keyboard.press('Escape')
  await until(() => isFocused(deny))
  await page.keyboard.press('Enter')
  await until(() => isFocused(word))
  await page.keyboard.type('Not this one')
  await page.keyboard.press('Enter')
  await said(page, 'The tool said: the user did not allow workspace_write: Not this one').waitFor()
  await page.getByText('Denied by you').waitFor()
  await until(() => isFocused(box(page)))
  assert.equal(await box(page).inputValue(), '')
  await page.getByRole('button', { name: /^workspace_write .*denied$/ }).waitFor()
  assert.equal(existsSync(fileAt('docs/three.md')), false)
})

test('Allow for… grants from narrow to wide, the narrow one chosen; the next such call is not asked', {
  skip,
}, async (t) => {
  const page = await site.visit(t)
  await say(page, 'write four')
  const four = card(page, 'Create docs/four.md?')
  await four.waitFor()
  await hearing(page)
  await four.getByRole('button', { name: 'Allow for…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Allow without asking' })
  await untilEqual(() => dialog.getByRole('radio', { name: 'workspace_write on docs/four.md' }).isChecked(), true)
  await untilEqual(() => dialog.getByRole('checkbox', { name: 'untrusted content' }).isChecked(), false)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await four.getByRole('button', { name: 'Allow for…' }).click()
  // Whoever tabs on has left it: the focus stays where it went.
  await dialog.getByRole('button', { name: 'Allow for 1 hour' }).focus()
  await page.keyboard.press('Tab')
  await dialog.waitFor({ state: 'detached' })
  await untilEqual(() => page.evaluate('document.activeElement.textContent'), 'Deny…')
  await four.getByRole('button', { name: 'Allow for…' }).click()
  await dialog.getByRole('radio', { name: 'in docs/' }).click()
  await dialog.getByRole('button', { name: '1 day' }).click()
  assert.deepEqual(await findBarriers(page, 'all', 'any'), [])
  await dialog.getByRole('button', { name: 'Allow for 1 day' }).click()
  await said(page, 'The tool said: created').waitFor()
  const { grants } = await site.call<{ grants: { id: string; tool: string; target: string; untrusted: boolean }[] }>(
    'GET',
    '/api/grants',
  )
  assert.deepEqual(
    grants.map(({ tool, target, untrusted }) => [tool, target, untrusted]),
    [['workspace_write', './docs/', false]],
  )
  await page.getByRole('link', { name: 'New thread' }).click()
  await page.waitForURL((url) => url.pathname === '/')
  await said(page, 'The tool said: created').waitFor({ state: 'detached' })
  await say(page, 'write five')
  await said(page, 'The tool said: created').waitFor()
  for (const { id } of grants) await site.call('DELETE', `/api/grants/${id}`)
})

test('a grant for a command has no choice about untrusted content: it never counts there', { skip }, async (t) => {
  const page = await site.visit(t)
  await say(page, 'list files')
  const asked = page.getByRole('group', { name: /^Run/ })
  await asked.waitFor()
  await hearing(page)
  await asked.getByRole('button', { name: 'Allow for…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Allow without asking' })
  await dialog.getByRole('radio').first().waitFor()
  await untilEqual(() => dialog.getByRole('checkbox').count(), 0)
  await dialog.getByRole('button', { name: 'Allow for 1 hour' }).click()
  // The call has its line while it still waits, so the line does not tell that the grant is stored.
  type Grants = { grants: { id: string; untrusted: boolean }[] }
  const readGrants = async () => (await site.call<Grants>('GET', '/api/grants')).grants
  await untilEqual(async () => (await readGrants()).map(({ untrusted }) => untrusted), [false])
  await asked.waitFor({ state: 'detached' })
  for (const { id } of await readGrants()) await site.call('DELETE', `/api/grants/${id}`)
})

test('the queue has what waits from every thread; what one browser answers is answered in the other', {
  skip,
}, async (t) => {
  await clearOfMidnight()
  await answer('write three', { action: 'deny', word: 'Not today' })
  await answer('list files', { action: 'always', for: 'day' })
  const one = await site.visit(t)
  await say(one, 'write three')
  await card(one, 'Create docs/three.md?').waitFor()
  const two = await site.open(t, '/waiting')
  await two.emulateMedia({ colorScheme: 'dark' })
  const queued = card(two, 'Create docs/three.md?')
  await queued.getByText('From the browser').waitFor()
  await queued.getByRole('link', { name: 'write three' }).waitFor()
  assert.deepEqual(await findBarriers(two), [])
  await hearing(two)
  for (const page of [one, two]) {
    await until(async () => (await page.title()).startsWith('1 waiting · '))
    await untilEqual(() => page.locator('link[rel=icon]').getAttribute('href'), '/icon-waiting.svg')
  }
  await queued.getByRole('button', { name: 'Allow once' }).click()
  await two.getByRole('heading', { name: 'Nothing waits for you' }).waitFor()
  const today = two.getByRole('region', { name: 'Answered today' }).getByRole('listitem')
  await today.first().getByText('Allowed once by you').waitFor()
  await today.first().getByRole('link', { name: 'Create a file: docs/three.md', exact: true }).waitFor()
  await today
    .getByText(/^Allowed until (\d+ \w+( \d{4})?, \d\d:\d\d|\d\d:\d\d today) by you, (just now|\d+ min ago)$/)
    .last()
    .waitFor()
  await today.getByText(/^Denied by you, (just now|\d+ min ago)\. You said: “Not today”$/).waitFor()
  // It stands beside the queue, not across the page.
  await until(async () => {
    const [aside, middle] = [await today.first().boundingBox(), await two.locator('.page').boundingBox()]
    return aside !== null && middle !== null && aside.width < middle.width / 2
  })
  await said(one, 'The tool said: created').waitFor()
  await one.getByText('Create a file: docs/three.md. Allowed once by you').waitFor()
  await untilEqual(() => card(one, 'Create docs/three.md?').count(), 0)
})

test('a word for a request that is answered elsewhere goes to the composer of its thread', { skip }, async (t) => {
  const page = await site.visit(t)
  const word = page.getByRole('textbox', { name: 'Word to the agent' })
  for (const at of ['thread', 'queue']) {
    await page.getByRole('link', { name: 'New thread' }).click()
    await say(page, 'write six')
    const asked = card(page, 'Create docs/six.md?')
    await asked.waitFor()
    const thread = new URL(page.url()).pathname
    if (at === 'queue') await page.getByRole('link', { name: /^Waiting for you/ }).click()
    await asked.waitFor()
    await hearing(page)
    await asked.getByRole('button', { name: 'Deny…' }).click()
    await word.fill('Not there')
    const { gates } = await site.call<{ gates: { id: string; thread_id: string }[] }>('GET', '/api/gates')
    assert.equal(gates.length, 1)
    await site.call('POST', `/api${thread}/gates/${gates[0]?.id}`, { action: 'deny' })
    await page.getByText('Your word was not sent. It is in the composer of its thread.').waitFor()
    await follow(page, thread)
    await untilEqual(() => box(page).inputValue(), 'Not there')
    await box(page).fill('')
  }
})

test('a word that goes out while another window answers goes to the composer', { skip }, async (t) => {
  const page = await site.visit(t)
  await say(page, 'write six')
  const asked = card(page, 'Create docs/six.md?')
  await asked.waitFor()
  await hearing(page)
  await asked.getByRole('button', { name: 'Deny…' }).click()
  const word = page.getByRole('textbox', { name: 'Word to the agent' })
  await word.fill('Not there')
  await page.route('**/api/threads/*/gates/*', async (route) => {
    await site.call('POST', new URL(route.request().url()).pathname, { action: 'deny' })
    await asked.waitFor({ state: 'detached' })
    await route.continue()
  })
  await word.press('Enter')
  await page.getByText('Your word was not sent. It is in the composer of its thread.').waitFor()
  await untilEqual(() => box(page).inputValue(), 'Not there')
  await box(page).fill('')
})

test('of many requests the newest three are told', { skip }, async (t) => {
  const names = ['two', 'three', 'six', 'seven']
  const gates: string[] = []
  for (const name of names) {
    type Asked = { thread_id: string; gate: { id: string } }
    const { thread_id, gate } = await site.call<Asked>('POST', '/api/chat', { message: `write ${name}` })
    gates.push(`/api/threads/${thread_id}/gates/${gate.id}`)
  }
  const page = await site.visit(t, '/jobs')
  const told = page.locator('[aria-live=polite] p').filter({ hasText: 'Waiting for you' })
  await untilEqual(
    async () => (await told.allTextContents()).map((text) => /docs\/(\w+)\.md/.exec(text)?.[1]),
    names.slice(1),
  )
  for (const gate of gates) await site.call('POST', gate, { action: 'deny' })
  await untilEqual(() => told.count(), 0)
})

test('a new request is told on every page, with the thread it is in where another one is open', { skip }, async (t) => {
  const page = await site.visit(t, '/jobs')
  const told = page.locator('[aria-live=polite]').filter({ hasText: 'Waiting for you' })
  await page.getByRole('heading', { name: 'Jobs' }).waitFor()
  await untilEqual(() => told.count(), 0)
  await page.evaluate(`globalThis.added = []; new MutationObserver((records) => {
    for (const { target, addedNodes } of records) {
      if (!(target.closest ? target : target.parentElement).closest('[aria-live]')) continue
      for (const { textContent } of target.closest ? addedNodes : [target])
        if (/^Waiting|another/.test(textContent)) added.push(textContent)
    }
  }).observe(document.body, { childList: true, characterData: true, subtree: true })`)
  const asked = await site.call<{ thread_id: string; gate: { id: string } }>('POST', '/api/chat', {
    message: 'write six',
  })
  await untilEqual(() => told.allTextContents(), ['Waiting for you: Create docs/six.md?'])
  await follow(page, `/threads/${asked.thread_id}`)
  await untilEqual(() => told.allTextContents(), ['Waiting for you: Create docs/six.md?'])
  const other = await site.call<{ thread_id: string; gate: { id: string } }>('POST', '/api/chat', {
    message: 'write seven',
  })
  await untilEqual(
    () => told.locator('p').allTextContents(),
    ['Waiting for you: Create docs/six.md?', 'Waiting for you in another thread: Create docs/seven.md?'],
  )
  // Going to and fro changes nothing that is announced.
  for (const path of [`/threads/${other.thread_id}`, '/jobs']) await follow(page, path)
  await page.getByRole('heading', { name: 'Jobs' }).waitFor()
  assert.deepEqual(await page.evaluate('added'), [
    'Waiting for you: Create docs/six.md?',
    'Waiting for you in another thread: Create docs/seven.md?',
  ])
  for (const { thread_id, gate } of [asked, other]) {
    await site.call('POST', `/api/threads/${thread_id}/gates/${gate.id}`, { action: 'deny' })
  }
  await untilEqual(() => told.count(), 0)
})
