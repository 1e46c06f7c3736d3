// Pictures of every page in both themes and three sizes, for looking at them: `npm run shots`, into shots/; words keep
// only what has one of them in its name: `npm run shots -- jobs phone-dark`.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import type { Script } from '#models/script.ts'
import { readFlags } from '../../tools/flags.ts'
import { buildWeb } from '../../tools/web.ts'
import { newHome } from '../new-home.ts'
import type { State } from './states.ts'

const root = join(import.meta.dirname, '..', '..')
const folder = join(root, 'shots')
const sizes = {
  wide: { width: 1440, height: 960 },
  tablet: { width: 768, height: 1024 },
  phone: { width: 375, height: 812 },
}
const token = 'operator-token-of-the-pictures'
const webhookSecret = 'secret-of-the-pictures'
const usage = `npm run shots -- [WORD …]
  Pictures of every page in both themes and three sizes, into shots/. With words, only those that have one in their name,
  such as jobs or phone-dark.`
const { positionals: words } = readFlags(usage, { allowPositionals: true, options: { help: { type: 'boolean' } } })
// Only now: to load a browser's driver and the service takes longer than to refuse a flag.
const [{ chromium }, { findBrowser, plainly }, { serve }, { fillPast }] = await Promise.all([
  import('playwright-core'),
  import('./launch.ts'),
  import('../atrium.ts'),
  import('./past.ts'),
])
const { installCalendar, makeStates, openPage, stateReplies } = await import('./states.ts')
const isWanted = (name: string): boolean => words.length === 0 || words.some((word) => name.includes(word))

const outside = await openPage()
const script: Script = {
  loop: true,
  replies: [
    ...stateReplies(outside.host),
    {
      when: 'deploy',
      calls: [
        { name: 'memory_search', args: { query: 'checkout' } },
        { name: 'calculate', args: { expression: '655/410' } },
      ],
    },
    {
      afterTool: 'calculate',
      usage: { inputTokens: 7604, outputTokens: 808, costUsd: 0.021 },
      text: `One route is slower: \`POST /checkout\`. Its p95 went from 410 to 655 ms after commit \`4f1c2e9\`; the other routes moved within noise.

| Route | Before | After | Change |
|---|---:|---:|---:|
| \`GET /cart\` | 182 ms | 179 ms | −2 % |
| \`POST /checkout\` | 410 ms | 655 ms | **+60 %** |
| \`GET /orders/:id\` | 96 ms | 101 ms | +5 % |

The commit moved the coupon lookup into the line-item loop, so this now runs once per item:

\`\`\`sql
SELECT coupon_id, percent FROM coupons
WHERE cart_id = $1          -- called once per line item since 4f1c2e9
  AND expires_at > now();
\`\`\``,
    },
    {
      when: 'status.example.com',
      usage: { inputTokens: 2_410, outputTokens: 96, costUsd: 0.009 },
      text: 'One thing changed: search was slow from 02:10 to 02:40. All systems are green now.',
    },
    {
      when: 'issue',
      text: 'I have drafted the issue. It needs your word before it goes out.',
      calls: [
        {
          name: 'http_request',
          args: {
            method: 'POST',
            url: 'https://api.github.com/repos/acme/shop/issues',
            body: '{\n  "title": "Checkout p95 up 60 % since 4f1c2e9",\n  "labels": ["performance"],\n  "body": "p95 of POST /checkout rose from 410 to 655 ms."\n}',
          },
        },
      ],
    },
    {
      when: 'Fix',
      calls: [
        {
          name: 'workspace_write',
          args: { path: 'docs/pricing.md', content: 'Prices are rounded once,\non the total.\n' },
        },
      ],
    },
    {
      when: 'Note',
      calls: [{ name: 'workspace_write', args: { path: 'notes/today.md', content: 'Checkout is slow.\n' } }],
    },
    { afterTool: 'workspace_write', text: 'It is written down.' },
    { when: 'fail', error: { code: 'model_unreachable', message: 'api.example.com returned 529 four times in 30 s' } },
    {
      when: 'Remember',
      calls: [
        {
          name: 'memory_write',
          args: {
            path: 'runbooks/rollback.md',
            content: 'Roll back checkout first; orders can wait for the queue to drain.\n',
          },
        },
      ],
      usage: { inputTokens: 2100, outputTokens: 90, costUsd: 0.008 },
    },
    { afterTool: 'memory_write', text: 'I keep it in runbooks/rollback.md.' },
    { when: 'Re-index', text: 'Working on it.', delayMs: 3_600_000 },
    { text: 'Done: {{input}}', usage: { inputTokens: 4810, outputTokens: 420, costUsd: 0.112 } },
  ],
}

