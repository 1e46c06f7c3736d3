// Long words without spaces, on every page and in every width: nothing sticks out at the side or is cut off unseen.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { until } from '../until.ts'
import { follow, hearing, useSite } from './browser.ts'
import { noBrowser } from './launch.ts'

const skip = noBrowser()
const secret = 'secret-of-the-webhook'
const word = 'unbroken'.repeat(25)
const site = useSite({
  script: {
    loop: true,
    replies: [
      {
        when: 'write',
        calls: [{ name: 'workspace_write', args: { path: `notes/${word}.md`, content: `${word}\n` } }],
      },
      {
        when: 'post',
        calls: [
          {
            name: 'http_request',
            args: { method: 'POST', url: `https://${word.slice(0, 60)}.example/${word}`, body: word },
          },
        ],
      },
      { when: 'shell', calls: [{ name: 'workspace_shell', args: { command: `echo ${word}` } }] },
      {
        when: 'search',
        calls: [
          { name: 'memory_search', args: { query: word } },
          { name: word.slice(0, 60), args: {} },
        ],
      },
      {
        text: `# ${word}\n\n${word} **${word}** \`${word}\` [${word}](https://${word}.example) https://${word}.example\n\n- ${word}\n  - ${word}\n\n> ${word}\n\n| ${word} | b |\n|---|---|\n| c | ${word} |\n\n\`\`\`${word}\n${word}\n\`\`\`\n\n$${'x+'.repeat(100)}y$\n\n$$${'x+'.repeat(100)}y$$`,
      },
    ],
  },
  env: { HTTP_WEBHOOK_SECRET: secret },
})

/** 384 and 640 are 768 and 1280 at 200 % zoom. */
const widths = [320, 384, 640, 768, 1280]

const phone = { width: 390, height: 844 }

/** The buttons of the page that a finger cannot hit well, or that cannot be seen. */
function lowButtons(page: Page): Promise<string[]> {
  return page.locator('main button:visible').evaluateAll((buttons) =>
    buttons.flatMap((button) => {
      const { height } = button.getBoundingClientRect()
      const { opacity } = button.ownerDocument.defaultView.getComputedStyle(button)
      return height < 44 || opacity !== '1' ? [`${button.textContent || button.ariaLabel} ${height} ${opacity}`] : []
    }),
  )
}

for (const width of [360, 768]) {
  test(`the dot of what waits leaves the sign of the menu in view at ${width} pixels`, { skip }, async (t) => {
    await site.call('POST', '/api/chat', { message: 'write' })
    const page = await site.visit(t, '/jobs', { width, height: 700 })
    const sign = page.locator('.menu-sign .dot')
    await sign.waitFor()
    const dot = await sign.boundingBox()
    const icon = await page.getByRole('button', { name: 'Menu' }).locator('svg').boundingBox()
    assert(dot && icon)
    const covered = icon.x + icon.width - dot.x
    assert(covered <= icon.width / 2, `${covered} of ${icon.width}`)
  })
}

test('every button of a phone has at least 44 pixels of height', { skip }, async (t) => {
  const page = await site.visit(t, '/', phone)
  const low = () => lowButtons(page)
  for (const [path, name] of [
    ['/', 'What can you do?'],
    ['/jobs', 'Completed'],
    ['/activity', '90 days'],
    ['/settings/appearance', 'Dark'],
    ['/memory?new', 'Save'],
    ['/tools', 'Install a tool'],
  ] as const) {
    await follow(page, path)
    await page.getByRole('button', { name, exact: true }).waitFor()
    assert.deepEqual(await low(), [], path)
  }
  await follow(page, '/jobs')
  await page.getByRole('searchbox', { name: 'Search jobs' }).fill('nothing like this')
  const clear = page.getByRole('button', { name: 'Clear' }).first()
  await clear.waitFor()
  assert.deepEqual(await low(), [], 'a search')
  await clear.click()
})

