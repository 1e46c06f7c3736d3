// The states of the chat for `npm run shots`: what a thread needs to be in each, and what brings the page there.
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { Reply } from '#models/script.ts'
import { atrium } from '../atrium.ts'

export type State = {
  /** The thread that is looked at; without one, a new one. */
  readonly thread?: string
  readonly path?: string
  /** Before the page is opened. */
  readonly before?: (page: Page) => Promise<unknown>
  /** Once it is there. */
  readonly after?: (page: Page) => Promise<unknown>
}

/** A page that can be fetched. */
export function openPage(): Promise<{ server: Server; host: string }> {
  const server = createServer((_, response) => {
    response
      .writeHead(200, { 'content-type': 'text/plain' })
      .end(
        'date        route            p95_ms\n2026-11-13  POST /checkout      410\n2026-11-14  POST /checkout      655\n',
      )
  })
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () =>
      resolve({ server, host: `127.0.0.1:${(server.address() as AddressInfo).port}` }),
    ),
  )
}

/** What the model says in them; `host` is where a page can be fetched. */
export function stateReplies(host: string): Reply[] {
  const text = 'Fetch every coupon of the cart once, before the loop, and look each one up in memory. '
  return [
    {
      when: 'Cheapest',
      calls: Array.from({ length: 3 }, (_, at) => ({ name: 'calculate', args: { expression: `${at}+655` } })),
      usage: { inputTokens: 90_000, outputTokens: 2_000, costUsd: 0.52 },
    },
    { when: 'What would the fix', chunkDelayMs: 250, text: text.repeat(200) },
    { when: 'Publish', calls: [{ name: 'workspace_shell', args: { command: 'npm publish --access public' } }] },
    {
      when: 'Shorten',
      calls: [
        { name: 'workspace_edit', args: { path: 'notes/today.md', find: 'is slow', replace: 'was slow,\nonce' } },
      ],
    },
    {
      when: 'p95',
      calls: [{ name: 'web_fetch', args: { url: `http://${host}/api/p95?days=8` } }],
      usage: { inputTokens: 7_604, outputTokens: 808, costUsd: 0.021 },
    },
    {
      when: 'p95',
      afterTool: 'web_fetch',
      text: 'One route is slower: `POST /checkout`.',
      calls: [{ name: 'memory_write', args: { path: 'shop/p95.md', content: 'checkout: 655 ms' } }],
    },
    { when: 'p95', afterTool: 'memory_write', text: 'It is noted.' },
    {
      when: 'Tell them',
      text: 'I have drafted it.',
      calls: [
        { name: 'http_request', args: { method: 'POST', url: 'https://api.acme.dev/notes', body: '{"ms": 655}' } },
      ],
    },
    { when: 'offsite', calls: [{ name: 'calendar', args: { action: 'get_current', city: 'Bergen' } }] },
  ]
}

/** A tool that needs a sign-in: the one for the weather, as if its server took a token. */
export async function installCalendar(home: string, root: string): Promise<void> {
  const own = JSON.parse(readFileSync(join(root, 'tools/weather/capabilities.json'), 'utf8')) as {
    http: { allowlist: { host: string }[] }
  }
  const hosts = own.http.allowlist.map(({ host }) => host)
  const credentials = { c: { secret_name: 'calendar_token', location: { type: 'bearer' }, host_patterns: hosts } }
  const auth = { secret_name: 'calendar_token', display_name: 'Google Calendar' }
  const file = join(home, 'calendar.json')
  writeFileSync(file, JSON.stringify({ ...own, http: { ...own.http, credentials }, auth }))
  const wasm = join(root, 'tools/weather/dist/weather.wasm')
  const { code, stderr } = await atrium(home, ['tool', 'install', wasm, '--capabilities', file, '--name', 'calendar'])
  if (code !== 0) throw new Error(stderr)
}

/** The note about a failed turn comes with its receipt. */
const hasReceipt = (page: Page): Promise<void> => page.getByRole('button', { name: /^Receipt/ }).waitFor()

