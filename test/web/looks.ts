// The sizes and themes a page is looked at in, and what must hold in each.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { findBarriers } from './browser.ts'

const sizes = { phone: 375, tablet: 768, desk: 1440 } as const

const looks = Object.entries(sizes).flatMap(([size, width]) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ name: `${colorScheme} on a ${size}`, colorScheme, width })),
)

/**
 * In every size and theme: no barrier that axe-core calls serious, and nothing that sticks out at the side. `ready` brings
 * the page into the state that is looked at, once it has its size. The dark theme changes colours alone, and the colours of
 * a tablet are those of a phone and a desk: each look takes the rules that can find something new.
 */
export async function checkLooks(page: Page, ready: () => Promise<void>): Promise<void> {
  for (const { name, colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 900 })
    await ready()
    const only = colorScheme === 'dark' ? 'colours' : width === sizes.tablet ? 'structure' : 'all'
    if (!(only === 'colours' && width === sizes.tablet)) assert.deepEqual(await findBarriers(page, only), [], name)
    const wide = await page.evaluate<number>(
      '(() => { const main = document.querySelector("main"); return main.scrollWidth - main.clientWidth })()',
    )
    assert(wide <= 0, `${name}: the page is ${wide} px too wide`)
  }
}
