// The load: so many turns, so many of them in flight, each read to its end and checked.
import { Agent, type Dispatcher } from 'undici'

const turnMs = 60_000

export type Load = {
  readonly origin: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly inFlight: number
  readonly turns: number
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
      const { totalMs, firstMs } = await runTurn(agent, load, load.bodyOf(at))
      latencies.push(totalMs)
      firsts.push(firstMs)
    }
  }
  const start = performance.now()
  try {
    await Promise.all(Array.from({ length: load.inFlight }, lane))
    return { wallMs: performance.now() - start, latencies, firsts }
  } finally {
    await agent.destroy()
  }
}

function runTurn(agent: Agent, load: Load, body: string): Promise<{ totalMs: number; firstMs: number }> {
  const { origin, path, headers, firstMark, lastMark } = load
  return new Promise((resolve, reject) => {
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
  })
}
