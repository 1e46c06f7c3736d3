// Large frames of threads. A user's connections get them one after the other, each in a turn of the event loop of its own,
// and a frame for several connections is encoded once, in slices.
import { jsonInSlices } from '#core/json-slices.ts'
import type { UserId } from '#core/ids.ts'
import type { Connection, EncodedFrame } from '#http/connection.ts'
import { createOneAtATime } from '#lib/one-at-a-time.ts'
import { nextTurn, pace } from '#lib/pace.ts'
import type { Frame } from '#doors/web/wire/frame.ts'

/** Frames with less text are encoded for each connection: a hundred of them take a few milliseconds. */
export const minLargeChars = 16 * 1024
/** Large frames of one user that are not sent yet. A further one waits; one frame may be larger by itself. */
const maxUnsentBytes = 32 * 1024 * 1024

/** A frame that is made when it is encoded. Frames with the same key have the same content. */
export type LargeFrame = { readonly type: 'large'; readonly key: string; readonly make: () => Frame }

type Receiver = Pick<Connection, 'sendLarge' | 'drained' | 'gone'>

/** Sends one frame after another to one connection. Resolves to false once the connection has ended. */
export type SendLarge = (frame: LargeFrame) => Promise<boolean>

export interface LargeFrames {
  open(user: UserId, connection: Receiver): SendLarge
}

export type LargeFramesParts = {
  readonly encode?: (frame: Frame) => Promise<EncodedFrame>
  readonly maxUnsentBytes?: number
}

/** The frames of one user that wait, in their order. */
type Line = {
  readonly user: UserId
  waiting: number
  unsent: number
  /** Called when frames were sent. */
  wake: () => void
  /** The frame that was encoded last, while any frame waits. */
  latest: { readonly key: string; readonly encoded: EncodedFrame } | undefined
}

export function createLargeFrames(parts: LargeFramesParts = {}): LargeFrames {
  const { encode = encodeInPace, maxUnsentBytes: maxUnsent = maxUnsentBytes } = parts
  const lines = new Map<UserId, Line>()
  const inLine = createOneAtATime<UserId>()
  const inOrder = createOneAtATime<Receiver>()

  async function encodeOnce(line: Line, { key, make }: LargeFrame): Promise<EncodedFrame> {
    if (line.latest?.key !== key) {
      line.latest = undefined
      line.latest = { key, encoded: await encode(make()) }
    }
    return line.latest.encoded
  }

  async function sendNext(line: Line, connection: Receiver, frame: LargeFrame): Promise<void> {
    // Other connections that get the same frame join the line in this time.
    await nextTurn()
    while (line.unsent > maxUnsent) await new Promise<void>((resolve) => (line.wake = resolve))
    if (connection.gone.aborted) return
    const encoded = await encodeOnce(line, frame)
    line.unsent += encoded.length
    void connection.sendLarge(encoded).then(() => {
      line.unsent -= encoded.length
      line.wake()
      dropIfIdle(line)
    })
  }

  async function joinLine(user: UserId, connection: Receiver, frame: LargeFrame): Promise<void> {
    const line = lines.get(user) ?? newLine(user)
    lines.set(user, line)
    line.waiting++
    try {
      await inLine(user, () => sendNext(line, connection, frame))
    } finally {
      if (--line.waiting === 0) line.latest = undefined
      dropIfIdle(line)
    }
  }

  function dropIfIdle({ user, waiting, unsent }: Line): void {
    if (waiting === 0 && unsent === 0) lines.delete(user)
  }

  return {
    open(user, connection) {
      const send: SendLarge = async (frame) => {
        // A client that reads slowly waits here, where it holds up no other connection.
        if (await connection.drained()) await joinLine(user, connection, frame)
        return connection.drained()
      }
      return (frame) => inOrder(connection, () => send(frame))
    },
  }
}

/** Encodes a frame and yields to the event loop between slices. */
export async function encodeInPace(frame: Frame): Promise<EncodedFrame> {
  const slices: Buffer[] = []
  let length = 0
  for (const text of jsonInSlices(frame)) {
    const slice = Buffer.from(text)
    slices.push(slice)
    length += slice.length
    await pace()
  }
  const encoded = Buffer.allocUnsafeSlow(length)
  let at = 0
  for (const slice of slices) {
    at += slice.copy(encoded, at)
    await pace()
  }
  return encoded
}

function newLine(user: UserId): Line {
  return { user, waiting: 0, unsent: 0, wake: () => {}, latest: undefined }
}
