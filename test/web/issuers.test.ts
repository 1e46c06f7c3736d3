// Signing in elsewhere, in a real browser: oneself through an issuer, and a tool at its service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { serve } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { clientId, clientSecret, openIssuer } from '../issuer.ts'
import { installThings } from '../sandbox/auth/house.ts'
import { clientSecret as thingsSecret, openIssuer as openThings } from '../sandbox/auth/issuer.ts'
import { useSite } from './browser.ts'
import { noBrowser } from './launch.ts'

const skip = noBrowser()
const site = useSite({ env: { THINGS_CLIENT_SECRET: thingsSecret } })
const token = 'operator-token-of-the-issuers'

/** The pages of the test's server: a name, any password, then consent. */
async function agree(page: Page, name: string): Promise<void> {
  await page.locator('input[name=login]').fill(name)
  await page.locator('input[name=password]').fill('any')
  await page.locator('button[type=submit]').click()
  await page.locator('input[name=login]').waitFor({ state: 'detached' })
  await page.locator('button[type=submit]').click()
}

test('an issuer signs in, and leads back to the page that was asked for', { skip }, async (t) => {
  const home = newHome()
  let redirect = 'http://127.0.0.1/nowhere'
  const issuer = await openIssuer(t, () => [redirect])
  const service = await serve(home.path, {
    SERVICE_REBORN_WEBUI_TOKEN: token,
    OIDC_ISSUER: issuer.url,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
  })
  t.after(async () => {
    await service.stop()
    home.remove()
  })
  redirect = `${service.url}/api/oidc/callback`
  await issuer.rotate()
  const page = await site.open(t, '/sign-in.json', { token: null })
  await page.goto(`${service.url}/settings/sessions`)
  await page.getByRole('link', { name: `Continue with ${new URL(issuer.url).host}` }).click()
  await agree(page, 'ann')
  const sessions = page.getByRole('region', { name: 'Sessions' })
  await sessions.getByText('ann@example.com').waitFor()
  await page.waitForURL(`${service.url}/settings/sessions`)
  assert.equal(await page.getByRole('heading', { name: 'Users' }).count(), 0, 'nobody becomes the operator this way')

  await page.context().clearCookies()
  await page.context().request.post(`${service.url}/api/login`, { data: { token } })
  await page.goto(`${service.url}/settings/users`)
  const row = page.getByRole('row').filter({ hasText: 'ann@example.com' })
  await row.getByText(new URL(issuer.url).host).waitFor()
  await row
    .getByRole('cell', { name: /^(just now|\d+ min ago)$/ })
    .first()
    .waitFor()
})

test('a tool is signed in at its service in another window, and the page goes on by itself', { skip }, async (t) => {
  const things = await openThings()
  t.after(() => things.close())
  await installThings(site.home, things)
  const page = await site.open(t, '/tools?tool=things')
  const detail = page.getByRole('article', { name: 'things' })
  const row = detail.locator('.secret-row').filter({ hasText: 'things_token' })
  await row.getByText('Not set').waitFor()
  const opened = page.context().waitForEvent('page')
  await row.getByRole('button', { name: 'Sign in' }).click()
  await detail.getByText('Sign in to Things in the other window').waitFor()
  await agree(await opened, 'somebody')
  await row.getByText(/^Set /).waitFor()
  await detail.getByText('in the other window').waitFor({ state: 'detached' })
})
