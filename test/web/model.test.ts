// Choosing a model in a real browser: what is stored is used from the next turn on, and a test tells whether it answers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser, useSite } from './browser.ts'

const skip = noBrowser()
const site = useSite()

test('a model is tried, another one is chosen, a faulty choice changes nothing', { skip }, async (t) => {
  const page = await site.open(t, '/settings')
  const chosen = async () =>
    (await site.call<{ model: { provider: string; name: string } }>('GET', '/api/settings')).model
  await page.getByRole('button', { name: 'Test' }).click()
  await page.getByText('It answers').waitFor()
  await page.getByRole('combobox', { name: 'Provider' }).selectOption('openai-compatible')
  await page.getByText('It needs LLM_BASE_URL and LLM_MODEL.').waitFor()
  await page.getByRole('textbox', { name: 'Model' }).fill('local-1')
  await page.getByRole('textbox', { name: 'Base URL' }).fill('not an address')
  await page.getByRole('button', { name: 'Use this model' }).click()
  await page.getByRole('alert').filter({ hasText: 'Nothing was changed' }).waitFor()
  assert.equal((await chosen()).provider, 'offline')
  await page.getByRole('textbox', { name: 'Base URL' }).fill('http://127.0.0.1:9/v1')
  await page.getByRole('button', { name: 'Use this model' }).click()
  await page.locator('.model-in-use').getByText('local-1').waitFor()
  assert.deepEqual([(await chosen()).provider, (await chosen()).name], ['openai-compatible', 'local-1'])
  await page.getByRole('button', { name: 'Test' }).click()
  await page.getByRole('alert').filter({ hasText: 'It does not answer' }).waitFor({ timeout: 45_000 })
  await page.getByRole('combobox', { name: 'Provider' }).selectOption('offline')
  await page.getByRole('button', { name: 'Use this model' }).click()
  await page.locator('.model-in-use').getByText('offline').first().waitFor()
  assert.equal((await chosen()).provider, 'offline')
})