const memory = {
  'projects/shop/checkout.md':
    '# Checkout\n\nThe checkout p95 budget is **450 ms**. Page Nadia when it stays above for an hour, not before.\n\n## Known slow spots\n\n- Coupon lookup: one query per cart, never per line item\n- Tax service: 200 ms at the end of the month\n',
  'people/nadia.md': 'Owns checkout and pricing. Prefers short messages, mornings.\n',
  'USER.md': 'Ada runs the shop.\n',
}

async function make(browser: Browser, url: string): Promise<void> {
  const call: Call = async (method, path, body) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    return (await (await fetch(url + path, init)).json().catch(() => ({}))) as Answer
  }
  for (const [path, content] of Object.entries(memory)) await call('PUT', `/api/memory/documents/${path}`, { content })
  for (const message of ['Invoice totals for October', 'Plan the offsite week', 'Please fail']) {
    await call('POST', '/api/chat', { message })
  }
  await call('POST', '/api/chat', { message: 'Remember how to roll back checkout' })
  await hook(call, 'ci-bot', 'Re-index docs/ after merge')
  await hook(call, 'billing', 'Invoice totals for November')
  for (const name of ['billing', 'nadia']) await call('POST', '/api/users', { name })
  const asked = await call('POST', '/api/chat', { message: 'Note that checkout is slow' })
  await call('POST', `/api/threads/${asked.thread_id}/gates/${asked.gate?.id}`, { action: 'always', for: 'day' })
  const refused = await call('POST', '/api/chat', { message: 'Fix the pricing page' })
  const no = { action: 'deny', word: 'Not from here. Leave the page to me.' }
  await call('POST', `/api/threads/${refused.thread_id}/gates/${refused.gate?.id}`, no)
  await call('POST', '/api/chat', { message: 'Fix the pricing page' })
  const { thread_id } = await call('POST', '/api/chat', {
    message: 'Compare last night’s deploy with the week before. Is anything slower?',
  })
  await call('POST', '/api/chat', { message: 'Open an issue for it, label it performance.', thread_id })

  const states = await makeStates(call)
  await call('PATCH', '/api/settings', { spend_per_day_usd: 5, marks: { urgency: false } })

  const pages: Readonly<Record<string, string>> = {
    new: '/',
    chat: `/threads/${thread_id}`,
    receipt: `/threads/${thread_id}`,
    waiting: '/waiting',
    allow: '/waiting',
    jobs: '/jobs',
    mission: `/missions/${await makeMissions(call)}`,
    missions: '/missions',
    'mission-new': '/missions?new',
    memory: '/memory/projects/shop/checkout.md',
    written: '/memory/runbooks/rollback.md',
    tools: '/tools',
    activity: '/activity',
    settings: '/settings',
    limits: '/settings/limits',
    marks: '/settings/marks',
    users: '/settings/users',
  }
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [size, viewport] of Object.entries(sizes)) {
      const context = await browser.newContext({ viewport, colorScheme })
      const page = await context.newPage()
      /** On a page of its own, which nothing of another state has touched. */
      const shootState = async (name: string, { thread, path = `/threads/${thread}`, before, after }: State) => {
        const file = `state-${name}-${size}-${colorScheme}`
        if (size === 'tablet' || !isWanted(file)) return
        const own = await context.newPage()
        await before?.(own)
        await own.goto(url + path)
        await after?.(own)
        await own.waitForTimeout(600)
        await own.screenshot({ path: join(folder, `${file}.png`) })
        await own.close()
        if (name === 'ended') await context.request.post(`${url}/api/login`, { data: { token } })
      }
      const shoot = async (name: string, path: string): Promise<void> => {
        const file = `${name}-${size}-${colorScheme}`
        if (!isWanted(file)) return
        await page.goto(url + path)
        if (name === 'receipt') {
          const receipts = page.getByRole('button', { name: /^Receipt/ })
          await receipts.first().click()
        }
        if (name === 'marks') await page.getByRole('button', { name: 'Show them' }).click()
        if (name === 'memory' && size !== 'phone')
          await page.getByRole('searchbox', { name: 'Search memory' }).fill('checkout')
        if (name === 'mission-new') await fillMission(page)
        if (name === 'users' && size === 'wide') await addUser(page, colorScheme)
        if (name === 'allow') {
          // The oldest is a sign-in, which is allowed once or not at all.
          await page.locator('.queue-row', { hasText: 'Create a file' }).first().click()
          await page.locator('.approval').waitFor()
          // For its first half second a card is deaf.
          await page.waitForTimeout(600)
          await page.getByRole('button', { name: 'Allow for…' }).click()
        }
        await picture(page, join(folder, `${file}.png`))
      }
      await shoot('sign-in', '/login')
      await context.request.post(`${url}/api/login`, { data: { token } })
      for (const [name, path] of Object.entries(pages)) await shoot(name, path)
      for (const [name, state] of Object.entries(states)) await shootState(name, state)
      await context.close()
    }
  }
}

