// A real service and a real browser for the tests of the browser app: Debian's Chromium, driven by Playwright.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, type TestContext } from 'node:test'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import type { Script } from '#models/script.ts'
import { afterAllFiles } from '../after-all-files.ts'
import { type Serving, serve } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { leavePage, resetPage, takePage } from './left-pages.ts'

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
]

/**
 * Without the list that drops from the address bar: in each window that nobody looks at it takes more than the page. Of
 * several such lists of features the last one counts, so that the one that Playwright begins with stands here as well.
 */
const without = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'SpareRendererForSitePerProcess',
  'IsolateOrigins',
  'site-per-process',
]

/**
 * How the browser is started: no more of it than the pages need. One process draws all pages: a new one at each navigation
 * takes as much as the page that it shows. Scripts are not optimised: a page of a test is gone before that has paid.
 */
export const plainly = [
  '--no-sandbox',
  '--disable-gpu',
  '--renderer-process-limit=1',
  '--disable-site-isolation-trials',
  '--js-flags=--no-opt --no-maglev',
  `--disable-features=${without.join()}`,
]

/** Where a browser is; undefined where there is none. */
export function findBrowser(): string | undefined {
  return places.find((path) => existsSync(path))
}

/** Leads to this machine, and is no loopback for the browser: what needs a safe place is not there. */
const farAddress = '192.0.2.1'

/** The browser of all test files of this process: each page has a context of its own. */
let shared: Promise<Browser> | undefined

const missing = 'NO BROWSER: install chromium (apt-get install chromium); the tests of the browser app did not run'

/** Why these tests cannot run, false when they can. On a build machine that is a fault. */
export function noBrowser(): string | false {
  if (findBrowser() !== undefined) return false
  if (process.env['CI']) throw new Error(missing)
  console.error(missing)
  return missing
}

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
   * there as a link does, so that the page is drawn and read anew: what was left in the app is there, such as a draft or a
   * folded sidebar.
   */
  visit(t: TestContext, path?: string): Promise<Page>
  /** Asks the gateway as the operator. */
  call<T>(method: string, path: string, body?: unknown, token?: string): Promise<T>
}

type SiteOptions = { readonly script?: Script; readonly env?: Readonly<Record<string, string>> }

/** Starts a service before the tests of a file, and a browser if none is there yet. The service ends after them. */
export function useSite({ script, env = {} }: SiteOptions = {}): Site {
  const home = newHome()
  const token = 'operator-token-of-the-browser-tests'
  let service: Serving | undefined
  let browser: Browser | undefined
  before(async () => {
    const executablePath = findBrowser()
    if (executablePath === undefined) return
    const model: Record<string, string> = {}
    if (script) {
      const file = join(home.path, 'script.json')
      writeFileSync(file, JSON.stringify(script))
      Object.assign(model, { LLM_PROVIDER: 'scripted', LLM_SCRIPT: file })
    }
    const settings = { SERVICE_REBORN_WEBUI_TOKEN: token, CHAT_RATE_LIMIT: '0', ...model, ...env }
    ;[service, browser] = await Promise.all([serve(home.path, settings), (shared ??= launch(executablePath))])
  })
  const running = (): Serving => {
    if (!service) throw new Error('the service is not running')
    return service
  }
  const take = async (options: BrowserContextOptions): Promise<Page> => {
    if (!browser) throw new Error(missing)
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
      t.after(() => leave(page, Object.keys(options).length === 0))
      watchFaults(t, page)
      if (as !== null) await signIn(page, as)
      const context = page.context()
      if (afar) await context.addCookies((await context.cookies()).map((each) => ({ ...each, domain: farAddress })))
      await page.goto((afar ? url.replace('127.0.0.1', farAddress) : url) + path)
      return page
    },
    async visit(t, path = '/') {
      // After a fault nobody knows what stands in the page.
      t.after(() => (t.passed ? undefined : leaveVisited()))
      const isOpen = visited !== undefined
      const page = (visited ??= await take({}))
      if (isOpen) await resetPage(page)
      watchFaults(t, page)
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

async function launch(executablePath: string): Promise<Browser> {
  const args = [...plainly, `--host-resolver-rules=MAP ${farAddress} 127.0.0.1`]
  const browser = await chromium.launch({ executablePath, args })
  afterAllFiles(() => browser.close())
  return browser
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

type Finding = { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }

/** Drawn in its size, and no colour on its way to another. */
async function isAtRest(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
    const passing = document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
    await Promise.allSettled(passing.map(({ finished }) => finished))
  })()`)
}

/** The rules that look at colours: a theme changes nothing else. They take the most time. */
const colourRules = ['color-contrast', 'link-in-text-block'] as const

const runOnly = {
  all: {},
  colours: { runOnly: { type: 'rule', values: colourRules } },
  structure: { rules: Object.fromEntries(colourRules.map((rule) => [rule, { enabled: false }])) },
}

/** What axe-core finds on a page, once it stands: a line each. */
export async function findBarriers(
  page: Page,
  only: keyof typeof runOnly = 'all',
  weight: 'serious' | 'any' = 'serious',
): Promise<string[]> {
  await isAtRest(page)
  if (!(await page.evaluate<boolean>('"axe" in window'))) {
    await page.evaluate(
      readFileSync(join(import.meta.dirname, '..', '..', 'node_modules', 'axe-core', 'axe.min.js'), 'utf8'),
    )
  }
  const options = { resultTypes: ['violations'], preload: false, ...runOnly[only] }
  // Rules whose findings would be passed over take a third of the time.
  const found = await page.evaluate<Finding[]>(`(async () => {
    const options = ${JSON.stringify(options)}
    const light = axe._audit.rules.filter(({ impact }) => ${weight === 'serious'} && ['minor', 'moderate'].includes(impact))
    const rules = { ...options.rules, ...Object.fromEntries(light.map(({ id }) => [id, { enabled: false }])) }
    return (await axe.run(document, { ...options, rules })).violations
  })()`)
  return found
    .filter(({ impact }) => weight === 'any' || impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n  ${failureSummary}`))
}
