// The page Settings in a real browser: limits, policy, grants, the theme.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until, untilEqual } from '../until.ts'
import { findBarriers } from './barriers.ts'
import { follow, useSite } from './browser.ts'
import { openPalette } from './chat-page.ts'
import { noBrowser } from './launch.ts'
import { checkLooks } from './looks.ts'

const skip = noBrowser()
const site = useSite({
  script: {
    replies: [
      { when: 'write', calls: [{ name: 'workspace_write', args: { path: 'notes/a.txt', content: 'hello' } }] },
      { text: 'Done' },
    ],
  },
})

const newUser = async (name: string) => (await site.call<{ token: string }>('POST', '/api/users', { name })).token

test('limits are set and taken away; what is no amount is told beside its field', { skip }, async (t) => {
  const page = await site.visit(t, '/settings/limits')
  const field = page.getByRole('textbox', { name: 'Spend per user and day' })
  await field.fill('a lot')
  await field.press('Enter')
  await page.getByRole('alert').filter({ hasText: 'Write an amount' }).waitFor()
  const stored = async () =>
    (await site.call<{ limits: { spend_per_day_usd: number | null } }>('GET', '/api/settings')).limits.spend_per_day_usd
  for (const [text, wanted, shown] of [
    ['2.5', 2.5, '$2.50'],
    ['', null, ''],
  ] as const) {
    await field.fill(text)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    assert.equal(await stored(), wanted)
    await untilEqual(() => field.inputValue(), shown)
  }
  const steps = page.getByRole('textbox', { name: 'Steps per turn' })
  await steps.fill('12')
  await steps.press('Enter')
  await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
  const { limits } = await site.call<{ limits: { steps_per_turn: number } }>('GET', '/api/settings')
  assert.equal(limits.steps_per_turn, 12)
  await site.call('PATCH', '/api/settings', { steps_per_turn: null })
})

test('each button of the settings tells by its name what it does, and to what', { skip }, async (t) => {
  for (const name of ['ada', 'grace']) await newUser(name)
  await site.call('POST', '/api/users/ada/tokens', {})
  const page = await site.visit(t, '/settings/limits')
  await page.getByRole('textbox', { name: 'Spend per turn' }).fill('1')
  await page.getByRole('textbox', { name: 'Spend per user and day' }).fill('2')
  await page.getByRole('textbox', { name: 'Offered for threads' }).fill('offline')
  for (const name of ['ada', 'grace']) await page.getByRole('button', { name, exact: true }).click()
  await page.getByRole('button', { name: 'New token for grace' }).waitFor()
  await page.getByRole('button', { name: 'Add user' }).click()
  const names = async () =>
    [...(await page.getByRole('main').ariaSnapshot()).matchAll(/ button "(.*?)"/g)].map(([, name]) => name)
  const whole = [
    'Save Spend per turn',
    'Save Spend per user and day',
    'Save the models for threads',
    'Test',
    'Add user',
    'Add',
    'New token for ada',
    'Switch on quiet hours',
    'Import a thread',
  ]
  const found = await names()
  assert.deepEqual(
    whole.filter((name) => !found.includes(name)),
    [],
  )
  const tokens = found.filter((name) => name?.startsWith('Revoke the token made '))
  assert.equal(tokens.length, 3)
  const others = found.filter((name) => !tokens.includes(name) && name !== 'Cancel')
  assert.deepEqual(
    others.filter((name, at) => others.indexOf(name) !== at),
    [],
  )
  await page.getByRole('button', { name: 'Connect another' }).click()
  await page.getByRole('button', { name: 'Test', exact: true }).waitFor()
  for (const name of ['ada', 'grace']) await site.call('DELETE', `/api/users/${name}`)
})

test('a part that is opened by its address stays in view while the parts above it are read', { skip }, async (t) => {
  const page = await site.visit(t)
  const { promise: shown, resolve } = Promise.withResolvers<void>()
  await page.route('**/api/settings', (route) => shown.then(() => route.continue()))
  await page.goto(`${site.url}/settings/users`)
  const title = page.getByRole('heading', { name: 'Users' })
  const top = async () => (await title.boundingBox())?.y ?? -1
  await until(() => title.evaluate((node) => node === node.ownerDocument.activeElement))
  // Some browsers hold what is seen by themselves, once it can be scrolled to; others never do.
  await page.evaluate(`document.querySelectorAll('*').forEach((each) => (each.style.overflowAnchor = 'none'))`)
  resolve()
  await page.getByRole('combobox', { name: 'Running a command, usually' }).waitFor()
  await until(async () => Math.abs((await top()) - 33) < 2)
  // Whoever scrolls is not brought back.
  await page.mouse.move(800, 500)
  await page.mouse.wheel(0, -400)
  await until(async () => (await top()) > 200)
  await page.setViewportSize({ width: 1200, height: 900 })
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  assert((await top()) > 200)
})

