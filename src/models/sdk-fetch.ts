// The fetch for the AI SDK packages. It bounds what a server sends while it is read, and turns failures into our faults
// before a package sees them.
import { ByteBlocks } from '#lib/byte-blocks.ts'
import { pace } from '#lib/pace.ts'
import type { Fault, Faults } from './fault.ts'
import { excessIn } from './line-bounds.ts'
import { maxErrorBytes, type ReadLimits } from './stream-limits.ts'
import { retryAfterMs } from './model-retry.ts'

const [newlineByte, returnByte] = [0x0a, 0x0d]
const byteOrderMark = Buffer.from('\ufeff')
const dataField = 'data:'
/** Bytes passed to a package at a time. A package handles all it has without yielding to the event loop. */
const pieceBytes = 4 * 1024

/** Carries a fault through the layers of a package. */
export class FaultError extends Error {
  readonly fault: Fault

  constructor(fault: Fault) {
    super(fault.error.message)
    this.name = 'FaultError'
    this.fault = fault
  }
}

/** Does not follow redirects: the key would go along, in a header that fetch does not remove. */
export function createBoundedFetch({
  faults,
  limits,
  clock,
  fill,
  open,
}: {
  faults: Faults
  limits: ReadLimits
  clock: () => number
  /** The body to send in place of the one that a package made; undefined for that itself. */
  fill?: (body: string) => Promise<Blob> | undefined
  /** The fetch that sends the requests. */
  open: () => Promise<typeof fetch>
}): typeof fetch {
  return async (input, init) => {
    let response: Response
    const filled = typeof init?.body === 'string' ? fill?.(init.body) : undefined
    try {
      const request = filled ? { ...init, body: await filled } : init
      const send = await open()
      response = await send(input, { ...request, redirect: 'manual' })
    } catch (error) {
      init?.signal?.throwIfAborted()
      throw new FaultError(faults.fromFailure({ type: 'broken', cause: causeOf(error) }, false))
    }
    const contentType = response.headers.get('content-type') ?? ''
    if (!response.ok) {
      const body = await readSome(response)
      const wait = retryAfterMs(response.headers.get('retry-after') ?? undefined, clock())
      const location = response.headers.get('location') ?? undefined
      throw new FaultError(faults.fromStatus(response.status, body, { retryAfterMs: wait, location }))
    }
    if (!response.body || !contentType.includes('event-stream')) {
      await response.body?.cancel()
      throw new FaultError(faults.notChat(contentType))
    }
    return new Response(bounded(response.body, faults, limits), response)
  }
}

/** Passes bytes on within the limits, and yields to the event loop between the pieces. */
function bounded(body: ReadableStream<Bytes>, faults: Faults, limits: ReadLimits): ReadableStream<Bytes> {
  const reader = body.getReader()
  const count = createCount(faults, limits)
  let rest: Bytes = new Uint8Array()
  async function more(): Promise<boolean> {
    while (rest.length === 0) {
      const { done, value } = await reader.read()
      if (done) return false
      count(value)
      rest = value
    }
    return true
  }
  return new ReadableStream(
    {
      async pull(controller) {
        await pace()
        try {
          if (!(await more())) return controller.close()
        } catch (error) {
          // Stops reading beyond a limit. A broken connection cannot be cancelled, which does not matter.
          reader.cancel().catch(() => {})
          throw error
        }
        controller.enqueue(rest.subarray(0, pieceBytes))
        rest = rest.subarray(pieceBytes)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

type Bytes = Uint8Array<ArrayBuffer>

/** Counts lines and bytes, in all and per event, and what is in the data of a long event. Throws FaultError beyond a limit. */
function createCount(faults: Faults, limits: ReadLimits): (chunk: Bytes) => void {
  let bytes = 0
  let lines = 0
  let last: number | undefined
  const line = new ByteBlocks()
  /** The data of the lines of one event: a package joins them and parses them together. */
  const data = new ByteBlocks()
  const extend = (blocks: ByteBlocks, piece: Uint8Array): void => {
    if (blocks.size + piece.length > limits.lineBytes) throw new FaultError(faults.overlong(limits.lineBytes))
    blocks.add(piece)
  }
  function endLine(): void {
    lines += 1
    const ended = line.take()
    if (ended.length > 0) return extend(data, dataOf(ended))
    const excess = excessIn(data.take())
    if (excess) throw new FaultError(faults.tooMuch(excess))
  }
  return (chunk) => {
    bytes += chunk.length
    let from = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]
      const before = last
      last = byte
      if (byte !== newlineByte && byte !== returnByte) continue
      extend(line, chunk.subarray(from, at))
      from = at + 1
      // Both bytes of a line end are one.
      if (byte === returnByte || before !== returnByte) endLine()
    }
    extend(line, chunk.subarray(from))
    if (bytes > limits.responseBytes) throw new FaultError(faults.fromFailure({ type: 'too_long' }, true))
    if (lines > limits.lines) throw new FaultError(faults.tooMuch(`${limits.lines} lines`))
  }
}

/** The data in a line of an event; empty for other fields and comments. A byte order mark may begin the stream. */
function dataOf(line: Buffer): Buffer {
  const from = line.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? byteOrderMark.length : 0
  const isData = line.toString('latin1', from, from + dataField.length) === dataField
  return isData ? line.subarray(from + dataField.length) : Buffer.alloc(0)
}

/** The beginning of an error's body, as far as it can be read. */
async function readSome(response: Response): Promise<string> {
  const body = new ByteBlocks()
  try {
    for await (const chunk of response.body ?? []) {
      body.add(chunk)
      if (body.size > maxErrorBytes) break
    }
  } catch {
    // The fault then has only the status.
  }
  return body.take().toString('utf8', 0, maxErrorBytes)
}

/** The cause behind the "fetch failed" that fetch throws. */
function causeOf(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error))
  return error.cause instanceof Error ? error.cause : error
}
