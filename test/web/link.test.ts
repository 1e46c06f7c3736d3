// The connection cut and back, a service that restarts, and a long thread, in a real browser.
import assert from 'node:assert/strict'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { maxKept } from '../../web/lib/kept-turns.ts'
import { until } from '../until.ts'
import { noBrowser, useSite } from './browser.ts'

const skip = noBrowser()
const long = Array.from({ length: 60 }, (_, at) => `Sentence number ${at} of the answer.`).join(' ')
const site = useSite({
  script: {
    replies: [
      { when: 'endless', text: long.repeat(20), chunkDelayMs: 25 },
      { when: 'long', text: long, chunkDelayMs: 25 },
      { text: 'You said: {{input}}' },
    ],
    loop: true,
  },
})
const box = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })
const log = (page: Page) => page.getByRole('log', { name: 'Conversation' })

async function say(page: Page, text: string): Promise<void> {
  await box(page).fill(text)
  await box(page).press('Enter')
}

/** A way to the service that can be cut and mended: what went through it breaks, what comes finds nobody. */
async function openCuttable(t: TestContext): Promise<{ url: string; cut(): void; mend(): void }> {
  const open = new Set<Socket>()
  let whole = true
  const server = createServer((from) => {
    if (!whole) return from.destroy()
    const to = connect(Number(new URL(site.url).port), '127.0.0.1')
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      open.add(one)
      one.pipe(other)
      one
        .on('error', () => one.destroy())
        .on('close', () => {
          open.delete(one)
          other.destroy()
        })
    }
    return undefined
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = (): void => {
    whole = false
    for (const each of open) each.destroy()
  }
  t.after(() => {
    cut()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    cut,
    mend() {
      whole = true
    },
  }
}

const badge = (page: Page) => page.getByText(/^Reconnecting, /)

test('a cut loses nothing and doubles nothing of what streams; what is written meanwhile is sent once', {
  skip,
}, async (t) => {
  const way = await openCuttable(t)
  const page = await site.open(t)
  await page.goto(way.url)
  await say(page, 'long')
  await log(page).getByText('Sentence number 3 ').waitFor()
  way.cut()
  await badge(page).waitFor()
  await log(page).getByText('Sentence number 3 ').waitFor()
  await page.getByText('The turn goes on; the rest follows').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Stop' }).count(), 0)
  way.mend()
  await page.getByRole('button', { name: /^Receipt/ }).waitFor()
  await badge(page).waitFor({ state: 'detached' })
  await page.getByText('Connected again').waitFor({ state: 'attached' })
  const reply = log(page).getByRole('article', { name: 'Atrium' })
  assert.equal((await reply.locator('.markdown').innerText()).trim(), long)
  assert.equal(await reply.count(), 1)
  way.cut()
  await say(page, 'written in a tunnel')
  await page.getByText('Sent when the connection is back').first().waitFor()
  way.mend()
  await log(page).getByText('You said: written in a tunnel').waitFor()
  await page.getByText('Sent when the connection is back').waitFor({ state: 'detached' })
  await until(async () => (await log(page).getByRole('article', { name: 'You' }).count()) === 2)
})

test('a closed tab loses nothing: the turn goes on, and the thread has it all', { skip }, async (t) => {
  const page = await site.open(t)
  await say(page, 'long')
  await log(page).getByText('Sentence number 1 ').waitFor()
  const path = new URL(page.url()).pathname
  await page.close()
  const again = await site.open(t, path)
  await again.getByRole('button', { name: /^Receipt/ }).waitFor()
  assert.equal((await log(again).locator('.markdown').innerText()).trim(), long)
})

/** Run in the page: looks, in each picture, whether a turn stands at the middle of what is seen. */
const watchMiddle = `(() => {
  const seen = { pictures: 0, empty: 0, slowest: 0 }
  let last = performance.now()
  let going = true
  const look = (now) => {
    if (!going) return
    const box = document.querySelector('.transcript').getBoundingClientRect()
    const middle = box.top + box.height / 2
    const shown = [...document.querySelectorAll('[data-turn]')].some((turn) => {
      const { top, bottom } = turn.getBoundingClientRect()
      return top <= middle && bottom >= middle
    })
    seen.pictures++
    if (!shown) seen.empty++
    seen.slowest = Math.max(seen.slowest, now - last)
    last = now
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
  window.endWatch = async () => {
    while (seen.pictures <= 5) await new Promise(requestAnimationFrame)
    going = false
    return seen
  }
})()`

test('with forced colours what has the focus and what is chosen is seen; nothing moves where motion is unwanted', {
  skip,
}, async (t) => {
  const page = await site.open(t, '/', { forcedColors: 'active', reducedMotion: 'reduce' })
  await say(page, 'an endless one, please')
  await page.getByRole('button', { name: 'Stop' }).waitFor()
  assert.equal(await page.evaluate('document.querySelectorAll(".light.running").length'), 1)
  const moving = `document.getAnimations().filter((each) => each.playState === 'running').length`
  assert.equal(await page.evaluate(moving), 0)
  const outlined = (found: ReturnType<Page['locator']>) =>
    found.evaluate((node) => {
      const style = node.ownerDocument.defaultView?.getComputedStyle(node)
      return `${style?.outlineStyle} ${style?.outlineWidth}`
    })
  await box(page).focus()
  assert.equal(await outlined(page.locator('.composer')), 'solid 2px')
  assert.equal(await outlined(page.locator('.thread-row [aria-current=page]').first()), 'solid 2px')
  await page.keyboard.press('Control+k')
  await until(async () => (await outlined(page.getByRole('searchbox', { name: 'Search threads' }))) === 'solid 2px')
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
})

test('a thread of 2,000 messages opens at its end with a part of it in the page, and goes back to its beginning', {
  skip,
}, async (t) => {
  const input = Array.from({ length: 2_000 }, (_, at) => ({
    type: 'message',
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `${at % 2 === 0 ? 'Question' : 'Answer'} number ${at}`,
  }))
  await site.call('POST', '/api/v1/responses', {
    model: 'reborn',
    input: [...input, { role: 'user', content: 'the last one' }],
  })
  const { threads } = await site.call<{ threads: { id: string; door: string }[] }>('GET', '/api/threads')
  const page = await site.open(t, `/threads/${threads.find(({ door }) => door === 'responses')?.id}`)
  await log(page).getByText('You said:').waitFor()
  // A turn has two messages.
  const inPage = (): Promise<number> => log(page).getByRole('article').count()
  assert((await inPage()) <= 2 * maxKept, `${await inPage()} messages are in the page`)
  const scroller = page.locator('.transcript')
  // Scrolling shows no empty page: in every picture a message stands at the middle.
  await page.evaluate(watchMiddle)
  await page.mouse.move(700, 400)
  for (let at = 0; at < 30; at++) await page.mouse.wheel(0, -700)
  const seen = await page.evaluate<{ pictures: number; empty: number; slowest: number }>('window.endWatch()')
  assert.equal(seen.empty, 0, `${seen.empty} of ${seen.pictures} pictures were empty`)
  t.diagnostic(`${seen.pictures} pictures, the slowest ${Math.round(seen.slowest)} ms after the one before`)
  await until(async () => {
    await scroller.evaluate((node) => node.scrollTo(0, 0))
    return (await log(page).getByText('Question number 0', { exact: true }).count()) === 1
  })
  assert((await inPage()) <= 2 * maxKept, `${await inPage()} messages are in the page`)
})
