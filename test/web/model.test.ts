// Choosing a model in a real browser: what is stored is used from the next turn on, and a test tells whether it answers.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { untilEqual } from '../until.ts'
import { useSite } from './browser.ts'
import { noBrowser } from './launch.ts'

const skip = noBrowser()
const site = useSite()

test('a model is tried, another one is chosen, a faulty choice changes nothing', { skip }, async (t) => {
  const page = await site.visit(t, '/settings')
  const chosen = async () =>
    (await site.call<{ model: { provider: string; name: string; fallback: string[] } }>('GET', '/api/settings')).model
  await page.getByRole('button', { name: 'Test' }).click()
  await page.getByText('It answers').waitFor()
  await page.getByRole('combobox', { name: 'Provider' }).selectOption('openai-compatible')
  const about = /^Any server with an OpenAI-compatible API\. It needs LLM_BASE_URL and LLM_MODEL\. A key is sealed/
  await page.getByText(about).waitFor()
  await page.getByRole('textbox', { name: 'Model' }).fill('local-1')
  await page.getByRole('textbox', { name: 'Base URL' }).fill('not an address')
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('alert').filter({ hasText: 'Nothing was changed' }).waitFor()
  assert.equal((await chosen()).provider, 'offline')
  await page.getByRole('textbox', { name: 'Base URL' }).fill('http://127.0.0.1:9/v1')
  // One that does not answer replaces nothing, unless it is wanted all the same.
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  const refused = page.getByRole('alert').filter({ hasText: 'openai-compatible local-1 does not answer' })
  await refused.waitFor()
  assert.equal((await chosen()).provider, 'offline')
  await refused.getByRole('button', { name: 'Use it anyway' }).click()
  await page.locator('.model-in-use').getByText('local-1').waitFor()
  assert.deepEqual([(await chosen()).provider, (await chosen()).name], ['openai-compatible', 'local-1'])
  await page.getByRole('button', { name: 'Test' }).click()
  await page.getByRole('alert').filter({ hasText: 'It does not answer' }).waitFor()
  // The form has what is chosen, and folds; what was chosen here before is one click away.
  await site.visit(t, '/settings')
  await page.getByRole('combobox', { name: 'Provider' }).waitFor()
  await untilEqual(() => page.getByRole('combobox', { name: 'Provider' }).inputValue(), 'openai-compatible')
  await untilEqual(() => page.getByRole('textbox', { name: 'Model' }).inputValue(), 'local-1')
  await page.getByRole('button', { name: 'Connect another' }).click()
  await page.getByRole('combobox', { name: 'Provider' }).waitFor({ state: 'detached' })
  const list = page.getByRole('radiogroup', { name: 'Models' })
  await list.getByText('price unknown').waitFor()
  await site.call('PATCH', '/api/settings', { fallback: 'ollama/qwen3, ollama/other' })
  await site.visit(t, '/settings')
  // Until the page has read the settings anew, its row stands further below.
  await list.getByRole('radio', { name: /^qwen3.*Fallback/ }).click()
  await page.getByRole('button', { name: 'Use it anyway' }).click()
  await page.locator('.model-in-use').getByText('qwen3').waitFor()
  assert.deepEqual((await chosen()).fallback, ['ollama/other'])
  // A server of one's own is chosen again by one click, and forgotten by another.
  const own = list.getByRole('radio', { name: /^local-1.* at 127\.0\.0\.1:9\/v1/ })
  await own.click()
  await page.getByRole('button', { name: 'Use it anyway' }).click()
  await page.locator('.model-in-use').getByText('local-1').waitFor()
  assert.equal((await chosen()).provider, 'openai-compatible')
  await list.getByRole('radio', { name: /^offline/ }).check()
  await page.locator('.model-in-use').getByText('offline').first().waitFor()
  assert.equal((await chosen()).provider, 'offline')
  await list.getByRole('button', { name: 'Forget local-1' }).click()
  await own.waitFor({ state: 'detached' })
  assert.equal((await chosen()).provider, 'offline')
})

test('the first screen chooses no provider for somebody who has not', { skip }, async (t) => {
  await site.call('PATCH', '/api/settings', { provider: null })
  const page = await site.visit(t)
  await page.getByRole('button', { name: 'Connect a model' }).click()
  const provider = page.getByRole('combobox', { name: 'Provider' })
  await provider.waitFor()
  assert.equal(await provider.inputValue(), '')
  assert.equal(await page.getByRole('textbox', { name: 'Model' }).inputValue(), '')
  const connect = page.getByRole('button', { name: 'Connect', exact: true })
  assert.equal(await connect.isDisabled(), true)
  await provider.selectOption('openai-compatible')
  await page.getByText('It needs LLM_BASE_URL and LLM_MODEL.').waitFor()
  await untilEqual(() => connect.isDisabled(), false)
  await untilEqual(() => provider.getByRole('option', { name: 'Choose a provider' }).count(), 0)
})

/** A server of models: one that is refused, one that answers. */
async function openModels(t: TestContext): Promise<string> {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part: Buffer) => (body += String(part)))
    request.on('end', () => {
      if (!body.includes('good-1')) return response.writeHead(401).end('{"error":{"message":"no such key"}}')
      const piece = { choices: [{ index: 0, delta: { content: 'Here I am.' }, finish_reason: 'stop' }] }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return response.end(`data: ${JSON.stringify(piece)}\n\ndata: [DONE]\n\n`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

test('where the model fails, its fallback is a click away', { skip }, async (t) => {
  const base_url = await openModels(t)
  const fallback = `openai-compatible/good-1@${base_url}`
  await site.call('PATCH', '/api/settings', {
    provider: 'openai-compatible',
    model: 'bad-1',
    base_url,
    fallback,
    force: true,
  })
  const page = await site.visit(t)
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Who is there?')
  await page.keyboard.press('Enter')
  const note = page.getByRole('alert').filter({ hasText: 'The model refused the key' })
  const panel = page.getByRole('complementary', { name: 'Receipt' })
  await page.getByRole('button', { name: /^Receipt: 1 host/ }).click()
  await panel.getByText(new URL(base_url).host).waitFor()
  await panel.getByText('No answer').waitFor()
  await panel.getByRole('button', { name: 'Close' }).click()
  await note.getByRole('button', { name: 'Use good-1 instead' }).click()
  await page.getByRole('log').getByText('Here I am.').waitFor()
  // The host of the model was told something too.
  await page.getByRole('button', { name: /^Receipt: 1 host/ }).click()
  await panel.getByText(new URL(base_url).host).waitFor()
  await panel.getByText('1 POST').waitFor()
  await page.getByRole('link', { name: 'good-1' }).waitFor()
  const { model } = await site.call<{ model: { name: string; fallback: string[] } }>('GET', '/api/settings')
  assert.deepEqual([model.name, model.fallback], ['good-1', []])
})