test('About tells how much is at work, not how many connections its pages make', { skip }, async (t) => {
  const page = await site.visit(t, '/settings/about')
  await page
    .locator('.about')
    .getByText(/^\d+ jobs?$/)
    .waitFor()
})

test('a note about the environment waits for nobody: it has no sun', { skip }, async (t) => {
  const page = await site.visit(t, '/settings')
  const note = page.locator('.note', { hasText: 'LLM_PROVIDER is set in the environment' })
  await note.waitFor()
  assert.equal(await note.getAttribute('class'), 'note plain')
})

test('a row of the policy is changed alone, and taken back to its default; so is a mark', { skip }, async (t) => {
  type Row = { id: string; clean: string; tainted: string; changed: boolean }
  const rows = async () => (await site.call<{ policy: Row[] }>('GET', '/api/settings')).policy
  const changed = async () => (await rows()).filter((row) => row.changed).map(({ id }) => id)
  const before = await rows()
  await site.call('PATCH', '/api/settings', { policy: { request: { tainted: 'deny' } } })
  const page = await site.visit(t, '/settings/policy')
  await page.getByRole('button', { name: 'Back to its default' }).waitFor()
  await page.getByRole('combobox', { name: 'Running a command, usually' }).selectOption('deny')
  const reset = page.getByRole('button', { name: 'Back to its default for Running a command' })
  await reset.waitFor()
  assert.deepEqual(await changed(), ['shell', 'request'])
  const shell = (await rows()).find(({ id }) => id === 'shell')
  assert.deepEqual([shell?.clean, shell?.tainted], ['deny', 'ask'])
  await reset.click()
  await reset.waitFor({ state: 'detached' })
  assert.deepEqual(await changed(), ['request'])
  await page.getByRole('button', { name: 'Back to its default' }).click()
  await page.getByRole('button', { name: 'Back to its default' }).waitFor({ state: 'detached' })
  assert.deepEqual(await rows(), before)

  const off = async () => (await site.call<{ marks_off: string[] }>('GET', '/api/settings')).marks_off
  await page.getByRole('button', { name: 'Show them' }).click()
  const mark = page.getByRole('switch', { name: 'urgency' })
  await mark.click()
  await page.getByText('1 mark of 17 off').waitFor()
  assert.deepEqual(await off(), ['urgency'])
  await mark.click()
  await page.getByText('All 17 are on').waitFor()
  assert.deepEqual(await off(), [])
})

test('a grant is listed with its end, and revoked', { skip }, async (t) => {
  const asked = await site.call<{ thread_id: string; gate: { id: string } }>('POST', '/api/chat', { message: 'write' })
  const answer = { action: 'always', for: 'good', untrusted: false }
  await site.call('POST', `/api/threads/${asked.thread_id}/gates/${asked.gate.id}`, answer)
  const page = await site.visit(t, '/settings/grants')
  const row = page.getByRole('table', { name: 'Grants' }).getByRole('row').filter({ hasText: 'workspace_write' })
  await row.getByText('Until revoked').waitFor()
  const where = './notes/ Only while nothing from outside was read'
  await row.getByRole('cell', { name: where, exact: true }).waitFor()
  // The call that it was given for may have used it by now, or not yet.
  await row
    .locator('.grant-used')
    .filter({ hasText: /never|1 time/ })
    .waitFor()
  await row.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('heading', { name: 'No grants yet' }).waitFor()
  assert.deepEqual((await site.call<{ grants: unknown[] }>('GET', '/api/grants')).grants, [])
})

test('the theme is chosen here and kept', { skip }, async (t) => {
  const page = await site.visit(t, '/settings/appearance')
  const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
  await page.getByRole('button', { name: 'Dark', exact: true }).click()
  await untilEqual(ground, 'rgb(15, 16, 15)')
  await page.reload()
  await page.getByRole('heading', { name: 'Appearance' }).waitFor()
  await untilEqual(ground, 'rgb(15, 16, 15)')
  await page.getByRole('button', { name: 'As the system' }).click()
  await until(async () => (await ground()) !== 'rgb(15, 16, 15)')
})

