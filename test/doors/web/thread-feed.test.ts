// One thread over a connection: the order of its frames.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { operator } from '#core/ids.ts'
import { type Entry, textMessage } from '#core/item.ts'
import { noUsage, type Thread, type Turn } from '#core/turn.ts'
import type { TurnStatus } from '#core/turn-status.ts'
import { type Follow, type Following, followThread } from '#doors/web/thread-feed.ts'
import type { Frame } from '#doors/web/wire/frame.ts'
import type { Watched } from '#turns/watch.ts'

const threadId = '00000000-0000-7000-8000-000000000001'
const turn = (status: TurnStatus, more: Partial<Turn> = {}): Turn => ({
  id: 't1',
  threadId,
  userId: operator,
  door: 'web',
  status,
  options: {},
  createdAt: 0,
  usage: noUsage,
  ...more,
})
const entry = (seq: number, text = 'hi'): Entry => ({
  seq,
  id: `i${seq}`,
  turnId: 't1',
  at: 0,
  item: textMessage('user', text),
})
const stored = (...seqs: number[]): Watched => ({ type: 'entries', entries: seqs.map((seq) => entry(seq)) })
const piece = (type: 'delta' | 'thought', itemId: string, offset: number, text: string): Watched => ({
  type,
  turnId: 't1',
  itemId,
  offset,
  text,
})

type Given = { readonly last: Turn; readonly lastSeq?: number; readonly after?: number; readonly drained?: boolean }

/** The frames of a thread with a last turn, whose watch yields these batches and then ends. */
async function framesOf(batches: readonly Watched[][], { last, lastSeq = 2, after = 0, drained = true }: Given) {
  const frames: Frame[] = []
  /** Of each frame: whether the turn counted as running when it was sent. */
  const whileRunning: boolean[] = []
  const large: string[] = []
  const ended = Promise.withResolvers<unknown>()
  async function* events() {
    await Promise.resolve()
    yield* batches
  }
  const parts: Follow = {
    turns: {
      watch: () => Object.assign(events(), { close() {} }),
      get: () => Promise.resolve(last),
    },
    threads: {
      get: () => Promise.resolve({ id: threadId, lastSeq } as Thread),
      entries: () => Promise.resolve({ entries: [entry(lastSeq)], more: false }),
    },
    connection: {
      send(...sent) {
        frames.push(...sent)
        for (const _ of sent) whileRunning.push(following?.running() ?? true)
      },
      drained: () => Promise.resolve(drained),
    },
    sendLarge: ({ key, make }) => {
      large.push(key)
      frames.push(make())
      return Promise.resolve(drained)
    },
    user: operator,
    threadId,
    after,
    onEnd: ended.resolve,
  }
  let following: Following | undefined
  following = await followThread(parts)
  const atFirst = following.running()
  assert.equal(await ended.promise, undefined)
  const told = frames.map((frame) => {
    if (frame.type === 'item') return `item ${frame.seq}`
    if (frame.type === 'turn') return `turn ${frame.status}`
    if (frame.type === 'delta' || frame.type === 'thought')
      return `${frame.type} ${frame.item_id} ${frame.offset} ${frame.text}`
    return frame.type
  })
  return { frames, told, large, whileRunning, running: [atFirst, following.running()] }
}

