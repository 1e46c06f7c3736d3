// The page Activity in a real browser: figures that add up, a chart for eyes, keys and ears.
import { test } from 'node:test'
import { clearOfMidnight } from '../clear-of-midnight.ts'
import { farDate } from '../far-schedule.ts'
import { until, untilEqual } from '../until.ts'
import { follow, useSite } from './browser.ts'
import { noBrowser } from './launch.ts'
import { guard } from './corpus.ts'
import { checkLooks } from './looks.ts'

const skip = noBrowser()
const site = useSite({
  script: {
    replies: [
      {
        when: 'tool',
        calls: [{ name: 'time', args: {} }],
        usage: { inputTokens: 100, outputTokens: 10, costUsd: 0.5 },
      },
      { afterTool: 'time', text: 'Done', usage: { inputTokens: 1_000, outputTokens: 200, costUsd: 0.25 } },
      { when: 'fail', error: { code: 'model_unreachable', message: 'gone' } },
      { when: 'words', text: 'Done', usage: { inputTokens: 1_000, outputTokens: 200, costUsd: 0.25 } },
    ],
  },
})

const chat = (message: string, token?: string) => site.call('POST', '/api/chat', { message }, token)
const newUser = async (name: string) => (await site.call<{ token: string }>('POST', '/api/users', { name })).token

test('before anything was used the page says so; then figures, chart, table, tooltip and latest turns tell the same', {
  skip,
}, async (t) => {
  await clearOfMidnight()
  const token = await newUser('spender')
  const page = await site.open(t, '/activity', { token })
  await page.getByRole('heading', { name: 'Nothing to show yet' }).waitFor()
  await chat('tool, then words', token)
  await chat('words', token)
  const figure = (name: string) => page.locator('.totals > div').filter({ has: page.getByText(name, { exact: true }) })
  await figure('Today').getByText('$1.00').waitFor()
  await figure('Last 30 days').getByText('$1.00').waitFor()
  await figure('Tokens').getByText('2,100 read, 410 written').waitFor()
  await figure('Turns').getByText('2', { exact: true }).waitFor()
  await figure('Turns').getByText('none failed').waitFor()
  const doors = page.getByRole('table', { name: 'By door' }).getByRole('row')
  await until(async () => (await doors.last().textContent())?.endsWith('Browser2$1.00') === true)
  await chat('fail', token)
  await figure('Turns').getByText('1 failed').waitFor()
  // A turn that no model answered is a turn too: the figure agrees with the rows below it.
  await figure('Turns').getByText('3', { exact: true }).waitFor()
  await untilEqual(() => page.getByRole('table', { name: 'Latest turns' }).getByRole('row').count(), 4)
  await until(async () => (await doors.last().textContent())?.endsWith('Browser3$1.00') === true)
  const table = page.getByRole('table', { name: 'Cost per day' })
  await untilEqual(() => table.getByRole('row').count(), 31)
  await until(async () => (await table.getByRole('row').last().textContent())?.endsWith('$1.00$1.00') === true)
  const chart = page.getByRole('group', { name: 'Cost per day' })
  await chart.focus()
  await page.keyboard.press('ArrowLeft')
  await chart.locator('.chart-tip strong').filter({ hasText: '$1.00' }).waitFor()
  await page.keyboard.press('Home')
  await chart.locator('.chart-tip strong').filter({ hasText: '$0.00' }).waitFor()
  await page.keyboard.press('Escape')
  await chart.locator('.chart-tip').waitFor({ state: 'detached' })
  const tip = chart.locator('.chart-tip strong').filter({ hasText: '$1.00' })
  await until(async () => {
    const bar = await chart.locator('rect.chart-1').last().boundingBox()
    await page.mouse.move((bar?.x ?? 0) + 3, (bar?.y ?? 0) + 3)
    return tip.isVisible()
  })
  // The latest turns count their tools, and lead to their threads.
  const row = page.getByRole('table', { name: 'Latest turns' }).getByRole('row').last()
  await row.getByText('1,310').waitFor()
  await untilEqual(() => row.getByRole('cell').nth(2).textContent(), '1')
  // On a phone there is room for two weeks; the table has them all.
  await untilEqual(() => chart.locator('.chart-hit').count(), 30)
  await page.setViewportSize({ width: 375, height: 812 })
  await until(async () => (await chart.locator('.chart-hit').count()) === 14)
  // There the tables have no heads: each number has its unit.
  await row.getByRole('cell', { name: '1 tool', exact: true }).waitFor()
  await doors.last().getByRole('cell', { name: '3 turns', exact: true }).waitFor()
  await untilEqual(() => table.getByRole('row').count(), 31)
  await page.getByRole('button', { name: '7 days' }).click()
  await figure('Last 7 days').waitFor()
  await untilEqual(() => table.getByRole('row').count(), 8)
  await row.getByRole('link').click()
  await page.waitForURL('**/threads/*')
})

test('figures that cannot be read say so', { skip }, async (t) => {
  const page = await site.visit(t)
  await page.route('**/api/usage*', (route) => route.abort())
  await follow(page, '/activity')
  await page.getByRole('alert').filter({ hasText: 'The activity could not be read' }).waitFor()
})

test('a mission has its costs under its name', { skip }, async (t) => {
  await clearOfMidnight()
  const mission = { prompt: 'words of the week', schedule: farDate() }
  const { id } = await site.call<{ id: string }>('POST', '/api/missions', mission)
  await site.call('POST', `/api/missions/${id}/run`, {})
  const page = await site.visit(t, '/activity')
  const row = page.getByRole('table', { name: 'By mission' }).getByRole('row').filter({ hasText: '$0.25' })
  await row.getByRole('link', { name: 'words of the week' }).click()
  await page.waitForURL(`**/missions/${id}`)
})

test('the operator sees what each user has used', { skip }, async (t) => {
  await chat('words', await newUser('grace'))
  await chat('words')
  const page = await site.visit(t, '/activity')
  await page.getByRole('table', { name: 'By user' }).getByText('grace').waitFor()
})

test('Activity has no barrier and no style of its own in the page, in any size and theme', { skip }, async (t) => {
  await chat('tool, then words')
  const page = await site.visit(t, '/activity')
  const watch = guard(page)
  await checkLooks(page, async () => {
    await page.getByRole('group', { name: 'Cost per day' }).focus()
    await page.keyboard.press('End')
    await page.locator('.chart-tip').waitFor()
    await watch.check()
  })
})
