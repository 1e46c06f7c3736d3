// Finding words in a long thread: all its parts, places in order, and the way back to a message.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshPage, gateway, ok, refusal } from './page.ts'
import type { Conversation } from '../../../web/store/conversation.ts'
import { createThreadFinder, loadBack, maxParts, maxPlaces } from '../../../web/store/thread-find.ts'

const finding = 'GET /api/threads/t1/find'

test('all parts of a thread are looked through, and the latest place is shown first', async (t) => {
  freshPage(t)
  gateway.on(finding, ({ query }) =>
    query.get('after') === '0'
      ? ok({ hits: [{ seq: 2, count: 2 }], next_after: 50 })
      : ok({ hits: [{ seq: 70, count: 1 }], next_after: null }),
  )
  const finder = createThreadFinder('t1')
  await finder.search('fig')
  assert.deepEqual(finder.found.value, { words: 'fig', seqs: [2, 2, 70], more: false })
  assert.deepEqual(
    gateway.of(finding).map(({ query }) => [query.get('q'), query.get('after')]),
    [
      ['fig', '0'],
      ['fig', '50'],
    ],
  )
  const steps = [1, 1, -1, -1].map((by) => (finder.step(by), finder.at.value))
  assert.deepEqual(steps, [0, 1, 0, 2])
})

test('a later search ends an earlier one, and a fault is told', async (t) => {
  freshPage(t)
  let answer = (): void => {}
  gateway.on(finding, async ({ query }) => {
    if (query.get('q') === 'slow') await new Promise<void>((done) => (answer = done))
    return ok({ hits: [{ seq: query.get('q') === 'slow' ? 1 : 2, count: 1 }], next_after: null })
  })
  const finder = createThreadFinder('t1')
  const slow = finder.search('slow')
  await finder.search('quick')
  answer()
  await slow
  assert.deepEqual(finder.found.value?.seqs, [2])
  await finder.search(' ')
  assert.deepEqual(finder.found.value?.seqs, undefined)
  gateway.on(finding, refusal(500, 'internal'))
  await finder.search('fig')
  assert.deepEqual([finder.found.value?.seqs, finder.found.value?.fault !== undefined], [[], true])
  finder.step(1)
  assert.equal(finder.at.value, 0)
})

test('of more places than are counted the latest are kept', async (t) => {
  freshPage(t)
  gateway.on(finding, ({ query }) => {
    const seq = Number(query.get('after')) + 1
    return ok({ hits: [{ seq, count: seq === 2 ? 5_000 : 400 }], next_after: seq < 4 ? seq : null })
  })
  const finder = createThreadFinder('t1')
  await finder.search('a')
  const { seqs = [], more } = finder.found.value ?? {}
  assert.deepEqual([seqs.length, seqs[0], seqs[200], seqs.at(-1), more], [maxPlaces, 2, 3, 4, true])
  assert.equal(finder.at.value, maxPlaces - 1)
})

test('a search reads so many parts and tells that there is more', async (t) => {
  freshPage(t)
  gateway.on(finding, ok({ hits: [], next_after: 9 }))
  const finder = createThreadFinder('t1')
  await finder.search('a')
  assert.deepEqual(finder.found.value, { words: 'a', seqs: [], more: true })
  assert.equal(gateway.of(finding).length, maxParts)
})

test('a thread is loaded back to a message, unless nothing more comes', async () => {
  let first = 900
  const at = (end: number): Conversation =>
    ({
      turns: { peek: () => [{ seq: first }] },
      loadEarlier: async () => void (first = Math.max(end, first - 200)),
    }) as never
  const left = new AbortController()
  assert.equal(await loadBack(at(1), 450, left.signal), true)
  assert.equal(first, 300)
  assert.equal(await loadBack(at(300), 20, left.signal), false)
  left.abort()
  assert.equal(await loadBack(at(1), 20, left.signal), false)
  assert.equal(first, 300, 'nothing is read once it has ended')
})
