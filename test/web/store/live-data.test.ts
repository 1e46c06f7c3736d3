// Data that a page reads again by itself, as long as the page is shown.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHTML } from 'linkedom'
import { freshPage, settled } from './page.ts'
import { h, options, render } from 'preact'
import { gates } from '../../../web/store/gates.ts'
import { useLive } from '../../../web/store/live-data.ts'
import { loaded } from '../../../web/store/loaded.ts'
import { threadList } from '../../../web/store/threads.ts'

const batchMs = 500
const pollMs = 5_000

test('data is read now, after a burst of changes, by the clock, and not where nobody looks', async (t) => {
  freshPage(t)
  const { document } = parseHTML('<main></main>')
  const page = Object.assign(document, { hidden: false })
  const look = () => page.dispatchEvent(new (page.defaultView ?? assert.fail()).Event('visibilitychange'))
  Object.defineProperty(globalThis, 'document', { value: page, configurable: true })
  // Effects begin and end at once, not after the next picture.
  options.requestAnimationFrame = queueMicrotask
  let reads = 0
  const data = loaded(() => Promise.resolve(++reads))
  function Page() {
    useLive(data)
    return null
  }
  const place = page.querySelector('main') ?? assert.fail()
  render(h(Page, {}), place)
  await settled()
  assert.equal(reads, 1)
  t.mock.timers.tick(batchMs)
  assert.equal(reads, 2, 'once more for what changed while the page came')
  threadList.data.value = { threads: [], next_cursor: null }
  gates.data.value = []
  t.mock.timers.tick(batchMs - 1)
  assert.equal(reads, 2)
  t.mock.timers.tick(1)
  assert.equal(reads, 3, 'once for both')
  t.mock.timers.tick(pollMs)
  t.mock.timers.tick(batchMs)
  assert.equal(reads, 4, 'by the clock')
  page.hidden = true
  for (let polls = 0; polls < 3; polls++) t.mock.timers.tick(pollMs)
  assert.equal(reads, 4)
  page.hidden = false
  look()
  t.mock.timers.tick(batchMs)
  assert.equal(reads, 5, 'whoever looks again sees what is new')
  gates.data.value = []
  render(null, place)
  await settled()
  look()
  threadList.data.value = undefined
  for (let polls = 0; polls < 3; polls++) t.mock.timers.tick(pollMs)
  assert.equal(reads, 5, 'a page that is left reads nothing')
})
