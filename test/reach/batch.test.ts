// When several news become one, when a try is repeated, and what answers mean.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countEvents, isSummarized, nextTry, retryMs } from '#reach/batch.ts'
import { outcomeOf, readRetryAfter } from '#reach/http-outcome.ts'
import type { PostAnswer } from '#reach/way.ts'
import { pathOf, wordsOf } from '#reach/words.ts'

const no = (count: number): boolean[] => Array.from({ length: count }, () => false)

for (const [held, expected] of [
  [no(1), false],
  [no(5), false],
  [no(6), true],
  [[true], false],
  [[true, true], true],
  [[true, false], true],
] as const) {
  test(`${held.length} entries, ${held.filter(Boolean).length} of them held: ${expected ? 'one message' : 'one each'}`, () => {
    assert.equal(isSummarized(held.map((each) => ({ held: each }))), expected)
  })
}

test('the waits between ten tries grow from a second to ten minutes', () => {
  const waits = Array.from({ length: 10 }, (_, at) => retryMs(at + 1))
  assert.deepEqual(waits.slice(0, 4), [1_000, 3_000, 9_000, 27_000])
  assert.deepEqual(waits.slice(-3), [600_000, 600_000, 600_000])
})

const day = 86_400_000
for (const [tries, ageMs, retryAfterMs, expected] of [
  [1, 0, undefined, 1_000],
  [1, 0, 60_000, 60_000],
  [3, 0, 5, 9_000],
  [9, 0, undefined, 600_000],
  [10, 0, undefined, undefined],
  [1, day - 1_000, undefined, 1_000],
  [1, day - 999, undefined, undefined],
  [1, 0, day + 1, undefined],
] as const) {
  test(`try ${tries} of news ${ageMs} ms old, Retry-After ${retryAfterMs}: again in ${expected} ms`, () => {
    const later = { type: 'later', why: '', ...(retryAfterMs !== undefined && { retryAfterMs }) } as const
    const now = 5_000_000_000
    const at = nextTry({ tries, createdAt: now - ageMs }, later, now)
    assert.equal(at === undefined ? undefined : at - now, expected)
  })
}

const answer = (status: number, retryAfter?: string): PostAnswer => {
  return { type: 'answer', status, headers: new Map(retryAfter === undefined ? [] : [['retry-after', retryAfter]]) }
}
const fault = (blocked: boolean, sent: boolean): PostAnswer => ({ type: 'fault', message: 'x', blocked, sent })

for (const [given, type, retryAfterMs] of [
  [answer(200), 'sent'],
  [answer(201), 'sent'],
  [answer(299), 'sent'],
  [answer(300), 'refused'],
  [answer(303), 'refused'],
  [answer(400), 'refused'],
  [answer(401), 'refused'],
  [answer(404), 'gone'],
  [answer(410), 'gone'],
  [answer(413), 'refused'],
  [answer(408), 'later'],
  [answer(425), 'later'],
  [answer(499), 'refused'],
  [answer(429, '7'), 'later', 7_000],
  [answer(500), 'later'],
  [answer(503, 'Thu, 01 Jan 1970 00:00:09 GMT'), 'later', 8_000],
  [fault(true, false), 'refused'],
  [fault(false, false), 'later'],
  [fault(false, true), 'unknown'],
] as const) {
  test(`${JSON.stringify({ ...given, headers: undefined })} means ${type}`, () => {
    const outcome = outcomeOf(given, 'the server', 1_000)
    assert.equal(outcome.type, type)
    assert.equal('retryAfterMs' in outcome ? outcome.retryAfterMs : undefined, retryAfterMs)
  })
}

test('a Retry-After that cannot be read is none, and no wait is longer than a day', () => {
  assert.deepEqual(
    ['soon', '9'.repeat(101), undefined].map((text) => readRetryAfter(text, 0)),
    [undefined, undefined, undefined],
  )
  assert.equal(readRetryAfter('7'.padStart(100, '0'), 0), 7_000)
  assert.deepEqual([readRetryAfter('999999999', 0), readRetryAfter('Thu, 01 Jan 1970 00:00:09 GMT', 60_000)], [day, 0])
})

test('words say what kind of news it is and the title, and more only if the news has it', () => {
  const news = { event: 'needs_you', title: 'Holiday', threadId: 'h1', waitsFor: 'approval' } as const
  assert.deepEqual(wordsOf({ type: 'news', news }), { title: 'Atrium needs your approval', body: 'Holiday' })
  const told = { ...news, content: { text: ' Send the mail? ' } }
  assert.equal(wordsOf({ type: 'news', news: told }).body, 'Holiday\n\nSend the mail?')
  assert.equal(pathOf({ type: 'news', news }), '/threads/h1')
  assert.equal(pathOf({ type: 'news', news: { event: 'failed', title: 'x', missionId: 'm1' } }), '/missions/m1')
  const counts = countEvents([{ event: 'failed' }, { event: 'needs_you' }, { event: 'failed' }])
  assert.equal(wordsOf({ type: 'summary', counts }).body, '1 request waits for you, 2 failed.')
  assert.deepEqual([pathOf({ type: 'summary', counts }), pathOf({ type: 'test' })], ['/waiting', '/'])
  const many = { needs_you: 2, finished: 3 }
  assert.equal(wordsOf({ type: 'summary', counts: many }).body, '2 requests wait for you, 3 finished.')
  assert.equal(pathOf({ type: 'summary', counts: { finished: 3 } }), '/')
  assert.equal(pathOf({ type: 'news', news: { event: 'finished', title: 'x' } }), '/')
  for (const [over, title] of [
    [{ waitsFor: 'credential' }, 'Atrium needs a sign-in'],
    [{ waitsFor: 'input' }, 'Atrium asks you something'],
    [{ event: 'finished' }, 'Atrium has finished'],
    [{ event: 'finished', missionId: 'm' }, 'A mission has something to report'],
    [{ event: 'failed' }, 'A turn failed'],
    [{ event: 'failed', missionId: 'm' }, 'A mission failed'],
    [{ event: 'failed', missionId: 'm', paused: true }, 'A mission failed and is paused'],
  ] as const) {
    assert.equal(wordsOf({ type: 'news', news: { ...news, ...over } }).title, title)
  }
})
