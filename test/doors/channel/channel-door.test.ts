// The door of a channel: what is taken, how often, what is told, and which process does it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Post } from '#core/channel.ts'
import { AppError } from '#core/errors.ts'
import type { Channel, SendOutcome } from '#doors/channel/channel.ts'
import { chat, during, pause, post, said, stage } from './door-stage.ts'

const failing = (code?: 'database_unavailable') => (ids: readonly number[]) => {
  if (!ids.includes(1)) return
  throw code ? new AppError(code, 'not now') : new Error('a bug')
}
const started = [[said(1, '/help'), said(2, '/help')]]

test('an update that cannot be taken is tried five times, then the next one is taken', async (t) => {
  const events = await during(t, stage({ batches: started, effect: failing() }), 60)
  assert.deepEqual(events, ['0 take 1', '0.5 take 1', '1.5 take 1', '3.5 take 1', '7.5 take 1', '7.5 take 2'])
})

test('an update waits for a database that is away, for as long as it takes, at most half a minute at a time', async (t) => {
  const events = await during(t, stage({ batches: started, effect: failing('database_unavailable') }), 100)
  const times = [0, 0.5, 1.5, 3.5, 7.5, 15.5, 31.5, 61.5, 91.5]
  assert.deepEqual(
    events,
    times.map((at) => `${at} take 1`),
  )
})

test('a chat does not wait for another whose update fails', async (t) => {
  const batches = [[said(1, '/help'), said(2, '/help', '8')]]
  const play = stage({ batches, effect: failing() })
  const channels = play.parts.store.channels as { chat: unknown }
  channels.chat = (_: string, from: string) => Promise.resolve({ ...chat, chat: from })
  const events = await during(t, play, 1)
  assert.deepEqual(events, ['0 take 1', '0 take 2', '0.5 take 1'])
})

test('whoever greets the bot is told to those who want to know, and nobody else', async (t) => {
  const events = await during(t, stage({ batches: [[said(1, '/help'), said(2, '/start')]] }), 1)
  assert.deepEqual(events, ['0 take 1', '0 take 2', '0 start 7'])
})

test('an unknown chat is paired by a code alone; a greeting that pairs nothing tells nobody', async (t) => {
  const batches = [
    [said(1, 'hi', '8'), said(2, '/start', '8'), said(3, '/start CODE', '8'), { type: 'ignored', ids: [4] } as const],
    [{ type: 'press', ids: [5], chat: '8', message: '1', press: 'x', data: 'd' } as const],
  ]
  assert.deepEqual(await during(t, stage({ batches }), 1), ['0 pair 3'])
})

test('what is not served is ignored, also in a paired chat', async (t) => {
  assert.deepEqual(await during(t, stage({ batches: [[{ type: 'ignored', ids: [1], chat: '7' }]] }), 1), [])
})

test('a press is answered; one that was taken before only ends its waiting', async (t) => {
  const batches = [[{ type: 'press', ids: [1], chat: '7', message: '1', press: 'x', data: 'd' } as const]]
  assert.deepEqual(await during(t, stage({ batches }), 1), [
    '0 take 1',
    '0 answer x This was decided already, or has expired.',
  ])
  assert.deepEqual(await during(t, stage({ batches, pressed: true }), 1), ['0 answer x '])
})

test('updates that were taken are forgotten after three days, and looked for once an hour', async (t) => {
  const batches = [[], [], [], []]
  const play = stage({ batches })
  const gaps = [0, 1_800_000, 1_800_000, 0]
  const channel = play.parts.channel as { updates: Channel['updates'] }
  channel.updates = async function* () {
    for (const [at, batch] of batches.entries()) {
      t.mock.timers.setTime(Date.now() + (gaps[at] ?? 0))
      yield batch
    }
  }
  await during(t, play, 3_601)
  assert.deepEqual(play.events.filter((event) => event.includes('prune')).slice(0, 2), [
    '0 prune 72 h',
    '3600 prune 72 h',
  ])
})

