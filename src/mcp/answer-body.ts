// Bodies of answers over HTTP, as they come in: one message, or a stream of events. Each message is bounded before it is
// parsed by the client package.
import { ByteBlocks } from '#lib/byte-blocks.ts'
import { pace } from '#lib/pace.ts'
import { maxMessageBytes, messageExcess } from './message-bounds.ts'

/** The code of an error of this side, in the range that the protocol leaves free. */
export const lostCode = -32_000

/** Bytes passed to the client package at a time: it handles all that it has without yielding to the event loop. */
const pieceBytes = 4 * 1024

/** The body of an answer that is no stream, in one piece. */
export async function* wholeOf(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const held = new ByteBlocks()
  for await (const chunk of body) {
    held.add(chunk)
    if (held.size > maxMessageBytes) throw new Error(tooLargeWords)
  }
  const whole = held.take()
  const excess = messageExcess(whole)
  if (excess !== undefined) throw new Error(excessWords(excess))
  yield whole
}

/**
 * A stream of events may be long, each event not. The client package would wait for the answer to a request whose stream
 * is broken: an error is put at its end. A stream whose events have ids is taken up again instead.
 */
export async function* eventsOf(body: AsyncIterable<Buffer>, requestId: unknown): AsyncGenerator<Buffer> {
  /** An event whose end has not come yet. */
  const held = new ByteBlocks()
  let tail = '\n'
  let resumable = false
  let refused: string | undefined
  const checked = (events: Buffer): Buffer => {
    refused = eventsFault(events)
    if (refused !== undefined) throw new Error(refused)
    return events
  }
  let fault = 'the answer ended too early'
  try {
    for await (const chunk of body) {
      const text = tail + chunk.toString('latin1')
      resumable ||= /[\r\n]id:/.test(text)
      const at = Math.max(text.lastIndexOf('\n\n'), text.lastIndexOf('\r\r'), text.lastIndexOf('\n\r\n'))
      // The end of the last whole event of the chunk. An empty line before it is no part of it.
      const end = at < 0 ? 0 : Math.max(0, at + (text[at + 1] === '\r' && text[at] === '\n' ? 3 : 2) - tail.length)
      tail = text.slice(-3)
      held.add(chunk.subarray(0, end))
      if (end > 0) yield* inPieces(checked(held.take()))
      held.add(chunk.subarray(end))
      if (held.size > maxMessageBytes) refused = tooLargeWords
      if (refused !== undefined) throw new Error(refused)
    }
    yield* inPieces(checked(held.take()))
  } catch (error) {
    if (requestId === undefined || (resumable && refused === undefined)) throw error
    fault = refused ?? 'the connection was lost'
  }
  if (requestId === undefined || (resumable && refused === undefined)) return
  const message = JSON.stringify({ jsonrpc: '2.0', id: requestId, error: { code: lostCode, message: fault } })
  yield Buffer.from(`\n\nevent: message\ndata: ${message}\n\n`)
}

/** Yields to the event loop between pieces of whole lines. The package would look through a part of a line again and again. */
async function* inPieces(events: Buffer): AsyncGenerator<Buffer> {
  for (let from = 0; from < events.length; ) {
    await pace()
    const end = events.indexOf('\n', from + pieceBytes)
    const to = end < 0 ? events.length : end + 1
    yield events.subarray(from, to)
    from = to
  }
}

/** Checks the data of each event. */
function eventsFault(events: Buffer): string | undefined {
  let data: string[] = []
  // A byte is a character of latin1: the text is as long as the bytes. An empty line ends an event.
  for (const line of [...events.toString('latin1').split(/\r\n|\r|\n/), '']) {
    const found = /^(?:\xef\xbb\xbf)?data(?::|$)/.exec(line)
    if (found) data.push(line.slice(found[0].length))
    if (line !== '' || data.length === 0) continue
    const excess = messageExcess(Buffer.from(data.join('\n'), 'latin1'))
    if (excess !== undefined) return excessWords(excess)
    data = []
  }
  return undefined
}

const tooLargeWords = `the answer is over ${maxMessageBytes / 1024 / 1024} MiB`

function excessWords(excess: string): string {
  return `the answer has more than ${excess}`
}
