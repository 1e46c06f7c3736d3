// A real service and a real browser for the tests of the browser app, driven by Playwright.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, type TestContext } from 'node:test'
import type { Browser, BrowserContextOptions, Page, ViewportSize } from 'playwright-core'
import type { Script } from '#models/script.ts'
import { type Serving, serve } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { type BrowserKind, farAddress, findBrowser, shareBrowser } from './launch.ts'
import { leavePage, resetPage, takePage } from './left-pages.ts'

type OpenOptions = BrowserContextOptions & {
  /** Null: nobody is signed in. */
  readonly token?: string | null
  /** As from another machine. */
  readonly afar?: boolean
  /** Another address of the service. */
  readonly url?: string
}

export type Site = {
  readonly url: string
  readonly token: string
  readonly home: string
  readonly service: Serving
  /** A page of somebody who is signed in, with the app loaded anew; `options` are the browser's too (size, theme). */
  open(t: TestContext, path?: string, options?: OpenOptions): Promise<Page>
  /**
   * The operator's page at an address, the same for all tests of the file. The first visit loads the app, later ones go
   * there as a link does, so that the page is drawn and read anew, in this size: what was left in the app is there, such
   * as a draft or a folded sidebar.
   */
  visit(t: TestContext, path?: string, size?: ViewportSize): Promise<Page>
  /** Asks the gateway as the operator. */
  call<T>(method: string, path: string, body?: unknown, token?: string): Promise<T>
}

type SiteOptions = {
  readonly script?: Script
  readonly env?: Readonly<Record<string, string>>
  readonly browser?: BrowserKind
}

/** Starts a service before the tests of a file, and a browser if none is there yet. The service ends after them. */
export function useSite({ script, env = {}, browser: kind = 'shell' }: SiteOptions = {}): Site {
  const home = newHome()
  const token = 'operator-token-of-the-browser-tests'
  let service: Serving | undefined
  let browser: Browser | undefined
  before(async () => {
    const executablePath = findBrowser(kind)
    if (executablePath === undefined) return
    const model: Record<string, string> = {}
    if (script) {
      const file = join(home.path, 'script.json')
      writeFileSync(file, JSON.stringify(script))
      Object.assign(model, { LLM_PROVIDER: 'scripted', LLM_SCRIPT: file })
    }
    const settings = { SERVICE_REBORN_WEBUI_TOKEN: token, CHAT_RATE_LIMIT: '0', ...model, ...env }
    ;[service, browser] = await Promise.all([serve(home.path, settings), shareBrowser(executablePath)])
  })
  const running = (): Serving => {
    if (!service) throw new Error('the service is not running')
    return service
  }
  const take = async (options: BrowserContextOptions): Promise<Page> => {
    if (!browser) throw new Error('the browser is not running')
    return takePage(browser, options)
  }
  const leave = (page: Page, again = true): Promise<void> => leavePage(page, { again, home: running().url })
  const signIn = async (page: Page, as: string): Promise<void> => {
    // The service may close a connection that was idle in the moment in which it is used again.
    await page.context().request.post(`${running().url}/api/login`, { data: { token: as }, maxRetries: 2 })
  }
  /** The page that tests visit, one after the other: a load of the app takes more time than most of what a test does. */
  let visited: Page | undefined
  const leaveVisited = async (): Promise<void> => {
    const page = visited
    visited = undefined
    if (page) await leave(page)
  }
  after(async () => {
    await leaveVisited()
    await service?.stop()
    home.remove()
  })
  return {
    get url() {
      return running().url
    },
    get service() {
      return running()
    },
    token,
    home: home.path,
    async open(t, path = '/', { token: as = token, afar = false, url = running().url, ...options } = {}) {
      const page = await take(options)
      tellWhatIsShown(t, page)
      t.after(() => leave(page, Object.keys(options).length === 0))
      watchFaults(t, page)
      if (as !== null) await signIn(page, as)
      const context = page.context()
      if (afar) await context.addCookies((await context.cookies()).map((each) => ({ ...each, domain: farAddress })))
      await page.goto((afar ? url.replace('127.0.0.1', farAddress) : url) + path)
      return page
    },
    async visit(t, path = '/', size) {
      const isOpen = visited !== undefined
      const page = (visited ??= await take({}))
      tellWhatIsShown(t, page)
      // After a fault nobody knows what stands in the page.
      t.after(() => (t.passed ? undefined : leaveVisited()))
      if (isOpen) await resetPage(page)
      watchFaults(t, page)
      if (size) await page.setViewportSize(size)
      if (isOpen) await goOn(page, path)
      else {
        await signIn(page, token)
        await page.goto(running().url + path)
      }
      return page
    },
    async call(method, path, body, as = token) {
      const response = await fetch(running().url + path, {
        method,
        headers: { authorization: `Bearer ${as}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
      const text = await response.text()
      return (text === '' ? undefined : JSON.parse(text)) as never
    },
  }
}

/** What the page showed when a test failed says more than what was not found in it. */
function tellWhatIsShown(t: TestContext, page: Page): void {
  t.after(async () => {
    if (!t.passed && !page.isClosed()) t.diagnostic(`shown: ${await page.ariaSnapshot().catch(String)}`)
  })
}

/** A fault in the page, or something its policy refused, fails the test. */
function watchFaults(t: TestContext, page: Page): void {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' && /content security policy/i.test(message.text())) faults.push(message.text())
  })
  t.after(() => {
    if (faults.length > 0) throw new Error(`the page has faults:\n${faults.join('\n')}`)
  })
}

/**
 * For its first half second a card is deaf; it must be there for longer before it is answered. By the page's own time: a
 * card that is seen takes its time from a picture that follows the first moment after the next one, however late they come.
 */
export async function hearing(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    for (let picture = 0; picture < 3; picture++) {
      await new Promise(requestAnimationFrame)
      await new Promise((done) => setTimeout(done))
    }
    await new Promise((done) => setTimeout(done, 600))
  })()`)
}

/** Goes to another page of the app as a link does: a load of the app takes more time than most pages do. */
export async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new Event('popstate'))`)
}

/** Leaves what is shown and goes to another page, or to the same one again. */
async function goOn(page: Page, path: string): Promise<void> {
  await page.mouse.move(0, 0)
  // Ends the notice at the lower edge.
  await page.evaluate(`dispatchEvent(new Event('pagehide'))`)
  await follow(page, '/no-such-page')
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
  await follow(page, path)
}
