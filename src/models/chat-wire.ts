// One POST over undici's dispatch, read as bytes: turns its handler callbacks into a reader that can be awaited.
import type { Readable } from 'node:stream'
import type { Agent, Dispatcher } from 'undici'
import { ByteBlocks } from '#lib/byte-blocks.ts'
import { pace } from '#lib/pace.ts'
import { type Silence, watchSilence } from '#lib/silence.ts'
import type { Body } from './chat-body.ts'

/** Bytes that may wait for the reader before the socket is paused. It reads them at once: a thousand lines or two. */
const highWaterBytes = 64 * 1024
/** A read of more bytes is one of many that come in one turn of the event loop: a burst, not tokens. */
const minPacedBytes = 8 * 1024
/** Time and bytes allowed for the end of the body after a complete answer, so that the connection can be reused. */
const lingerMs = 1_000
const lingerBytes = 64 * 1024

/** A body up to this size is sent in one write. */
const maxJoinedBytes = 256 * 1024

export type Post = {
  readonly origin: string
  readonly path: string
  readonly headers: string[]
  readonly body: Body
  readonly signal: AbortSignal
  /** Maximum wait for data between two calls of `touch`. */
  readonly idleMs: number
  readonly maxBytes: number
}

export type Head = {
  readonly status: number
  readonly contentType: string
  readonly retryAfter: string | undefined
  readonly location: string | undefined
}

/** Why the body ended early. */
export type Failure =
  | { readonly type: 'broken'; readonly cause: Error }
  | { readonly type: 'timeout' }
  | { readonly type: 'too_long' }

/** Made only while it is sent: undici keeps the body of a request until its answer has ended. */
function* sentBody(body: Body, bytes: number): Generator<string | Buffer> {
  if (bytes > maxJoinedBytes) yield* body
  else yield Buffer.concat(body.map((block) => (typeof block === 'string' ? Buffer.from(block) : block)))
}

function bytesOf(body: Body): number {
  return body.reduce((sum, block) => sum + Buffer.byteLength(block), 0)
}

/**
 * A running request. The reader loops over `more` and `take`. One `take` returns everything from one socket read, since
 * undici delivers a read's chunks before the reader's promise continues. `close` must be called.
 */
export class Upstream implements Dispatcher.DispatchHandler {
  head: Head | undefined
  failure: Failure | undefined
  readonly #post: Post
  readonly #idle: Silence
  readonly #onAbort = (): void => this.#stop(undefined)
  #controller: Dispatcher.DispatchController | undefined
  readonly #waiting = new ByteBlocks()
  /** Bytes that the last `take` returned. */
  #taken = 0
  /** Bytes of the end of the body after `close`. */
  #lingering = 0
  #totalBytes = 0
  #wake: (() => void) | undefined
  /** The response has ended, or the connection is gone. */
  #over = false
  #closed = false
  #linger: NodeJS.Timeout | undefined

  constructor(agent: Agent, post: Post) {
    this.#post = post
    // A reader that is busy is no silence of the server.
    this.#idle = watchSilence(post.idleMs, () => (this.#wake ? this.#stop({ type: 'timeout' }) : this.touch()))
    post.signal.addEventListener('abort', this.#onAbort, { once: true })
    const bytes = bytesOf(post.body)
    agent.dispatch(
      {
        origin: post.origin,
        path: post.path,
        method: 'POST',
        headers: [...post.headers, 'content-length', String(bytes)],
        // undici takes any iterable, though its types do not say so.
        body: sentBody(post.body, bytes) as unknown as Readable,
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      this,
    )
  }

  /** Resolves when there is something to take, or at the end. A server that sends without end does not block the loop. */
  more(): Promise<void> | undefined {
    const pausing = this.#taken > minPacedBytes ? pace() : undefined
    return pausing ? pausing.then(() => this.#next()) : this.#next()
  }

  #next(): Promise<void> | undefined {
    if (this.#over || this.#waiting.size > 0) return undefined
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  /** All bytes since the last call; undefined at the end. Call after awaiting `more`. */
  take(): Buffer | undefined {
    if (this.#waiting.size === 0 || this.#post.signal.aborted) return undefined
    const bytes = this.#waiting.take()
    this.#taken = bytes.length
    if (this.#controller?.paused) this.#controller.resume()
    return bytes
  }

  /** Restarts the idle timer. */
  touch(): void {
    this.#idle.heard()
  }

  /** Releases the connection: for reuse if the answer is complete, otherwise by closing it. */
  close(complete: boolean): void {
    this.#idle.end()
    this.#post.signal.removeEventListener('abort', this.#onAbort)
    this.#closed = true
    this.#waiting.clear()
    if (this.#over) return
    if (!complete) return this.#stop(undefined)
    if (this.#controller?.paused) this.#controller.resume()
    this.#linger = setTimeout(() => this.#stop(undefined), lingerMs)
    this.#linger.unref()
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // Aborted while connecting: undici then sends nothing.
    if (this.#over) controller.abort(new Error('the call was stopped'))
  }

  onResponseStart(_controller: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    if (status < 200) return
    this.head = {
      status,
      contentType: only(headers['content-type'])?.toLowerCase() ?? '',
      retryAfter: only(headers['retry-after']),
      location: only(headers['location']),
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#closed) {
      this.#lingering += chunk.length
      if (this.#lingering > lingerBytes) this.#stop(undefined)
      return
    }
    this.#totalBytes += chunk.length
    if (this.#totalBytes > this.#post.maxBytes) return this.#stop({ type: 'too_long' })
    this.#waiting.add(chunk)
    if (this.#waiting.size > highWaterBytes) controller.pause()
    if (this.#waiting.size > 0) this.#wakeReader()
  }

  onResponseEnd(): void {
    this.#end()
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (!this.#over) this.failure = { type: 'broken', cause: error }
    this.#end()
  }

  #stop(failure: Failure | undefined): void {
    if (this.#over) return
    this.failure = failure
    this.#end()
    this.#controller?.abort(new Error('the call was stopped'))
  }

  #end(): void {
    this.#over = true
    clearTimeout(this.#linger)
    this.#wakeReader()
  }

  #wakeReader(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }
}

function only(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}
