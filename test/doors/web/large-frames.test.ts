// Large frames to several connections: encoded once, sent one after the other, and bounded for each user.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { operator } from '#core/ids.ts'
import type { Frame } from '#doors/web/wire/frame.ts'
import { createLargeFrames, encodeInPace, type LargeFrame, type LargeFramesParts } from '#doors/web/large-frames.ts'

const frameOf = (key: string): LargeFrame => ({
  type: 'large',
  key,
  make: () => ({ type: 'delta', thread_id: 't', turn_id: 'u', item_id: key, offset: 0, text: 'x'.repeat(200_000) }),
})

type Held = { readonly frame: Buffer; readonly turn: number; readonly read: () => void }

/** Connections whose clients read a large frame when the test calls `read`, or at once. */
function createLine(parts: LargeFramesParts = {}, readsAtOnce = false) {
  const encoded: Frame[] = []
  const encode = (frame: Frame): Promise<Buffer> => {
    encoded.push(frame)
    return Promise.resolve(Buffer.alloc(10))
  }
  const large = createLargeFrames({ encode, ...parts })
  const sent: Held[] = []
  let turn = 0
  const open = (drained: () => Promise<boolean> = () => Promise.resolve(true)) => {
    const gone = new AbortController()
    const sendLarge = (frame: Buffer): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>()
      sent.push({ frame, turn, read: resolve })
      if (readsAtOnce) resolve()
      return promise
    }
    const send = large.open(operator, { sendLarge, drained, gone: gone.signal })
    return { send, gone }
  }
  /** Turns of the event loop, until all of these are over. */
  async function countTurns(work: readonly Promise<unknown>[]): Promise<void> {
    let over = false
    const all = Promise.all(work).finally(() => (over = true))
    while (!over) {
      await turns(1)
      turn++
    }
    await all
  }
  return { open, sent, encoded, countTurns }
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

describe('large frames', () => {
  it('are encoded once for all connections that get them', async () => {
    const { open, sent, encoded } = createLine({}, true)
    const connections = Array.from({ length: 60 }, () => open())
    await Promise.all(connections.map(({ send }) => send(frameOf('a'))))
    assert.deepEqual([sent.length, encoded.length], [60, 1])
    await Promise.all(connections.map(({ send }) => send(frameOf('b'))))
    assert.deepEqual([sent.length, encoded.length], [120, 2])
    assert.equal(new Set(sent.map(({ frame }) => frame)).size, 2, 'the same bytes')
  })

  it('go to one connection in a turn of the event loop', async () => {
    const { open, sent, countTurns } = createLine({}, true)
    await countTurns(Array.from({ length: 20 }, () => open().send(frameOf('a'))))
    assert.equal(new Set(sent.map(({ turn }) => turn)).size, 20)
  })

  it('are the JSON of their frames, also of a text that is encoded in slices', async () => {
    const { open, sent } = createLine({ encode: encodeInPace }, true)
    await open().send(frameOf('ä'))
    assert.deepEqual(JSON.parse(String(sent[0]?.frame)), frameOf('ä').make())
  })

  it('wait while too much of their user is unread', async () => {
    const { open, sent } = createLine({ maxUnsentBytes: 25 })
    const all = Array.from({ length: 7 }, () => open().send(frameOf('a')))
    await Promise.all(all.slice(0, 3))
    await turns(10)
    assert.equal(sent.length, 3, 'one more than fits')
    sent[1]?.read()
    await all[3]
    await turns(10)
    assert.equal(sent.length, 4)
    for (let at = 0; at < 7; at++) {
      await all[at]
      sent[at]?.read()
    }
    assert.deepEqual(await Promise.all(all), Array(7).fill(true))
  })

  it('pass by a connection whose client does not read, and one that is gone', async () => {
    const { open, sent } = createLine({}, true)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const stalled = open(() => promise)
    const left = open()
    const waits = stalled.send(frameOf('a'))
    left.gone.abort()
    await Promise.all([left.send(frameOf('a')), open().send(frameOf('a'))])
    assert.equal(sent.length, 1)
    resolve(false)
    assert.equal(await waits, false)
    assert.equal(sent.length, 1)
  })

  it('of a connection wait for each other', async () => {
    const { promise: wasRead, resolve: read } = Promise.withResolvers<boolean>()
    const { open, sent } = createLine()
    const { send } = open(() => (sent.length === 0 ? Promise.resolve(true) : wasRead))
    const both = [send(frameOf('a')), send(frameOf('b'))]
    await turns(10)
    assert.equal(sent.length, 1)
    read(true)
    assert.deepEqual(await Promise.all(both), [true, true])
  })

  it('follow one that could not be made', async () => {
    const { open } = createLine({}, true)
    const broken: LargeFrame = { ...frameOf('a'), make: () => assert.fail('no frame') }
    const first = open().send(broken)
    const second = open().send(frameOf('b'))
    await assert.rejects(first, /no frame/)
    assert.equal(await second, true)
  })
})
