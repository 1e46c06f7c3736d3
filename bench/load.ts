// The load: so many turns, so many of them in flight on connections that are kept open, each read to its end and checked.
import { Agent, type Dispatcher } from 'undici'

const turnMs = 60_000

export type Load = {
  readonly origin: string
  readonly inFlight: number
  readonly turns: number
  readonly runTurn: RunTurn
  /** Waits for what the turns have left behind: its CPU time counts, its wall time does not. */
  readonly drain?: (agent: Agent, origin: string) => Promise<void>
}

/** Runs the turn of a number to its good end; throws when it comes to another. */
export type RunTurn = (agent: Agent, origin: string, turn: number) => Promise<Timing>
type Timing = { readonly totalMs: number; readonly firstMs: number }

/** A turn whose answer is a stream. */
export type Stream = {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly bodyOf: (turn: number) => string
  /** What the stream shows with its first token, and only with a turn that went well. */
  readonly firstMark: string
  readonly lastMark: string
}

export type Loaded = { readonly wallMs: number; readonly latencies: number[]; readonly firsts: number[] }

/** Runs a load. Throws when a turn does not come to its good end: failures are quick and would look like speed. */
export async function runLoad(load: Load): Promise<Loaded> {
  const agent = new Agent({ connections: null, headersTimeout: turnMs, bodyTimeout: turnMs, pipelining: 1 })
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
        } else reject(new Error(`a turn at ${origin}${path} went wrong: ${status} ${end.slice(-300)}`))
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
