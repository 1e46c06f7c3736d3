// Generates load: a number of turns, some of them in flight at once on kept-alive connections, each read and checked.
import { Agent, type Dispatcher } from 'undici'

const turnTimeoutMs = 60_000

export type Load = {
  readonly origin: string
  readonly inFlight: number
  readonly turns: number
  readonly runTurn: RunTurn
  /** Waits for work that the turns left behind. Its CPU time counts, its wall time does not. */
  readonly drain?: (agent: Agent, origin: string) => Promise<void>
}

/** Runs one turn. Throws unless it succeeds. */
export type RunTurn = (agent: Agent, origin: string, turn: number) => Promise<Timing>
type Timing = { readonly totalMs: number; readonly firstMs: number }

/** A turn with a streamed answer. */
export type Stream = {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly bodyOf: (turn: number) => string
  /** A text that the stream contains with its first token, and only if the turn succeeds. */
  readonly firstMark: string
  readonly lastMark: string
}

export type LoadResult = { readonly wallMs: number; readonly latencies: number[]; readonly firsts: number[] }

/** Runs a load. Throws if a turn fails: failures are quick and would look like speed. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const agent = new Agent({
    connections: null,
    headersTimeout: turnTimeoutMs,
    bodyTimeout: turnTimeoutMs,
    pipelining: 1,
  })
  const latencies: number[] = []
  const firsts: number[] = []
  let next = 0
  async function lane(): Promise<void> {
    for (let at = next++; at < load.turns; at = next++) {
      const { totalMs, firstMs } = await load.runTurn(agent, load.origin, at)
      latencies.push(totalMs)
      firsts.push(firstMs)
    }
  }
  const start = performance.now()
  try {
    await Promise.all(Array.from({ length: load.inFlight }, lane))
    const wallMs = performance.now() - start
    await load.drain?.(agent, load.origin)
    return { wallMs, latencies, firsts }
  } finally {
    await agent.destroy()
  }
}

export function streamTurn({ path, headers, bodyOf, firstMark, lastMark }: Stream): RunTurn {
  return (agent, origin, turn) => {
    const body = bodyOf(turn)
    const { promise, resolve, reject } = Promise.withResolvers<Timing>()
    const start = performance.now()
    let status = 0
    let firstMs = 0
    let end = ''
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart() {},
      onResponseStart(_controller, code) {
        status = code
      },
      onResponseData(_controller, chunk) {
        const text = chunk.toString('latin1')
        if (firstMs === 0 && text.includes(firstMark)) firstMs = performance.now() - start
        end = text.length > lastMark.length ? text : end + text
      },
      onResponseEnd() {
        if (status === 200 && firstMs > 0 && end.includes(lastMark)) {
          resolve({ totalMs: performance.now() - start, firstMs })
        } else reject(new Error(`a turn at ${origin}${path} failed: ${status} ${end.slice(-300)}`))
      },
      onResponseError: (_controller, error) => reject(error),
    }
    agent.dispatch(
      { origin, path, method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body },
      handler,
    )
    return promise
  }
}