type Answer = {
  readonly thread_id: string
  readonly id?: string
  readonly gate?: { readonly id: string }
  readonly doors?: readonly { readonly name: string; readonly address: string }[]
}
type Call = (method: string, path: string, body?: unknown) => Promise<Answer>

/** Missions that are well, failing, paused and done; the answer is the id of one with runs. */
async function makeMissions(call: Call): Promise<string> {
  const add = async (prompt: string, schedule: string): Promise<string> =>
    (await call('POST', '/api/missions', { prompt, schedule, zone: 'Europe/Zurich' })).id ?? ''
  const run = (id: string) => call('POST', `/api/missions/${id}/run`, {})
  const once = await add('Remind me to call Ada', 'in 3h')
  const failing = await add('Please fail', 'daily at 9am')
  const news = await add('Read status.example.com and tell me if anything changed', 'weekdays at 08:30')
  await call('PATCH', `/api/missions/${once}`, { status: 'paused' })
  for (let runs = 0; runs < 3; runs++) {
    for (const id of [failing, news]) await run(id)
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  return news
}

async function fillMission(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'What to do' }).fill('Sum up the invoices of the week')
  await page.getByRole('textbox', { name: 'When' }).fill('mondays and fridays at 18:00')
  await page.getByText(/^Mondays and Fridays at 18:00/).waitFor()
}

/** A message of somebody through the webhook channel. */
async function hook(call: Call, user_id: string, message: string): Promise<void> {
  const { doors = [] } = await call('GET', '/api/status')
  const address = doors.find(({ name }) => name === 'webhook')?.address ?? ''
  const headers = { 'content-type': 'application/json', 'x-webhook-secret': webhookSecret }
  await fetch(`${address}/webhook`, { method: 'POST', headers, body: JSON.stringify({ user_id, message }) })
}

/** Its token is shown once. */
async function addUser(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add user' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill(name)
  await page.keyboard.press('Enter')
  await page.getByText('It is shown only now').waitFor()
}

/** Once nothing is asked for any more. */
async function picture(page: Page, path: string): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.waitForTimeout(400)
  await page.screenshot({ path })
}

const executablePath = findBrowser('whole')
if (executablePath === undefined) throw new Error('no browser: apt-get install chromium')
await buildWeb(root)
mkdirSync(folder, { recursive: true })
const home = newHome()
const file = join(home.path, 'script.json')
writeFileSync(file, JSON.stringify(script))
await fillPast(home.path)
const service = await serve(home.path, {
  SERVICE_REBORN_WEBUI_TOKEN: token,
  HTTP_WEBHOOK_SECRET: webhookSecret,
  CHAT_RATE_LIMIT: '0',
  LLM_PROVIDER: 'scripted',
  LLM_SCRIPT: file,
  ATRIUM_SHELL: 'true',
  ATRIUM_PRIVATE_HOSTS: outside.host,
  LLM_MODEL: 'claude-sonnet-4.5',
})
await installCalendar(home.path, root)
const browser = await chromium.launch({ executablePath, args: plainly })
try {
  await make(browser, service.url)
  console.log(`pictures are in ${folder}`)
} finally {
  await browser.close()
  await service.stop()
  outside.server.close()
  home.remove()
}
