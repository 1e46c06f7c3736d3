// The browsers of the tests: Debian's Chromium, as the headless shell that draws pages and has no window, or whole.
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { afterAllFiles } from '../after-all-files.ts'

/** The shell takes a fifth less time. What belongs to a window or a system, such as notifications, only a whole one has. */
export type BrowserKind = 'shell' | 'whole'

const whole = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
]
const places: Readonly<Record<BrowserKind, readonly string[]>> = {
  // A whole one does all that the shell does.
  shell: ['/usr/bin/chromium-headless-shell', ...whole],
  whole,
}

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
 * takes as much as the page that it shows. Scripts are not optimised: a page of a test is gone before that has paid. What is
 * drawn is one tile, not two dozen that are put together for each picture.
 */
export const plainly = [
  '--no-sandbox',
  '--no-zygote',
  '--disable-gpu',
  '--default-tile-width=1536',
  '--default-tile-height=1024',
  '--renderer-process-limit=1',
  '--disable-site-isolation-trials',
  '--js-flags=--no-opt --no-maglev',
  `--disable-features=${without.join()}`,
]

/** Where a browser is; undefined where there is none. */
export function findBrowser(kind: BrowserKind): string | undefined {
  return places[kind].find((path) => existsSync(path))
}

const missing = 'NO BROWSER: install chromium (apt-get install chromium); tests of the browser app did not run'

/** Why tests cannot run, false when they can. On a build machine that is a fault. */
export function noBrowser(kind: BrowserKind = 'shell'): string | false {
  if (findBrowser(kind) !== undefined) return false
  if (process.env['CI']) throw new Error(missing)
  console.error(missing)
  return missing
}

/** Leads to this machine, and is no loopback for the browser: what needs a safe place is not there. */
export const farAddress = '192.0.2.1'

/** The browsers of all test files of this process, by their places: each page has a context of its own. */
const shared = new Map<string, Promise<Browser>>()

/** A browser that is there already, or a new one, which ends after the last test file of the process. */
export function shareBrowser(executablePath: string): Promise<Browser> {
  const browser = shared.get(executablePath) ?? launch(executablePath)
  shared.set(executablePath, browser)
  return browser
}

async function launch(executablePath: string): Promise<Browser> {
  const args = [...plainly, `--host-resolver-rules=MAP ${farAddress} 127.0.0.1`]
  const browser = await chromium.launch({ executablePath, args })
  afterAllFiles(() => browser.close())
  return browser
}
