// Pages that a test has left, for the next one: a new window takes as much time as the page that is opened in it.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { patienceMs } from '../until.ts'

/** What a page has unless a test asks for something else. What moves is drawn sixty times a second for nobody. */
const usual = { viewport: { width: 1440, height: 900 }, colorScheme: 'light', reducedMotion: 'reduce' } as const
/** The same, asked in the page. */
const hasUsualMedia = `['screen', '(prefers-color-scheme: light)', '(prefers-reduced-motion: reduce)', '(forced-colors: none)'].every(
  (each) => matchMedia(each).matches,
)`
/** The events of a page that tests listen to. */
const heard = ['console', 'dialog', 'pageerror', 'request', 'response', 'websocket'] as const

const left: Page[] = []

/** A page that was left, or a new one; one with options is always new, in a context of its own. */
export async function takePage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const at = Object.keys(options).length > 0 ? -1 : left.findLastIndex((page) => page.context().browser() === browser)
  const [again] = at < 0 ? [] : left.splice(at, 1)
  if (again) return again
  const context = await browser.newContext({ ...usual, ...options })
  context.setDefaultTimeout(patienceMs)
  return context.newPage()
}

/** Leaves a page as a new one would be: no document, no storage, no listener. A page with options of its own is closed. */
export async function leavePage(page: Page, { again, home }: { again: boolean; home: string }): Promise<void> {
  const context = page.context()
  try {
    if (!again || page.isClosed()) throw new Error('it is not used again')
    await clearPage(page)
    const origins = new Set([home, new URL(page.url()).origin])
    await page.evaluate('sessionStorage.clear()')
    await page.goto('about:blank')
    const session = await context.newCDPSession(page)
    for (const origin of origins) await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
    await session.detach()
    await context.clearCookies()
    await showAsUsual(page)
    left.push(page)
  } catch {
    await context.close()
  }
}

/** Makes a page ready for the next test with the app in it: no listener, no other window, its usual size and media. */
export async function resetPage(page: Page): Promise<void> {
  await clearPage(page)
  await showAsUsual(page)
}

async function clearPage(page: Page): Promise<void> {
  const context = page.context()
  for (const event of heard) page.removeAllListeners(event)
  await Promise.all([page, context].map((each) => each.unrouteAll({ behavior: 'ignoreErrors' })))
  const others = context.pages().filter((each) => each !== page)
  await Promise.all(others.map((each) => each.close()))
}

async function showAsUsual(page: Page): Promise<void> {
  const { viewport, ...media } = usual
  // To be told the same media again, a page works out all of its styles anew.
  if (!(await page.evaluate<boolean>(hasUsualMedia))) {
    await page.emulateMedia({ media: null, forcedColors: 'none', ...media })
  }
  const { width, height } = page.viewportSize() ?? {}
  if (width !== viewport.width || height !== viewport.height) await page.setViewportSize(viewport)
}
