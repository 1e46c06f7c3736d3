// Forced colours (high contrast) in a real browser: what has only a colour to tell something keeps it, and drawings take
// the colours of the system, whatever theme was chosen.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useSite } from './browser.ts'
import { openPalette, say } from './chat-page.ts'
import { noBrowser } from './launch.ts'

const skip = noBrowser()
const site = useSite({
  script: {
    loop: true,
    replies: [{ when: 'wait', text: ['It begins.', 'It ends.'], chunkDelayMs: 600_000 }, { text: 'Hi' }],
  },
})
const forced = { forcedColors: 'active', colorScheme: 'dark' } as const
const styleOf = (selector: string, property: string) =>
  `getComputedStyle(document.querySelector(${JSON.stringify(selector)})).getPropertyValue('${property}')`

test('the chart and its legend, switches and spinners are told apart', { skip }, async (t) => {
  await site.call('POST', '/api/chat', { message: 'hello' })
  const page = await site.open(t, '/activity', forced)
  const read = (selector: string, property: string) => page.evaluate<string>(styleOf(selector, property))
  await page.evaluate('document.documentElement.dataset.theme = "light"')
  await page.locator('.chart text').first().waitFor()
  const [ink, paper] = [await read('body', 'color'), await read('body', 'background-color')]
  assert.notEqual(ink, paper)
  assert.equal(await read('.chart text', 'fill'), ink)
  assert.notEqual(await read('.legend-sign', 'background-color'), paper)
  await page.goto(`${site.url}/tools`)
  await page.locator('.switch-track').first().waitFor()
  assert.equal(await read('.switch-knob', 'background-color'), paper)
  assert.notEqual(await read('.switch-track', 'background-color'), paper)
  await page.goto(site.url)
  await say(page, 'wait')
  await page.locator('.spinner').first().waitFor()
  assert.notEqual(await read('.spinner', 'border-top-color'), await read('.spinner', 'border-bottom-color'))
  await openPalette(page)
  await page.getByRole('option', { selected: true }).waitFor()
  assert.equal(await read('[aria-selected=true]', 'outline-style'), 'solid')
})
