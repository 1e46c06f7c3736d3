// The fetch that the providers' packages get: what a server sends is bounded while it is read, and what goes wrong is
// told in our words before a package sees it.
import { createPace } from '#lib/pace.ts'
import type { Fault, Faults } from './fault.ts'
import { maxErrorBytes, type ReadLimits } from './stream-limits.ts'
import { retryAfterMs } from './model-retry.ts'

const newlineByte = 0x0a
/** What a package gets at a time: it reads all it has before anybody else has a turn. */
const pieceBytes = 4 * 1024

/** Carries a fault through a package's own layers. */
export class Failed extends Error {
  readonly fault: Fault

  constructor(fault: Fault) {
    super(fault.error.message)
    this.name = 'Failed'
    this.fault = fault
  }
}

/** Redirects are not followed: the key would go with them, in a header that fetch does not take away. */
export function createBoundedFetch({
  faults,
  limits,
  clock,
}: {
  faults: Faults
  limits: ReadLimits
  clock: () => number
}): typeof fetch {
  return async (input, init) => {
    let response: Response
    try {
      response = await fetch(input, { ...init, redirect: 'manual' })
    } catch (error) {
      init?.signal?.throwIfAborted()
      throw new Failed(faults.ofFailure({ type: 'broken', cause: causeOf(error) }, false))
    }
    const contentType = response.headers.get('content-type') ?? ''
    if (!response.ok) {
      const body = await readSome(response)
      const wait = retryAfterMs(response.headers.get('retry-after') ?? undefined, clock())
      const location = response.headers.get('location') ?? undefined
      throw new Failed(faults.ofStatus(response.status, body, { retryAfterMs: wait, location }))
    }
    if (!response.body || !contentType.includes('event-stream')) {
      await response.body?.cancel()
      throw new Failed(faults.notChat(contentType))
    }
    return new Response(bounded(response.body, faults, limits), response)
  }
}

/** Passes bytes on as long as there are not too many of them. Others have their turns between the pieces. */
function bounded(body: ReadableStream<Bytes>, faults: Faults, limits: ReadLimits): ReadableStream<Bytes> {
  const reader = body.getReader()
  const count = createCount(faults, limits)
  const pace = createPace()
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
          // What was too much is not read on; a connection that broke needs no end.
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

/** Counts bytes, in all and in one line, and lines. Throws Failed where there are too many. */
function createCount(faults: Faults, limits: ReadLimits): (chunk: Bytes) => void {
  let bytes = 0
  let lines = 0
  let open = 0
  return (chunk) => {
    bytes += chunk.length
    let from = 0
    for (let at = chunk.indexOf(newlineByte); at !== -1; at = chunk.indexOf(newlineByte, from)) {
      lines += 1
      open = Math.max(open + at - from, 0)
      if (open > limits.lineBytes) break
      open = 0
      from = at + 1
    }
    if (open <= limits.lineBytes) open += chunk.length - from
    if (open > limits.lineBytes) throw new Failed(faults.overlong(limits.lineBytes))
    if (bytes > limits.responseBytes) throw new Failed(faults.ofFailure({ type: 'too_long' }, true))
    if (lines > limits.lines) throw new Failed(faults.tooMuch(`${limits.lines} lines`))
  }
}

/** The beginning of an error's body; what cannot be read is left out. */
async function readSome(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk)
      size += chunk.length
      if (size > maxErrorBytes) break
    }
  } catch {
    // The status alone is told.
  }
  return Buffer.concat(chunks).toString('utf8', 0, maxErrorBytes)
}

/** What fetch hides behind "fetch failed". */
function causeOf(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error))
  return error.cause instanceof Error ? error.cause : error
}