test('every button of a thread is seen and large where nothing can hover', { skip }, async (t) => {
  const { thread_id } = await site.call<{ thread_id: string }>('POST', '/api/chat', { message: 'write' })
  const page = await site.open(t, `/threads/${thread_id}`, { viewport: phone, hasTouch: true, isMobile: true })
  await page.getByRole('button', { name: 'Edit' }).waitFor()
  await page.getByRole('button', { name: /workspace_write/ }).waitFor()
  const file = { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') }
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByRole('button', { name: 'Remove a.txt' }).waitFor()
  assert.deepEqual(await lowButtons(page), [])
})

test('long words fit on every page in every width', { skip }, async (t) => {
  const say = (message: string) => site.call<{ thread_id: string }>('POST', '/api/chat', { message })
  const { thread_id } = await say(`${word} ${word}`)
  const asked = await Promise.all(['write', 'post', 'shell', 'search'].map((what) => say(`${what} ${word}`)))
  await site.call('PUT', `/api/memory/documents/${word.slice(0, 80)}/${word.slice(0, 80)}.md`, {
    content: `# ${word}\n\n${word}`,
  })
  await site.call('POST', '/api/users', { name: word.slice(0, 60) })
  const { doors } = await site.call<{ doors: { name: string; address: string }[] }>('GET', '/api/status')
  await fetch(`${doors.find(({ name }) => name === 'webhook')?.address}/webhook`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-webhook-secret': secret },
    body: JSON.stringify({ user_id: word.slice(0, 60), message: `write ${word}` }),
  })
  const mission = { prompt: `${word} ${word}`, title: word, schedule: 'weekdays at 08:30' }
  const { id } = await site.call<{ id: string }>('POST', '/api/missions', mission)
  await site.call('POST', `/api/missions/${id}/run`, {})
  const [write, post, shell, search] = asked.map((each) => `/threads/${each.thread_id}`)
  const note = `${word.slice(0, 80)}/${word.slice(0, 80)}.md`
  const first = `/threads/${thread_id}`
  const page = await site.visit(t, first)
  const main = page.getByRole('main')
  const heading = (name: RegExp | string) => main.getByRole('heading', { name })
  /** Each page, and what it shows once it has its words. */
  const pages: readonly (readonly [path: string | undefined, shown: Locator])[] = [
    [first, main.locator('.katex').nth(1)],
    [write, heading(/^Create notes\//)],
    [post, heading(/^Send a POST request/)],
    [shell, main.getByRole('article', { name: 'You' }).getByText(/^shell /)],
    [search, main.getByRole('button', { name: /^memory_search/ })],
    ['/waiting', heading(/^Create notes\//).first()],
    ['/jobs', main.locator('.row-link').first()],
    [`/missions/${id}`, main.getByRole('article', { name: word })],
    ['/missions?new', main.getByRole('textbox', { name: 'What to do' })],
    ['/memory', main.getByRole('link', { name: note })],
    [`/memory/${note}`, heading(note)],
    ['/tools', main.getByRole('link', { name: 'calculate' })],
    ['/activity', main.getByRole('table', { name: 'Latest turns' })],
    ['/settings', main.getByText(word.slice(0, 60)).first()],
    ['/', heading(/^Good/)],
  ]
  const faults: string[] = []
  for (const [at, [path, shown]] of pages.entries()) {
    assert(path)
    await follow(page, path)
    await shown.waitFor()
    await main.locator('.skeleton').first().waitFor({ state: 'detached' })
    // To and fro: a page begins in the width in which the one before has ended.
    for (const width of at % 2 === 0 ? widths : widths.toReversed()) {
      await page.setViewportSize({ width, height: 800 })
      faults.push(...(await tooWide(page)).map((fault) => `${path} at ${width} px: ${fault}`))
    }
  }
  assert.deepEqual(faults, [])
})

test('the parts of a receipt line stay whole on a phone, on two lines where one is too short', { skip }, async (t) => {
  const { thread_id } = await site.call<{ thread_id: string }>('POST', '/api/chat', { message: 'hello' })
  const page = await site.visit(t, '/', { width: 390, height: 800 })
  await page.route('**/receipt', async (route) => {
    const response = await route.fetch()
    const receipt = (await response.json()) as object
    const more = { tools: [{}, {}], hosts: ['a.example', 'b.example'], cost_usd: null }
    await route.fulfill({ response, json: { ...receipt, ...more } })
  })
  await follow(page, `/threads/${thread_id}`)
  const line = page.getByRole('button', { name: /^Receipt/ })
  const lineHeight = 18
  await line.waitFor()
  for (const width of [430, 390, 320]) {
    await page.setViewportSize({ width, height: 800 })
    const edge = await line.evaluate((node) => node.getBoundingClientRect().right)
    const bits = await line
      .locator('.receipt-bit:visible')
      .evaluateAll((all) =>
        all.flatMap((bit) => [...bit.getClientRects()].map(({ top, right, height }) => ({ top, right, height }))),
      )
    assert.equal(bits.length, 3, `a part is broken at ${width} px`)
    const lines = new Set(bits.map(({ top }) => top)).size
    assert(lines <= 2, `the parts take ${lines} lines at ${width} px`)
    for (const { right, height } of bits) {
      assert(right <= edge, `a part is cut at ${width} px`)
      assert(height <= lineHeight, `a part has ${height} px at ${width} px`)
    }
    assert.deepEqual(await tooWide(page), [])
  }
})

test('at 400 % zoom a request can be read before it is answered, and every choice is within reach', {
  skip,
}, async (t) => {
  const { thread_id } = await site.call<{ thread_id: string }>('POST', '/api/chat', { message: 'write' })
  const page = await site.visit(t, `/threads/${thread_id}`, { width: 320, height: 256 })
  const card = page.getByRole('group', { name: /^Create notes/ })
  await card.waitFor()
  const footPosition = () =>
    page.evaluate<string>(`getComputedStyle(document.querySelector('.approval-foot')).position`)
  assert.equal(await footPosition(), 'static')
  await page.setViewportSize({ width: 320, height: 480 })
  assert.equal(await footPosition(), 'sticky')
  await page.setViewportSize({ width: 320, height: 256 })
  await hearing(page)
  await card.getByRole('button', { name: 'Allow for…' }).press('Enter')
  const choices = page.getByRole('dialog', { name: 'Allow without asking' })
  // The choices begin within the window.
  await until(async () => (await choices.evaluate((node) => node.getBoundingClientRect().top)) >= 0)
})

test('the list of keys is a dialog like the others, and begins at its top', { skip }, async (t) => {
  const page = await site.visit(t, '/', { width: 320, height: 256 })
  await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor()
  await page.keyboard.press('Control+/')
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await dialog.waitFor()
  const { border, top } = await dialog.evaluate((node) => ({
    border: node.ownerDocument.defaultView?.getComputedStyle(node).borderTopWidth,
    top: node.scrollTop,
  }))
  assert.deepEqual([border, top], ['1px', 0])
  // What a key does takes several lines here: those of one stand apart from those of the next.
  const gaps = await dialog.locator('section:first-of-type dd').evaluateAll((words) => {
    const boxes = words.map((each) => each.getBoundingClientRect())
    return boxes.slice(1).map(({ top: below }, at) => below - (boxes[at]?.bottom ?? 0))
  })
  assert.deepEqual(new Set(gaps.map(Math.round)), new Set([8]))
})

/** What does not fit. The app learns of a width only with the next picture: what does not fit yet is looked at again. */
async function tooWide(page: Page): Promise<string[]> {
  const found = await findTooWide(page)
  if (found.length === 0) return found
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  return findTooWide(page)
}

/** What scrolls sideways or is cut off without a sign, other than code, tables and formulas, which scroll by themselves. */
function findTooWide(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const found = []
    const isUnseen = (each) => each !== null && (getComputedStyle(each).clipPath !== 'none' || isUnseen(each.parentElement))
    for (const each of [document.documentElement, ...document.querySelectorAll('body *')]) {
      if (each.scrollWidth <= each.clientWidth + 1 || each.clientWidth === 0) continue
      if (each.closest('pre, .table-frame, .segments, .math, textarea, input, select, svg')) continue
      if (isUnseen(each)) continue
      const { overflowX, textOverflow, display } = getComputedStyle(each)
      if (display === 'inline' || textOverflow === 'ellipsis') continue
      if (overflowX === 'visible' && each !== document.documentElement) continue
      const edge = each.getBoundingClientRect().right + 1
      const out = [...each.querySelectorAll('*')].filter((inner) => inner.getBoundingClientRect().right > edge)
      const inmost = out.filter((inner) => !out.some((other) => other !== inner && inner.contains(other)))
      const names = inmost.slice(0, 3).map((inner) => inner.tagName.toLowerCase() + '.' + inner.className)
      found.push(each.className + ' is ' + (each.scrollWidth - each.clientWidth) + ' px too wide: ' + names.join(', '))
    }
    return found
  })()`)
}
