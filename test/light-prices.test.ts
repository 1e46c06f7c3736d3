import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import * as whole from '@pydantic/genai-prices'
import { lighten } from '../tools/light-prices.ts'

type Prices = typeof whole

test('the bundled price table gives every model the price and the window that the package gives it', async (t) => {
  const path = fileURLToPath(import.meta.resolve('@pydantic/genai-prices'))
  const folder = mkdtempSync(join(tmpdir(), 'atrium-prices-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const light = join(folder, 'prices.mjs')
  writeFileSync(light, await lighten(readFileSync(path, 'utf8')))
  const bundled = (await import(pathToFileURL(light).href)) as Prices

  const usage = { input_tokens: 300_000, output_tokens: 2_000, cache_read_tokens: 1_000, cache_write_tokens: 500 }
  const priceBy = ({ calcPrice }: Prices, model: string, providerId: string) => {
    const found = calcPrice(usage, model, { providerId, timestamp: new Date('2026-06-01T00:00:00Z') })
    return found && { price: found.total_price, model: found.model.id, window: found.model.context_window }
  }
  let priced = 0
  for (const providerId of ['anthropic', 'google', 'groq', 'mistral', 'openai', 'openrouter', 'x-ai']) {
    for (const { id } of whole.findProvider({ providerId })?.models ?? []) {
      const expected = priceBy(whole, id, providerId)
      assert.deepEqual(priceBy(bundled, id, providerId), expected, `${providerId} ${id}`)
      if (expected) priced++
    }
  }
  assert.ok(priced > 500, `${priced} models have a price`)
  const where = { providerApiUrl: 'https://api.deepseek.com/v1' }
  assert.equal(
    bundled.calcPrice(usage, 'deepseek-chat', where)?.total_price,
    whole.calcPrice(usage, 'deepseek-chat', where)?.total_price,
  )
})
