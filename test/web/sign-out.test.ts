// Signing out in a real browser: nothing of the user stays in it.
import { test } from 'node:test'
import { until, untilEqual } from '../until.ts'
import { follow, useSite } from './browser.ts'
import { box } from './chat-page.ts'
import { noBrowser } from './launch.ts'

const skip = noBrowser('whole')
const site = useSite({
  script: { loop: true, replies: [{ calls: [{ name: 'workspace_write', args: { path: 'a.md', content: 'a' } }] }] },
  browser: 'whole',
})

test('signing out leaves no drafts, notifications or marks of the user in the browser', { skip }, async (t) => {
  await site.call('POST', '/api/chat', { message: 'write' })
  const page = await site.open(t, '/', { permissions: ['notifications'] })
  await box(page).fill('a secret draft')
  const stored = () => page.evaluate<string>('JSON.stringify(localStorage)')
  await until(async () => (await stored()).includes('a secret draft'))
  const icon = page.locator('link[rel=icon]')
  await until(async () => (await icon.getAttribute('href')) === '/icon-waiting.svg')
  await page.evaluate(`navigator.serviceWorker.register('/service-worker.js').then(() => navigator.serviceWorker.ready)
    .then((ready) => ready.showNotification('a secret title'))`)
  const shown = () =>
    page.evaluate<number>(`navigator.serviceWorker.ready.then((ready) => ready.getNotifications())
      .then((all) => all.length)`)
  await until(async () => (await shown()) === 1)
  await follow(page, '/settings/sessions')
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByRole('heading', { name: 'Sign in to Atrium' }).waitFor()
  await until(async () => !/secret|draft|seen/.test(await stored()))
  await untilEqual(shown, 0)
  await untilEqual(() => icon.getAttribute('href'), '/icon.svg')
})

test('signing out in one window ends the other windows alike: no draft is left, and none is said to be kept', {
  skip,
}, async (t) => {
  const page = await site.open(t)
  const other = await page.context().newPage()
  await other.goto(site.url)
  await box(other).fill('half a thought')
  await follow(page, '/settings/sessions')
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await other.getByRole('heading', { name: 'Sign in to Atrium' }).waitFor()
  await untilEqual(() => other.getByText('Your draft is kept').count(), 0)
  await other.getByRole('textbox', { name: 'Access token' }).fill(site.token)
  await other.keyboard.press('Enter')
  await box(other).waitFor()
  await untilEqual(() => box(other).inputValue(), '')
})

test('a new user with the name of a removed one finds nothing of that one in the browser', { skip }, async (t) => {
  const add = async () => (await site.call<{ token: string }>('POST', '/api/users', { name: 'ada' })).token
  const page = await site.open(t, '/', { token: await add() })
  await box(page).fill('half a thought')
  await site.call('DELETE', '/api/users/ada')
  const token = page.getByRole('textbox', { name: 'Access token' })
  await token.fill(await add())
  await page.keyboard.press('Enter')
  await token.waitFor({ state: 'detached' })
  await box(page).waitFor()
  await untilEqual(() => box(page).inputValue(), '')
})
