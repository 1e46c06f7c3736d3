// The page Jobs in a real browser: live status, filters, stop, and every state it can be in.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { untilEqual } from '../until.ts'
import { findBarriers } from './barriers.ts'
import { follow, useSite } from './browser.ts'
import { noBrowser } from './launch.ts'
import { corpus, guard } from './corpus.ts'
import { checkLooks } from './looks.ts'

const skip = noBrowser()
const site = useSite({
  script: {
    replies: [
      { when: 'slow', text: 'Working on it.', delayMs: 600_000 },
      { when: 'broken', error: { code: 'model_refused', message: '<b>no</b> such model' } },
      { when: 'write', calls: [{ name: 'workspace_write', args: { path: 'a.txt', content: 'hello' } }] },
      { text: 'Done: {{input}}' },
    ],
  },
  env: { HTTP_WEBHOOK_SECRET: 'secret-of-the-webhook' },
})

const send = (message: string, token?: string) =>
  site.call<{ turn_id: string; thread_id: string }>('POST', '/api/chat/send', { message }, token)
const rowOf = (page: Page, title: string) => page.getByRole('row').filter({ hasText: title })
const newUser = async (name: string) => (await site.call<{ token: string }>('POST', '/api/users', { name })).token

test('a job shows how it stands as that changes, and Stop ends it', { skip }, async (t) => {
  const page = await site.visit(t, '/jobs')
  await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor()
  await send('slow work')
  const row = rowOf(page, 'slow work')
  await row.getByText('Running').waitFor()
  await row.getByRole('button', { name: 'Stop slow work', exact: true }).click()
  await row.getByText('Stopped').waitFor()
  await untilEqual(() => row.getByRole('button').count(), 0)
  const [job] = (await site.call<{ jobs: { status: string }[] }>('GET', '/api/jobs')).jobs
  assert.equal(job?.status, 'cancelled')
})

test('what waits stands first and leads to its thread; what failed tells why', { skip }, async (t) => {
  const { thread_id } = await send('write the fix')
  await send('broken wish')
  await send('plain wish')
  const page = await site.visit(t, '/jobs')
  await rowOf(page, 'broken wish').getByText('Failed').waitFor()
  await rowOf(page, 'broken wish').getByText('<b>no</b> such model.').waitFor()
  await rowOf(page, 'plain wish').getByText('Completed').waitFor()
  const waiting = page.getByRole('row').nth(1)
  await waiting.getByText('Waiting for you').waitFor()
  await waiting.getByRole('link', { name: 'Review write the fix', exact: true }).waitFor()
  // The keyboard goes from the search box through the rows.
  const links = page.locator('.row-link')
  const isFocused = (at: number) =>
    untilEqual(() => links.nth(at).evaluate((node) => node === node.ownerDocument.activeElement), true)
  await page.getByRole('searchbox', { name: 'Search jobs' }).press('ArrowDown')
  await isFocused(0)
  await page.keyboard.press('End')
  await isFocused((await links.count()) - 1)
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowDown')
  await isFocused(1)
  await rowOf(page, 'write the fix').getByRole('link', { name: 'Review' }).click()
  await page.waitForURL(`**/threads/${thread_id}`)
})

/** A job of the webhook channel, which the operator sees. */
async function sendAs(user_id: string, message: string): Promise<void> {
  const { doors } = await site.call<{ doors: { name: string; address: string }[] }>('GET', '/api/status')
  const address = doors.find(({ name }) => name === 'webhook')?.address ?? ''
  const headers = { 'content-type': 'application/json', 'x-webhook-secret': 'secret-of-the-webhook' }
  const sent = await fetch(`${address}/webhook`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ user_id, message }),
  })
  assert(sent.ok, await sent.text())
}

test('Jobs have no barrier, in any size and theme', { skip }, async (t) => {
  await send('write something else')
  // With a job of somebody else there is a box of users.
  await sendAs('nadia', 'seen in all sizes')
  const page = await site.visit(t, '/jobs')
  const ready = async (): Promise<void> => {
    await rowOf(page, 'write something else').waitFor()
    for (const status of ['Stopped', 'Failed', 'Waiting for you']) {
      await page.getByRole('row').filter({ hasText: status }).first().waitFor()
    }
    await page.locator('main').getByLabel('User').waitFor({ state: 'attached' })
  }
  await checkLooks(page, ready, { frame: true })
})

