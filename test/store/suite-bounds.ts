// What is read is bounded, however much is stored: lists, stretches of a thread, items by their id.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '#core/ids.ts'
import type { Draft } from '#core/item.ts'
import type { EntryRange } from '#core/thread-store.ts'
import type { NewTurn } from '#core/turn-store.ts'
import type { Turn } from '#core/turn.ts'
import type { Open } from './harness.ts'
import {
  ada,
  bob,
  call,
  draft,
  finish,
  gate,
  lease,
  queuedTurn,
  rejectsWith,
  reply,
  say,
  step,
  turnOf,
} from './harness.ts'

const megabyte = 1024 * 1024
/** Much longer than what a list shows of a text. */
const many = 50_000

export function boundTests(open: Open): void {
  test('a list shows the beginning of each reply, says where it cut one, and has no options', async (t) => {
    const { store } = await open(t)
    const answer = async (text: string): Promise<Turn> => {
      const { turn } = await store.turns.start(turnOf({ options: { echo: 'echoed' }, input: [say('asked')] }))
      return (await store.turns.record(turn, lease, step([reply(text)], { status: 'completed' }))).turn
    }
    const replies: readonly [said: string, shown: string, cut: boolean][] = [
      ['short', 'short', false],
      ['"quoted"\\ \u0000\n\ud83d', '"quoted"\\ \u0000\n\ud83d', false],
      ['x'.repeat(2_000), 'x'.repeat(2_000), false],
      ['x'.repeat(2_001), 'x'.repeat(2_000), true],
      [`${'x'.repeat(1_999)}\u{1F3DB}`, 'x'.repeat(1_999), true],
      ['"'.repeat(many), '"'.repeat(2_000), true],
      ['\u0001'.repeat(many), '\u0001'.repeat(1_988), true],
      ['é\u{1F3DB}'.repeat(many), `${'é\u{1F3DB}'.repeat(666)}é`, true],
    ]
    for (const [said] of replies) await answer(said)
    const { rows } = await store.turns.list(ada, { limit: 100 })
    assert.deepEqual(
      rows.map(({ reply }) => reply?.cut),
      replies.map(([, , cut]) => cut).toReversed(),
    )
    for (const [at, [, shown]] of replies.toReversed().entries()) {
      const text = rows[at]?.reply?.text ?? ''
      assert.ok(shown.startsWith(text) && text.length >= Math.min(shown.length, 1_900), `reply ${at} is a beginning`)
    }
    assert.ok(!JSON.stringify(rows).includes('echoed'))
  })

  test('a list and a single turn show the beginning of what was asked, of a queued turn too', async (t) => {
    const { store } = await open(t)
    const long = '\u0001\u{1F3DB}'.repeat(5_000)
    const image = { type: 'image' as const, url: `data:image/png;base64,${'A'.repeat(megabyte)}` }
    const asked: readonly [input: NewTurn['input'], shown: string | undefined][] = [
      [[say('plain "quoted"\n\u0000 words')], 'plain "quoted"\n\u0000 words'],
      [[say(long)], long.slice(0, 1_000)],
      [
        [draft({ type: 'message', role: 'user', content: [{ type: 'text', text: 'beside a picture' }, image] })],
        undefined,
      ],
      [[reply('not of a user')], undefined],
      [[], undefined],
    ]
    for (const start of [turnOf, queuedTurn])
      for (const [input, shown] of asked) {
        const { turn } = await store.turns.start(start({ input }))
        const [listed] = (await store.turns.list(ada, { limit: 1 })).rows
        assert.equal(listed?.id, turn.id)
        assert.equal(await store.turns.opening(ada, turn.id), listed.opening)
        assert.equal(await store.turns.opening(bob, turn.id), undefined, 'of another user')
        assert.equal(listed.opening?.slice(0, 1_000), shown)
        assert.ok((listed.opening ?? '').length < 4_000)
      }
  })

  test('only what the model said last, in a turn that is done, is a reply', async (t) => {
    const { store } = await open(t)
    const failed = await store.turns.start(turnOf())
    const error = { code: 'internal' as const, message: 'no' }
    await store.turns.record(failed.turn, lease, step([reply('half')], { status: 'failed', error }))
    const gated = await store.turns.start(turnOf())
    await store.turns.record(gated.turn, lease, step([call('c1'), gate('c1', 'output')], { status: 'completed' }))
    await store.turns.start(turnOf())
    await store.turns.start(queuedTurn())
    const { rows } = await store.turns.list(ada, { limit: 9 })
    assert.deepEqual(
      rows.map(({ status, reply }) => [status, reply]),
      [
        ['queued', undefined],
        ['running', undefined],
        ['completed', undefined],
        ['failed', undefined],
      ],
    )
  })

  test('the texts of a last response are one reply, in their order, and cut as one', async (t) => {
    const { store } = await open(t)
    const shown = async (...drafts: Draft[]): Promise<unknown> => {
      const { turn } = await store.turns.start(turnOf())
      await store.turns.record(turn, lease, step(drafts, { status: 'completed' }))
      const [row] = (await store.turns.list(ada, { limit: 1 })).rows
      return row?.reply && [row.reply.text, row.reply.cut]
    }
    const thought = (): Draft => draft({ type: 'reasoning', text: 'hm' })
    const result = (): Draft => draft({ type: 'result', callId: 'c1', output: 'r' })
    const x = 'x'.repeat(1_500)
    assert.deepEqual(await shown(reply('a'), reply('b')), ['a\n\nb', false])
    assert.deepEqual(await shown(reply('a'), thought(), reply('b')), ['a\n\nb', false])
    assert.deepEqual(await shown(reply('a'), thought()), ['a', false], 'also if it ends otherwise')
    assert.deepEqual(await shown(reply('old'), call('c1'), result(), reply('a'), reply('b')), ['a\n\nb', false])
    assert.deepEqual(await shown(reply('a'), call('c1'), result()), ['a', false], 'what came after it is no text')
    assert.deepEqual(await shown(thought(), call('c1')), undefined)
    assert.deepEqual(await shown(reply(x), reply(x)), [`${x}\n\n${'x'.repeat(498)}`, true])
    assert.deepEqual(await shown(reply('x'.repeat(2_001)), reply('b')), ['x'.repeat(2_000), true])
    const nine = Array.from({ length: 9 }, (_, at) => reply(String(at)))
    assert.deepEqual(await shown(...nine), ['12345678'.split('').join('\n\n'), false], 'of the last eight items')
  })

  test('a message of 64 KiB has an opening, and a larger one has none', async (t) => {
    const { store } = await open(t)
    const rest = Buffer.byteLength(JSON.stringify(say('').item))
    const opening = async (bytes: number): Promise<number | undefined> => {
      const { turn } = await store.turns.start(turnOf({ input: [say('x'.repeat(bytes - rest))] }))
      return (await store.turns.opening(ada, turn.id))?.length
    }
    const shown = 4_000 - (rest - '"}]}'.length)
    assert.deepEqual([await opening(64 * 1024), await opening(64 * 1024 + 1)], [shown, undefined])
  })

  test('a stretch ends at its bound in rows or in bytes and says that there is more; one item always comes', async (t) => {
    const { store } = await open(t)
    const input = [10, 200, 300, 5_000, 10].map((length) => say('x'.repeat(length)))
    const { turn } = await store.turns.start(turnOf({ input }))
    const read = async (stretch: EntryRange): Promise<unknown> => {
      const { entries, more } = await store.threads.entries(ada, turn.threadId, stretch)
      return [entries.map(({ seq }) => seq), more]
    }
    assert.deepEqual(await read({ after: 0, limit: 9 }), [[1, 2, 3, 4, 5], false])
    assert.deepEqual(await read({ after: 0, limit: 5 }), [[1, 2, 3, 4, 5], false])
    assert.deepEqual(await read({ after: 0, limit: 2 }), [[1, 2], true])
    assert.deepEqual(await read({ after: 0, limit: 9, maxBytes: 1_000 }), [[1, 2, 3], true])
    assert.deepEqual(await read({ after: 3, limit: 9, maxBytes: 1_000 }), [[4], true])
    assert.deepEqual(await read({ after: 3, upTo: 4, limit: 9, maxBytes: 1_000 }), [[4], false])
    assert.deepEqual(await read({ after: 5, limit: 9 }), [[], false])
    const other = { after: 0, limit: 9 }
    assert.deepEqual(await store.threads.entries(bob, turn.threadId, other), { entries: [], more: false })
  })

  test('a stretch without a bound of its own has the usual one', async (t) => {
    const { store } = await open(t)
    const input = Array.from({ length: 5 }, () => say('x'.repeat(3 * megabyte)))
    const { turn } = await store.turns.start(turnOf({ input }))
    const { entries, more } = await store.threads.entries(ada, turn.threadId, { after: 0, limit: 500 })
    assert.deepEqual([entries.length, more], [2, true])
  })

  test('an item is found without reading the long one beside it', async (t) => {
    const { store } = await open(t)
    /** CPU time for the ends of some threads, each behind a message of so many letters; the best of some rounds. */
    const cost = async (letters: number): Promise<number> => {
      const places = []
      for (let at = 0; at < 12; at++) {
        const [long, short] = [say('x'.repeat(letters)), say('short')]
        const { turn } = await store.turns.start(turnOf({ input: [long, short] }))
        places.push({ threadId: turn.threadId, itemId: short.id })
      }
      let best = Number.POSITIVE_INFINITY
      for (let round = 0; round < 10; round++) {
        const before = process.cpuUsage()
        assert.equal((await store.threads.findItems(ada, places)).length, places.length)
        const { user, system } = process.cpuUsage(before)
        best = Math.min(best, user + system)
      }
      return best
    }
    const few = Math.max(await cost(1), 1_000)
    // SQLite would walk over the pages of the long ones, in this process; PostgreSQL could only send them.
    const behindLong = await cost((store.backend === 'sqlite' ? 12 : 1) * megabyte)
    assert.ok(behindLong < 10 * few, `${behindLong} against ${few}`)
  })

  test('items are found by their ids, those of their user alone', async (t) => {
    const { store } = await open(t)
    const input = [say('one'), say('two'), say('three')]
    const { turn } = await store.turns.start(turnOf({ input }))
    const [first, , third] = input
    assert.ok(first && third)
    const at = (itemId: string, threadId = turn.threadId) => ({ threadId, itemId })
    const places = [at(third.id), at(newId()), at(first.id), at(first.id, newId())]
    const found = await store.threads.findItems(ada, places)
    assert.deepEqual(
      found.map(({ id, seq, item }) => ({ id, seq, item })),
      [
        { ...third, seq: 3 },
        { ...first, seq: 1 },
      ],
    )
    assert.deepEqual(await store.threads.findItems(bob, places), [])
  })

  test('items that are too much to read at once are refused', async (t) => {
    const { store } = await open(t)
    const big = say('x'.repeat(12 * megabyte))
    const { turn } = await store.turns.start(turnOf({ input: [big] }))
    const place = { threadId: turn.threadId, itemId: big.id }
    assert.equal((await store.threads.findItems(ada, [place, place])).length, 2)
    await rejectsWith(store.threads.findItems(ada, [place, place, place]), 'too_large')
  })

  test('a claim leaves to the next one what would be too much to read at once', async (t) => {
    const { store } = await open(t)
    const big = say('x'.repeat(0.9 * megabyte))
    for (let at = 0; at < 3; at++) await store.turns.start(queuedTurn({ input: [big] }))
    const { started, more } = await store.turns.claim(lease, 9)
    assert.deepEqual([started.length, more], [2, true])
    assert.deepEqual(started[0]?.entries[0]?.item, big.item)
    const rest = await store.turns.claim(lease, 9)
    assert.deepEqual([rest.started.length, rest.more], [1, false])
    for (const { turn } of [...started, ...rest.started]) await finish(store, turn)
  })
}
