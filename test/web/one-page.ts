// One page for the tests of a file, one after the other: a load of the app takes more time than most of what a test does.
import { after, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { follow, type Site, useSite } from './browser.ts'

type OnePage = {
  readonly site: Site
  /**
   * The operator's page at an address. The first call loads the app, later ones go there as a link does: what the page has
   * read so far is there, as for somebody who comes back to it. Whatever the test before has opened is left.
   */
  readonly visit: (t: TestContext, path?: string) => Promise<Page>
}

/** Starts a service before the tests of a file, and leaves the page and the service after them. */
export function useOnePage(options?: Parameters<typeof useSite>[0]): OnePage {
  let page: Page | undefined
  const ends: (() => unknown)[] = []
  const leave = async (): Promise<void> => {
    page = undefined
    for (const end of ends.splice(0)) await end()
  }
  /** As a test that ends when the page is left. */
  const untilLeft = { after: (end: () => unknown) => void ends.push(end) } as TestContext
  // Before the service ends, which the page would notice.
  after(leave)
  const site = useSite(options)
  return {
    site,
    async visit(t, path = '/') {
      // A test that failed may leave anything behind.
      t.after(() => (t.passed ? undefined : leave()))
      if (page) await goOn(page, path)
      else page = await site.open(untilLeft, path)
      return page
    },
  }
}

/** Leaves what is shown, so that it is drawn and read anew even at the same address. */
async function goOn(page: Page, path: string): Promise<void> {
  const context = page.context()
  for (const event of ['request', 'response', 'dialog'] as const) page.removeAllListeners(event)
  await Promise.all([page, context].map((each) => each.unrouteAll({ behavior: 'ignoreErrors' })))
  const others = context.pages().filter((each) => each !== page)
  await Promise.all(others.map((each) => each.close()))
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.mouse.move(0, 0)
  // Ends the notice at the lower edge.
  await page.evaluate(`dispatchEvent(new Event('pagehide'))`)
  await follow(page, '/no-such-page')
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
  await follow(page, path)
}