test('the operator sees the jobs of one user, however far back they are', { skip }, async (t) => {
  await sendAs('ci-bot', 'flaky checkout test')
  await sendAs('nadia', 'bump the base image')
  for (let at = 1; at <= 22; at++) await send(`later ${at}`)
  const page = await site.visit(t, '/jobs')
  await rowOf(page, 'later 22').waitFor()
  await rowOf(page, 'flaky checkout test').waitFor({ state: 'detached' })
  const users = page.getByRole('combobox', { name: 'User' })
  await users.selectOption({ label: 'User: ci-bot' })
  await rowOf(page, 'flaky checkout test').getByText('ci-bot').waitFor()
  await page.getByText('1 job', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Failed' }).click()
  await page.getByRole('heading', { name: 'No jobs of this user' }).waitFor()
  await page.getByRole('button', { name: 'Clear search' }).last().click()
  await untilEqual(() => users.inputValue(), 'all')
})

test('jobs are found by status, by door and by words; the address keeps the status', { skip }, async (t) => {
  await send('broken again')
  await send('tidy the attic')
  const page = await site.visit(t, '/jobs')
  await rowOf(page, 'tidy the attic').waitFor()
  await page.getByRole('button', { name: 'Failed' }).click()
  await rowOf(page, 'tidy the attic').waitFor({ state: 'detached' })
  await rowOf(page, 'broken again').waitFor()
  await page.reload()
  await rowOf(page, 'broken again').waitFor()
  await untilEqual(() => page.getByRole('button', { name: 'Failed' }).getAttribute('aria-pressed'), 'true')
  await page.getByRole('button', { name: 'All' }).click()
  await page.getByRole('searchbox', { name: 'Search jobs' }).fill('ATTIC')
  await page.getByText('1 found').waitFor()
  await page.getByRole('combobox', { name: 'Door' }).selectOption({ label: 'Door: Webhook' })
  await page.getByRole('heading', { name: 'Nothing about “ATTIC”' }).waitFor()
  await page.getByRole('button', { name: 'Clear search' }).last().click()
  await page.getByRole('combobox', { name: 'User' }).selectOption({ label: 'User: you' })
  await rowOf(page, 'broken again').waitFor()
  await page.getByRole('combobox', { name: 'User' }).selectOption({ label: 'User: all' })
  await page.setViewportSize({ width: 375, height: 812 })
  await page.getByRole('combobox', { name: 'Door' }).waitFor({ state: 'hidden' })
})

test('a slow answer shows a skeleton; who has no jobs is told what would be here; of many, twenty more are shown', {
  skip,
}, async (t) => {
  const token = await newUser('busy')
  const page = await site.open(t, '/waiting', { token })
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  await page.route('**/api/jobs?*', (route) => answered.then(() => route.continue()))
  await follow(page, '/jobs')
  await page.getByRole('searchbox', { name: 'Search jobs' }).waitFor()
  await page.getByRole('status').filter({ hasText: 'Loading' }).waitFor()
  answer()
  await page.getByRole('heading', { name: 'No jobs yet' }).waitFor()
  await page.getByRole('link', { name: 'Start a thread' }).click()
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  for (let at = 1; at <= 25; at++) await send(`errand ${at}`, token)
  await follow(page, '/jobs')
  await rowOf(page, 'errand 25').waitFor()
  await untilEqual(() => page.getByText('errand 1', { exact: true }).and(page.locator('.row-link')).count(), 0)
  await page.getByText('20 of 25').waitFor()
  assert.deepEqual(await findBarriers(page), [])
  await untilEqual(() => page.getByRole('combobox', { name: 'User' }).count(), 0)
  await page.getByRole('button', { name: 'Show 20 more' }).click()
  await page.locator('.row-link', { hasText: /^errand 1$/ }).waitFor()
  await page.getByText('25 jobs').waitFor()
})

test('jobs that cannot be read say so and keep what was there', { skip }, async (t) => {
  await send('kept on the page')
  const page = await site.visit(t, '/jobs')
  await rowOf(page, 'kept on the page').waitFor()
  await page.route('**/api/jobs?*', (route) => route.abort())
  await page.getByRole('button', { name: 'Completed' }).click()
  const alert = page.getByRole('alert').filter({ hasText: 'The jobs could not be read' })
  await alert.getByText('What you see is from before.').waitFor()
  await rowOf(page, 'kept on the page').waitFor()
  await page.unroute('**/api/jobs?*')
  // It tries again by itself; the button is for those who will not wait.
  await alert.waitFor({ state: 'detached' })
})

test('words of others stay words: titles and faults', { skip }, async (t) => {
  const page = await site.visit(t, '/waiting')
  const watch = guard(page)
  for (const text of corpus) await send(text)
  await follow(page, '/jobs')
  await rowOf(page, '<script>window.hit = 1</script>').first().waitFor()
  await rowOf(page, '<img src=x onerror="window.hit = 2">').first().waitFor()
  await watch.check()
})

test('with the keyboard alone a job is found, opened and stopped', { skip }, async (t) => {
  await send('slow lane')
  const page = await site.visit(t, '/jobs')
  await rowOf(page, 'slow lane').getByText('Running').waitFor()
  await page.getByRole('searchbox', { name: 'Search jobs' }).focus()
  await page.keyboard.type('slow lane')
  await page.getByText('1 found').waitFor()
  for (let at = 0; at < 20; at++) {
    await page.keyboard.press('Tab')
    if ((await page.evaluate('document.activeElement.textContent')) === 'Stop slow lane') break
  }
  await page.keyboard.press('Enter')
  await rowOf(page, 'slow lane').getByText('Stopped').waitFor()
})
