// The sizes and themes a page is looked at in, and what must hold in each.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { findBarriers } from './barriers.ts'

const sizes = { phone: 375, tablet: 768, desk: 1440 } as const

type Look = {
  readonly size: keyof typeof sizes
  readonly colorScheme: 'light' | 'dark'
  readonly rules: 'all' | 'colours' | 'structure'
}

/** Every size, and each theme once: a theme changes colours alone, and the colours of a size are those of the others. */
const looks: readonly Look[] = [
  { size: 'phone', colorScheme: 'light', rules: 'all' },
  { size: 'tablet', colorScheme: 'light', rules: 'structure' },
  { size: 'desk', colorScheme: 'dark', rules: 'all' },
]
/** For the frame that all pages have, and for pages that hide something by width: what only one size shows, in both themes. */
const framed: readonly Look[] = [
  ...looks,
  { size: 'phone', colorScheme: 'dark', rules: 'colours' },
  { size: 'desk', colorScheme: 'light', rules: 'colours' },
]

/**
 * In every size, and in both themes: no barrier that axe-core calls serious, and nothing that sticks out at the side.
 * `ready` brings the page into the state that is looked at, once it has its size.
 */
export async function checkLooks(page: Page, ready: () => Promise<void>, { frame = false } = {}): Promise<void> {
  for (const { size, colorScheme, rules } of frame ? framed : looks) {
    const name = `${colorScheme} on a ${size}`
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width: sizes[size], height: 900 })
    await ready()
    assert.deepEqual(await findBarriers(page, rules), [], name)
    const wide = await page.evaluate<number>(
      '(() => { const main = document.querySelector("main"); return main.scrollWidth - main.clientWidth })()',
    )
    assert(wide <= 0, `${name}: the page is ${wide} px too wide`)
  }
}