test('a note is told in parts that the channel takes, and finished', async (t) => {
  const events = await during(t, stage({ posts: [{ ...post, text: 'one two three' }] }), 1)
  assert.deepEqual(events, ['0 send …', '0 edit 1 one two ', '0 send …', '0 edit 2 three', '0 finish p'])
})

test('a post that fails is told again, more and more slowly', async (t) => {
  let left = 3
  const send = (): SendOutcome => {
    if (left-- > 0) throw new Error('a bug')
    return { type: 'sent', message: '1' }
  }
  const events = await during(t, stage({ posts: [post], send }), 5)
  assert.deepEqual(events, ['0 send …', '0.5 send …', '1.5 send …', '3.5 send …', '3.5 edit 1 hello', '3.5 finish p'])
})

const outcomes: readonly (readonly [what: string, outcome: SendOutcome, of: Partial<Post>, told: boolean])[] = [
  ['refused, of a thread', { type: 'refused', why: 'no' }, { threadId: 't' }, true],
  ['refused, of no thread', { type: 'refused', why: 'no' }, {}, false],
  ['gone', { type: 'gone' }, { threadId: 't' }, false],
]

for (const [what, outcome, of, told] of outcomes) {
  test(`a post that is ${what} is finished, and ${told ? 'named' : 'not named'} in the chat`, async (t) => {
    const events = await during(t, stage({ posts: [{ ...post, ...of }], send: () => outcome }), 1)
    assert.deepEqual(events.slice(0, 2), ['0 send …', '0 finish p'])
    assert.deepEqual(
      events.slice(2).map((event) => event.slice(0, 23)),
      told ? ['0 send A message to you'] : [],
    )
  })
}

test('a post that was added is told when the door is woken', async (t) => {
  const play = stage({})
  const events = await during(t, play, 3, async (door) => {
    await pause(1_000)
    play.posts.push(post)
    await pause(1_000)
    door.wake()
  })
  assert.deepEqual(events, ['2 send …', '2 edit 1 hello', '2 finish p'])
})

test('a post that was forgotten is not tried again', async (t) => {
  const play = stage({
    posts: [post],
    send: () => {
      throw new Error('a bug')
    },
  })
  const events = await during(t, play, 20, async (door) => {
    await pause(1_000)
    play.posts.length = 0
    door.wake()
  })
  assert.deepEqual(events, ['0 send …', '0.5 send …'])
})

test('a process that does not have the channel asks for it every three seconds, and says nothing', async (t) => {
  let asked = 0
  const play = stage({ batches: started, posts: [post], renew: () => ++asked > 2 })
  const events = await during(t, play, 5.9)
  assert.deepEqual(events, [])
  assert.equal(asked, 2)
})

test('a process that gets the channel listens; one that loses it stops, and begins again with it', async (t) => {
  const answers = [true, true, false, true]
  const play = stage({ renew: () => answers.shift() ?? true })
  await during(t, play, 12)
  assert.deepEqual(
    play.events.filter((event) => event.includes('listen')),
    ['0 listen', '9 listen'],
  )
})

test('posts that were left while the hold was in doubt are told once it is certain again', async (t) => {
  const play = stage({})
  const events = await during(t, play, 5, async (door) => {
    await pause(1_000)
    // The process stood still: another one may have the channel.
    play.held(false)
    play.posts.push(post)
    door.wake()
  })
  assert.deepEqual(events, ['3 send …', '3 edit 1 hello', '3 finish p'])
})

test('a door that stops takes nothing more, but tells what there is until it closes', async (t) => {
  const play = stage({ batches: [] })
  const events = await during(t, play, 10, async (door) => {
    await pause(1_000)
    door.stop()
    await pause(1_000)
    play.posts.push(post)
    door.wake()
  })
  assert.deepEqual(events, ['2 send …', '2 edit 1 hello', '2 finish p'])
  assert.equal(play.events.at(-1), '10 leave')
})
