// Users and their tokens in the settings, in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until, untilEqual } from '../until.ts'
import { follow, useSite } from './browser.ts'
import { noBrowser } from './launch.ts'

const skip = noBrowser()
const site = useSite()
const newUser = async (name: string) => (await site.call<{ token: string }>('POST', '/api/users', { name })).token

test('a user is added, its token shown once and revoked, and removed after a second word', { skip }, async (t) => {
  const page = await site.visit(t, '/settings/users')
  await page.getByRole('button', { name: 'Add user' }).click()
  const name = page.getByRole('textbox', { name: 'Name' })
  await name.fill('no/slashes')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').filter({ hasText: 'letters, digits' }).waitFor()
  await untilEqual(() => name.getAttribute('aria-invalid'), 'true')
  await name.fill('billing')
  await page.getByRole('combobox', { name: 'The token expires' }).selectOption({ label: 'In 90 days' })
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('Token for billing. It is shown only now.').waitFor()
  const token = (await page.locator('.token').textContent()) ?? ''
  assert.equal((await site.call<{ user: string }>('GET', '/api/session', undefined, token)).user, 'billing')
  await site.visit(t, '/settings/users')
  const row = page
    .getByRole('table', { name: 'Users' })
    .getByRole('row')
    .filter({ has: page.locator('.user-name', { hasText: 'billing' }) })
  await row.getByRole('cell', { name: /^in (89|90|91) days$/ }).waitFor()
  assert.equal((await page.content()).includes(token), false)
  await row.getByRole('button', { name: 'Revoke' }).click()
  await page
    .getByRole('dialog', { name: 'Revoke the access of billing?' })
    .getByRole('button', { name: 'Revoke' })
    .click()
  await row.getByRole('cell', { name: 'no token' }).waitFor()
  await assert.rejects(site.call('GET', '/api/session', undefined, token), /401/)
  await row.getByRole('button', { name: 'billing', exact: true }).click()
  const remove = page.getByRole('list', { name: 'Tokens of billing' }).getByRole('button', { name: 'Remove' })
  await remove.click()
  const dialog = page.getByRole('dialog', { name: 'Remove billing?' })
  await dialog.getByText('This cannot be undone.').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  await remove.click()
  await dialog.getByRole('button', { name: 'Remove billing' }).click()
  await row.waitFor({ state: 'detached' })
})

test('Esc closes the form for a new user and leads back to its button', { skip }, async (t) => {
  const page = await site.visit(t, '/settings/users')
  const opener = page.getByRole('button', { name: 'Add user' })
  await opener.press('Enter')
  const name = page.getByRole('textbox', { name: 'Name' })
  await name.press('Escape')
  await name.waitFor({ state: 'detached' })
  await until(() => opener.evaluate((node) => node === node.ownerDocument.activeElement))
})

test('a user has as many tokens as are wanted, and each is revoked alone', { skip }, async (t) => {
  const first = await newUser('two keys')
  const page = await site.visit(t, '/settings/users')
  await page.getByRole('button', { name: 'two keys', exact: true }).click()
  const list = page.getByRole('list', { name: 'Tokens of two keys' })
  await list.getByText('never expires').waitFor()
  await list.getByRole('button', { name: 'New token' }).click()
  await page.getByText('Token for two keys. It is shown only now.').waitFor()
  const second = (await page.locator('.token').textContent()) ?? ''
  assert.equal((await site.call<{ user: string }>('GET', '/api/session', undefined, second)).user, 'two keys')
  const revoke = list.getByRole('button', { name: 'Revoke' })
  await until(async () => (await revoke.count()) === 2)
  await revoke.first().click()
  await until(async () => (await revoke.count()) === 1)
  const alive = await Promise.all(
    [first, second].map((token) =>
      site.call('GET', '/api/session', undefined, token).then(
        () => 1,
        () => 0,
      ),
    ),
  )
  assert.equal(alive.filter(Boolean).length, 1)
})

test('a user who is no operator sees their own settings alone, and signs out of every browser', { skip }, async (t) => {
  const token = await newUser('two browsers')
  const one = await site.open(t, '/settings/sessions', { token })
  await one.getByRole('heading', { name: 'Grants', exact: true }).waitFor()
  await one.getByRole('heading', { name: 'Sessions' }).waitFor()
  for (const name of ['Model', 'Limits', 'Policy', 'Users']) {
    await untilEqual(() => one.getByRole('heading', { name }).count(), 0)
  }
  await one.getByRole('link', { name: 'New thread' }).first().click()
  await one.locator('.composer-model').waitFor()
  // Their settings have no model to change: its name leads nowhere.
  await untilEqual(() => one.locator('a.composer-model').count(), 0)
  await follow(one, '/settings/sessions')
  const other = await site.open(t, '/jobs', { token })
  await other.getByRole('heading', { name: 'No jobs yet' }).waitFor()
  await one.getByRole('button', { name: 'Sign out everywhere' }).click()
  await one.getByRole('heading', { name: 'Sign in to Atrium' }).waitFor()
  await other.getByRole('heading', { name: 'You are signed out' }).waitFor()
})