describe('followThread', () => {
  it('tells the last turn after all entries that it had', async () => {
    const last = turn('completed', { lastSeq: 2 })
    assert.deepEqual((await framesOf([[stored(1)], [stored(2)]], { last })).told, [
      'item 1',
      'item 2',
      'turn completed',
    ])
    assert.deepEqual((await framesOf([[stored(1, 2)]], { last })).told, ['item 1', 'item 2', 'turn completed'])
  })

  it('tells the last turn at once to a reader that has all entries, and only once', async () => {
    const last = turn('completed', { lastSeq: 2 })
    assert.deepEqual((await framesOf([[stored(3)]], { last, after: 2 })).told, ['turn completed', 'item 3'])
    assert.deepEqual((await framesOf([], { last, after: 1 })).told, [])
  })

  it('counts a turn as running until its end is sent', async () => {
    const end: Watched = { type: 'turn', turn: turn('completed', { lastSeq: 3 }) }
    const { told, whileRunning, running } = await framesOf([[stored(1, 2)], [stored(3), end]], {
      last: turn('running'),
    })
    assert.deepEqual(told, ['item 1', 'item 2', 'turn running', 'item 3', 'turn completed'])
    assert.deepEqual([whileRunning, running], [told.map(() => true), [true, false]])
  })

  it('counts a turn as running while it is sent, also where its begin and its end come together', async () => {
    const [begin, end] = (['running', 'completed'] as const).map((status): Watched => {
      return { type: 'turn', turn: { ...turn(status, { lastSeq: 3 }), id: 'next' } }
    })
    for (const batches of [[[begin, stored(3), end]], [[begin, stored(3)], [end]]] as Watched[][][]) {
      const { told, whileRunning, running } = await framesOf(batches, { last: turn('completed'), after: 2 })
      assert.deepEqual(told, ['turn completed', 'turn running', 'item 3', 'turn completed'])
      assert.deepEqual(
        [whileRunning.slice(1), running],
        [
          [true, true, true],
          [false, false],
        ],
      )
    }
  })

  it('tells a newer state of the last turn in its place', async () => {
    const events: Watched[] = [{ type: 'turn', turn: turn('completed') }, stored(1, 2)]
    const { told, running } = await framesOf([events], { last: turn('running') })
    assert.deepEqual(
      [told, running],
      [
        ['turn completed', 'item 1', 'item 2'],
        [true, false],
      ],
    )
  })

  it('sends a large item or text by its key, in the order of the others', async () => {
    const text = 'x'.repeat(20_000)
    const snapshot: Watched = { type: 'snapshot', turnId: 't1', itemId: 'a', text }
    const items: Watched = { type: 'entries', entries: [entry(1), entry(2, text), entry(3)] }
    const batches = [[items], [snapshot], [piece('delta', 'a', 20_000, text)], [piece('thought', 'b', 5, text)]]
    const { told, large } = await framesOf(batches, { last: turn('running'), lastSeq: 3 })
    assert.deepEqual(
      told.map((each) => each.replace(/x+/, '')),
      ['item 1', 'item 2', 'item 3', 'turn running', 'snapshot', 'delta a 20000 ', 'thought b 5 '],
    )
    assert.deepEqual(large, [
      `item ${threadId} 2`,
      `snapshot ${threadId} a 0 20000`,
      `delta ${threadId} a 20000 20000`,
      `thought ${threadId} b 5 20000`,
    ])
  })

  it('leaves out a turn of the thread that this one was forked from', async () => {
    const { told, running } = await framesOf([[stored(1, 2)]], { last: turn('running', { threadId: 'other' }) })
    assert.deepEqual(
      [told, running],
      [
        ['item 1', 'item 2'],
        [false, false],
      ],
    )
  })

  it('runs while text is written, and rests with its turn', async () => {
    const last = turn('completed')
    for (const type of ['delta', 'thought'] as const) {
      assert.deepEqual((await framesOf([[piece(type, 'a', 0, 'x')]], { last, after: 2 })).running, [false, true])
    }
    const snapshot: Watched = { type: 'snapshot', turnId: 't1', itemId: 'a', text: 'x' }
    assert.deepEqual((await framesOf([[snapshot]], { last, after: 2 })).running, [false, true])
    for (const [status, running] of [
      ['queued', true],
      ['running', true],
      ['waiting', false],
      ['failed', false],
    ] as const) {
      const event: Watched = { type: 'turn', turn: turn(status) }
      assert.deepEqual((await framesOf([[event]], { last, after: 2 })).running, [false, running], status)
    }
  })

  it('joins pieces of one text that follow each other within a batch, and no others', async () => {
    const last = turn('running', { threadId: 'other' })
    const told = async (...batches: Watched[][]) => (await framesOf(batches, { last })).told
    const [first, second] = [piece('delta', 'a', 0, 'He'), piece('delta', 'a', 2, 'llo')]
    assert.deepEqual(await told([first, second, piece('delta', 'a', 5, '!')]), ['delta a 0 Hello!'])
    assert.deepEqual(await told([first], [second]), ['delta a 0 He', 'delta a 2 llo'])
    assert.deepEqual(await told([first, piece('delta', 'b', 2, 'x')]), ['delta a 0 He', 'delta b 2 x'])
    assert.deepEqual(await told([first, piece('thought', 'a', 2, 'x')]), ['delta a 0 He', 'thought a 2 x'])
    assert.deepEqual(await told([first, piece('delta', 'a', 3, 'x')]), ['delta a 0 He', 'delta a 3 x'])
    const thoughts = [piece('thought', 'r', 0, 'h'), piece('thought', 'r', 1, 'm')]
    assert.deepEqual(await told(thoughts), ['thought r 0 hm'])
  })

  it('tells with the first piece of an item where its response began', async () => {
    const firstId = 'first'
    const batch: Watched[] = [
      { type: 'snapshot', turnId: 't1', itemId: 'a', text: 'x', firstId },
      { ...piece('thought', 'b', 0, 'h'), firstId } as Watched,
      piece('thought', 'c', 3, 'm'),
      { ...piece('delta', 'd', 0, 'y'), firstId } as Watched,
    ]
    const { frames } = await framesOf([batch], { last: turn('running', { threadId: 'other' }) })
    assert.deepEqual(
      frames.map((frame) => ('first_id' in frame ? frame.first_id : undefined)),
      [firstId, firstId, undefined, firstId],
    )
  })

  it('stops at a connection that is gone', async () => {
    const { told } = await framesOf([[stored(1, 2)]], { last: turn('completed'), drained: false })
    assert.deepEqual(told, ['item 1'])
  })
})
