// Signing in, in a real browser: by link, by token, wrongly, and after the session has ended.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atrium } from '../atrium.ts'
import { untilEqual } from '../until.ts'
import { useSite } from './browser.ts'
import { noBrowser } from './launch.ts'
import { checkLooks } from './looks.ts'

const skip = noBrowser()
const site = useSite()

test('any address leads to sign-in first, and then to itself; a wrong token is told in words, below its field', {
  skip,
}, async (t) => {
  const page = await site.open(t, '/waiting', { token: null })
  await page.getByRole('heading', { name: 'Sign in to Atrium' }).waitFor()
  const field = page.getByRole('textbox', { name: 'Access token' })
  await checkLooks(page, () => field.waitFor())
  await field.fill('nonsense')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').filter({ hasText: 'This token is not known here.' }).waitFor()
  await untilEqual(() => field.getAttribute('aria-invalid'), 'true')
  await field.fill(site.token)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Waiting for you' }).waitFor()
  await page.waitForURL((url) => url.pathname === '/waiting')
})

test('the link of the start signs in once, also in a tab that is at sign-in already; its code leaves the address', {
  skip,
}, async (t) => {
  const link = /http:\S+\/login#code=\S+/.exec((await atrium(site.home, ['login'])).stdout)?.[0] ?? ''
  assert.notEqual(link, '')
  const path = link.slice(link.indexOf('/login'))
  const page = await site.open(t, '/login', { token: null })
  await page.getByRole('textbox', { name: 'Access token' }).waitFor()
  await page.goto(site.url + path)
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  await page.waitForURL((url) => url.pathname === '/' && !url.href.includes('code='))
  await page.context().clearCookies()
  await page.goto(site.url + path)
  await page.getByRole('alert').filter({ hasText: 'This link was used already' }).waitFor()
  await page.waitForURL((url) => !url.href.includes('code='))
})

test('when the session has ended the page says so, and the draft is still there afterwards', { skip }, async (t) => {
  const page = await site.visit(t)
  const message = page.getByRole('textbox', { name: 'Message' })
  await message.fill('half a thought')
  await page.context().clearCookies()
  // Unless the page has noticed by itself; several requests are refused at once then, and it is told once.
  await page.evaluate(`document.querySelector('a[href="/waiting"]')?.click()`)
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
  await page.getByText('Your draft is kept.').waitFor()
  await page.getByRole('textbox', { name: 'Access token' }).fill(site.token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('link', { name: 'New thread' }).click()
  await message.waitFor()
  await untilEqual(() => message.inputValue(), 'half a thought')
  await message.fill('')
})

test('the windows of a browser are always of the same user, who may be another one than before', {
  skip,
}, async (t) => {
  await site.call('POST', '/api/chat', { message: 'of the operator' })
  const { token } = await site.call<{ token: string }>('POST', '/api/users', { name: 'nadia' })
  const page = await site.open(t, '/', { token: null })
  const other = await page.context().newPage()
  await other.goto(site.url)
  const signIn = async (as: string): Promise<void> => {
    await other.getByRole('textbox', { name: 'Access token' }).fill(as)
    await other.keyboard.press('Enter')
  }
  await page.getByRole('heading', { name: 'Sign in to Atrium' }).waitFor()
  await signIn(site.token)
  const thread = page.getByRole('link', { name: 'of the operator' })
  await thread.waitFor()
  // As if that window had been left at sign-in.
  await other.context().request.post(`${site.url}/api/login`, { data: { token } })
  await other.reload()
  await thread.waitFor({ state: 'detached' })
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  await untilEqual(() => thread.count(), 0)
})

test('the first page has no barrier, in any size and theme', { skip }, async (t) => {
  const page = await site.visit(t)
  await checkLooks(page, () => page.getByRole('textbox', { name: 'Message' }).waitFor())
})
