// Forced colours (high contrast) in a real browser: what has only a colour to tell something keeps it, and drawings take
// the colours of the system, whatever theme was chosen.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { follow, useSite } from './browser.ts'
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

test('the chart and its legend, switches and spinners are told apart', { skip }, async (t) => {
  await site.call('POST', '/api/chat', { message: 'hello' })
  const page = await site.visit(t, '/activity')
  await page.emulateMedia(forced)
  /** Of one that is there now: a spinner may give way to another one. */
  const read = (selector: string, ...properties: string[]): Promise<string[]> =>
    page
      .locator(selector)
      .first()
      .evaluate((node, names) => {
        const style = node.ownerDocument.defaultView.getComputedStyle(node)
        return names.map((name) => style.getPropertyValue(name))
      }, properties)
  await page.evaluate('document.documentElement.dataset.theme = "light"')
  await page.locator('.chart text').first().waitFor()
  const [ink, paper] = await read('body', 'color', 'background-color')
  assert.notEqual(ink, paper)
  assert.deepEqual(await read('.chart text', 'fill'), [ink])
  assert.notDeepEqual(await read('.legend-sign', 'background-color'), [paper])
  await page.goto(`${site.url}/tools`)
  await page.locator('.switch-track').first().waitFor()
  assert.deepEqual(await read('.switch-knob', 'background-color'), [paper])
  assert.notDeepEqual(await read('.switch-track', 'background-color'), [paper])
  await page.goto(site.url)
  await say(page, 'wait')
  await page.locator('.spinner').first().waitFor()
  const [top, bottom] = await read('.spinner', 'border-top-color', 'border-bottom-color')
  assert.notEqual(top, bottom)
  await openPalette(page)
  await page.getByRole('option', { selected: true }).waitFor()
  assert.deepEqual(await read('[aria-selected=true]', 'outline-style'), ['solid'])
})

test('a switch has no second border, and a Send that does nothing yet is not filled', { skip }, async (t) => {
  const page = await site.visit(t, '/tools')
  await page.emulateMedia(forced)
  const read = (selector: string, property: string): Promise<string> =>
    page
      .locator(selector)
      .first()
      .evaluate((node, name) => node.ownerDocument.defaultView.getComputedStyle(node).getPropertyValue(name), property)
  await page.locator('.switch-track').first().waitFor()
  assert.equal(await read('.switch', 'border-top-width'), '0px')
  await follow(page, '/')
  await page.getByRole('button', { name: 'Send', disabled: true }).waitFor()
  assert.equal(await read('.send', 'background-color'), await read('body', 'background-color'))
})

test('the label of a primary button can be read', { skip }, async (t) => {
  const page = await site.open(t, '/login', { token: null, ...forced })
  const button = page.getByRole('button', { name: 'Sign in', exact: true })
  const seen = await button.screenshot()
  await button.evaluate((node) => node.style.setProperty('-webkit-text-fill-color', 'transparent'))
  assert(!seen.equals(await button.screenshot()), 'it looks the same without its letters')
})