test('Settings have no barrier, in any size and theme', { skip }, async (t) => {
  await newUser('seen by all')
  const topic = 'https://ntfy.example/a-long-random-name'
  await site.call('POST', '/api/notifications/ways', { kind: 'ntfy', url: topic })
  await site.call('PATCH', '/api/notifications', { quiet: { from: '21:30', to: '07:00', zone: 'Europe/Zurich' } })
  const page = await site.visit(t, '/settings')
  // The frame, and a table in all of its sizes and themes, are looked at with Jobs.
  await checkLooks(page, async () => {
    await page.getByText('seen by all').first().waitFor()
    await page.getByRole('group', { name: topic }).waitFor()
    await page.getByRole('button', { name: 'Switch off' }).waitFor()
  })
})

test('every page is without a finding of axe, of whatever weight', { skip }, async (t) => {
  const { thread_id: id } = await site.call<{ thread_id: string }>('POST', '/api/chat', { message: 'write it' })
  const page = await site.visit(t)
  const pages: readonly (readonly [path: string, heading: RegExp])[] = [
    ['/', /^Good/],
    [`/threads/${id}`, /write it/],
    ['/waiting', /^Waiting for you/],
    ['/jobs', /^Jobs$/],
    ['/missions', /^Missions$/],
    ['/memory', /^Memory$/],
    ['/tools', /^Tools$/],
    ['/activity', /^Activity$/],
    ['/settings', /^Settings$/],
  ]
  for (const [path, heading] of pages) {
    await follow(page, path)
    await page.getByRole('heading', { level: 1, name: heading }).first().waitFor()
    assert.deepEqual(await findBarriers(page, 'structure', 'any'), [], path)
  }
  // Over a page with little in it: what lies below the palette is read with it.
  await follow(page, '/waiting')
  await page.getByRole('heading', { level: 1, name: /^Waiting for you/ }).waitFor()
  await openPalette(page)
  await page.getByRole('option', { name: 'New thread', selected: true }).waitFor()
  assert.deepEqual(await findBarriers(page, 'all', 'any'), [], 'the palette')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('the JSON of a thread is imported by a button, and opens', { skip }, async (t) => {
  const { thread_id: id } = await site.call<{ thread_id: string }>('POST', '/api/chat', { message: 'Keep this one' })
  const exported = await site.call('GET', `/api/threads/${id}/export?format=json`)
  const page = await site.visit(t, '/settings/threads')
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Import a thread' }).click()
  const file = { name: 'kept.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(exported)) }
  await (await choosing).setFiles(file)
  await page.waitForURL((url) => url.pathname.startsWith('/threads/') && !url.pathname.endsWith(id))
  await page.getByRole('log').getByText('Keep this one').waitFor()
})

test('a newcomer is asked once for a name and a time zone, which go into memory and to missions', {
  skip,
}, async (t) => {
  const token = await newUser('newcomer')
  const page = await site.open(t, '/', { token })
  const form = page.getByRole('form', { name: 'About you' })
  await form.getByRole('textbox', { name: 'Your name' }).fill('Ada')
  await form.getByRole('combobox', { name: 'Time zone' }).fill('Nowhere')
  await form.getByRole('button', { name: 'Remember this' }).click()
  await form.getByText(/Nowhere/).waitFor()
  await form.getByRole('combobox', { name: 'Time zone' }).fill('Europe/Berlin')
  assert.deepEqual(await findBarriers(page, 'all', 'any'), [])
  await form.getByRole('button', { name: 'Remember this' }).click()
  await form.waitFor({ state: 'detached' })
  const { results } = await site.call<{ results: { path: string; beginning: string }[] }>(
    'GET',
    '/api/memory',
    undefined,
    token,
  )
  assert.deepEqual(
    results.map(({ path, beginning }) => [path, beginning]),
    [['USER.md', '# About me\n\n- Name: Ada\n- Time zone: Europe/Berlin\n']],
  )
  const { zone } = await site.call<{ zone: string }>('GET', '/api/me', undefined, token)
  assert.equal(zone, 'Europe/Berlin')
  await page.reload()
  await page.getByRole('heading', { level: 1, name: /^Good/ }).waitFor()
  await page.getByText('No threads yet').waitFor()
  assert.equal(await form.count(), 0)
})
