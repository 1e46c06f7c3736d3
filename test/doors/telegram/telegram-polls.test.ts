// Polls of Telegram as a channel: what they confirm, how often they are repeated, what is logged, and albums.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withFakeClock } from '../../fake-clock.ts'
import { type Answer, away, ok, outage, refused, script, update } from './scripted-bot.ts'

test('polls confirm what was taken, and nothing before', async (t) => {
  const stop = new AbortController()
  const { channel, calls } = script(ok([]), ok([update(4), update(3)]), ok([]), ok([{ update_id: 9 }]))
  const taken: (readonly number[])[] = []
  await withFakeClock(t, async () => {
    for await (const batch of channel.updates(stop.signal)) {
      taken.push(batch.flatMap(({ ids }) => ids))
      if (taken.length === 2) stop.abort()
    }
  })
  assert.deepEqual(taken, [[4, 3], [9]])
  const query = { limit: 100, timeoutSecs: 25 }
  assert.deepEqual(
    calls.map(({ args }) => args[0]),
    [query, query, { ...query, offset: 5 }, { ...query, offset: 5 }],
  )
})

test('polls that fail are repeated more and more slowly, and at the usual pace once one was answered', async (t) => {
  const stop = new AbortController()
  const answers = [away, away, refused(429, 'x', { retryAfterMs: 9_000 }), away, ok([]), away, ok([update(1)])]
  const { channel, times } = script(...answers)
  await withFakeClock(t, async () => {
    for await (const _ of channel.updates(stop.signal)) stop.abort()
  })
  assert.deepEqual(times(), [0, 1, 3, 12, 20, 20, 21])
})

test('polls wait at most half a minute', async (t) => {
  const { channel, times } = script(...outage(7), ok([update(1)]))
  const stop = new AbortController()
  await withFakeClock(t, async () => {
    for await (const _ of channel.updates(stop.signal)) stop.abort()
  })
  assert.deepEqual(times(), [0, 1, 3, 7, 15, 31, 61, 91])
})

const pollFaults: readonly (readonly [answer: Answer, words: string])[] = [
  [away, 'Telegram cannot be reached'],
  [refused(401), 'Telegram refuses the token: connect again'],
  [refused(404), 'Telegram refuses the token: connect again'],
  [refused(409), 'another program reads the updates of this bot'],
  [refused(400), 'Telegram refused to give updates'],
]

for (const [answer, words] of pollFaults) {
  test(`a poll that is answered ${JSON.stringify(answer)} is logged: ${words}`, async (t) => {
    const { channel, logged } = script(answer, ok([update(1)]))
    const stop = new AbortController()
    await withFakeClock(t, async () => {
      for await (const _ of channel.updates(stop.signal)) stop.abort()
    })
    assert.deepEqual(logged, [words])
  })
}

const picture = (id: number) => ({
  update_id: id,
  message: { ...update(id).message, media_group_id: 'g', photo: [{ file_id: `p${id}`, width: 1, height: 1 }] },
})

const albums: readonly (readonly [what: string, answers: readonly Answer[], ids: readonly number[], secs: number])[] = [
  ['that grows no more is taken', [ok([picture(1)]), ok([picture(1)])], [1], 0.5],
  ['is taken as it is when Telegram is away', [ok([picture(1)]), away], [1], 0.5],
  [
    'that grows is looked at twice more, at most',
    [1, 2, 3, 4].map((count) => ok(Array.from({ length: count }, (_, at) => picture(at + 1)))),
    [1, 2, 3],
    1,
  ],
]

for (const [what, answers, ids, secs] of albums) {
  test(`an album ${what}`, async (t) => {
    const { channel, calls, times } = script(...answers)
    const stop = new AbortController()
    let taken: readonly number[] = []
    await withFakeClock(t, async () => {
      for await (const batch of channel.updates(stop.signal)) {
        taken = batch.flatMap((incoming) => incoming.ids)
        stop.abort()
      }
    })
    assert.deepEqual([taken, times().at(-1)], [ids, secs])
    // Looks do not wait for what is not there yet.
    const waited = calls.map(({ args }) => (args[0] as { timeoutSecs: number }).timeoutSecs)
    assert.deepEqual(waited, [25, ...Array(calls.length - 1).fill(0)])
  })
}