const hasCard = (page: Page): Promise<void> => page.locator('.approval').first().waitFor()

type Call = (method: string, path: string, body: unknown) => Promise<{ thread_id: string }>

/** Makes the threads, and tells how each state is reached. */
export async function makeStates(call: Call): Promise<Readonly<Record<string, State>>> {
  const say = async (message: string, thread_id?: string): Promise<string> =>
    (await call('POST', '/api/chat', { message, ...(thread_id && { thread_id }) })).thread_id
  await call('PATCH', '/api/settings', { spend_per_turn_usd: 0.5 })
  const capped = await say('Cheapest way to run the importer?')
  await call('PATCH', '/api/settings', { spend_per_turn_usd: null })
  const failed = await say('Please fail')
  const fetched = await say('Read the p95 of the last week')
  const tainted = await say('Tell them', fetched)
  const streaming = (await call('POST', '/api/chat/send', { message: 'What would the fix look like?' })).thread_id
  return {
    failed: { thread: failed, after: hasReceipt },
    capped: { thread: capped, after: hasReceipt },
    streaming: { thread: streaming, after: (page) => page.locator('.growing').waitFor() },
    reconnecting: { thread: streaming, before: cutSoon, after: (page) => page.getByText('Reconnecting,').waitFor() },
    loading: {
      thread: failed,
      before: (page) => page.route(/\/api\/(threads|gates)/, () => undefined),
      after: (page) => page.locator('main .skeleton').first().waitFor(),
    },
    away: { path: '/', before: (page) => page.route('**/api/session', (route) => route.abort()) },
    offline: { path: '/', before: seemOffline },
    attached: { path: '/', after: attach },
    'ask-request': { thread: tainted, after: hasCard },
    'ask-command': { thread: await say('Publish the package'), after: hasCard },
    'ask-diff': { thread: await say('Shorten the note'), after: hasCard },
    'sign-in-card': { thread: await say('Plan the offsite week'), after: hasCard },
    outside: {
      thread: fetched,
      after: async (page) => {
        await page.getByRole('button', { name: /^web_fetch/ }).click()
        await page
          .getByRole('button', { name: /^Receipt/ })
          .first()
          .click()
      },
    },
    'not-here': { path: '/threads/0197a000-0000-7000-8000-000000000000' },
    ended: {
      path: '/',
      after: async (page) => {
        await page.getByRole('textbox', { name: 'Message', exact: true }).fill('half a thought')
        await page.context().clearCookies()
        // Unless the page has noticed by itself.
        const side = page.locator('a[href="/waiting"]').first()
        await side.dispatchEvent('click', {}, { timeout: 3_000 }).catch(() => undefined)
        await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
      },
    },
  }
}

/** The live connection stands for a moment, then nobody answers there. */
async function cutSoon(page: Page): Promise<void> {
  let opened = 0
  await page.routeWebSocket(/\/api\/chat\/ws/, (socket) => {
    if (opened++ === 0) socket.connectToServer()
    setTimeout(() => void socket.close(), opened === 1 ? 1_500 : 0)
  })
}

/** As on a first start, without any model. */
async function seemOffline(page: Page): Promise<void> {
  await page.route('**/api/status', async (route) => {
    const response = await route.fetch()
    const status = { ...((await response.json()) as object), llm_backend: 'offline', llm_model: 'offline' }
    await route.fulfill({ response, json: status })
  })
}

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

async function attach(page: Page): Promise<void> {
  const file = (name: string, mimeType: string, bytes: Buffer) => ({ name, mimeType, buffer: bytes })
  await page
    .locator('input[type=file]')
    .setInputFiles([
      file('p95-dashboard.png', 'image/png', Buffer.from(png, 'base64')),
      file('pricing-notes.txt', 'text/plain', Buffer.alloc(6 * 1024, 'a')),
      file('contracts.zip', 'application/zip', Buffer.from('PK\u0003\u0004\u00e2\u0000', 'latin1')),
    ])
  await page.getByText('contracts.zip').waitFor()
}
