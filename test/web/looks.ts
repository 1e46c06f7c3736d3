// The sizes and themes a page is looked at in, and what must hold in each.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { findBarriers } from './browser.ts'

const sizes = { phone: 375, tablet: 768, desk: 1440 } as const

/** Names for tests, and the options of the browser. */
export const looks = (['light', 'dark'] as const).flatMap((colorScheme) =>
  Object.entries(sizes).map(([size, width]) => ({
    name: `${colorScheme} on a ${size}`,
    options: { colorScheme, viewport: { width, height: 900 } },
  })),
)

/** No barrier that axe-core calls serious, and nothing that sticks out at the side. */
export async function checkLook(page: Page): Promise<void> {
  assert.deepEqual(await findBarriers(page), [])
  const wide = await page.evaluate<number>(
    '(() => { const main = document.querySelector("main"); return main.scrollWidth - main.clientWidth })()',
  )
  assert(wide <= 0, `the page is ${wide} px too wide`)
}
