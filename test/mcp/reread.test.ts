// A server that announces changes of its list as often as it likes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createReread } from '#mcp/reread.ts'

function announcements() {
  let reads = 0
  let over = false
  const waits: { ms: number; end: () => void }[] = []
  const announce = createReread({
    read: () => Promise.resolve(void reads++),
    over: () => over,
    wait: (ms) => new Promise((end) => waits.push({ ms, end })),
  })
  const endWait = async (): Promise<void> => {
    waits.at(-1)?.end()
    await settled()
  }
  return { announce, endWait, waits, reads: () => reads, close: () => (over = true) }
}

const settled = () => new Promise(setImmediate)

test('a list is read at once, and again after a second if it was announced meanwhile, however often', async () => {
  const { announce, endWait, waits, reads } = announcements()
  announce()
  for (let time = 0; time < 1_000; time++) announce()
  await settled()
  assert.deepEqual([reads(), waits.map(({ ms }) => ms)], [1, [1_000]])
  announce()
  await endWait()
  assert.equal(reads(), 2)
  await endWait()
  assert.equal(reads(), 2)
  announce()
  await settled()
  assert.equal(reads(), 3)
})

test('the list of a connection that is over is not read', async () => {
  const { announce, endWait, reads, close } = announcements()
  announce()
  await settled()
  announce()
  close()
  await endWait()
  announce()
  await settled()
  assert.equal(reads(), 1)
})
