// Streaming creates at the Responses API of a real service: through its gateway, token and door, against the floors.
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Child } from './children.ts'
import { compare, type Measured, type Subject } from './compare.ts'
import type { Load } from './load.ts'
import { startMeasured } from './service.ts'
import { type Bench, floorLoad, megabytes, startFloor, type Suite, turnColumns, turnRows, warmUp } from './suite.ts'

const token = 'token-of-the-operator-in-the-benchmark'

/** Turns at 1, 16 and 64 in flight. */
export const responses: Suite = async (bench) => {
  const { scale } = bench
  const [a, b, door] = await Promise.all([startFloor(bench, 'A'), startFloor(bench, 'B'), startDoor(bench, 'mock-1')])
  const at = (inFlight: number, count: number): Subject[] => [
    { name: `(A) proxy, ${inFlight} in flight`, child: a, load: () => floorLoad(inFlight, count) },
    { name: `(B) proxy + 2 inserts, ${inFlight} in flight`, child: b, load: () => floorLoad(inFlight, count) },
    { name: `Responses API, ${inFlight} in flight`, child: door, load: () => createLoad(inFlight, count) },
  ]
  await warmUp(at(16, scale.warmUp))
  const results = await compare(
    [...at(1, scale.turns.single), ...at(16, scale.turns.many), ...at(64, scale.turns.many)],
    scale.rounds,
  )
  const floorOf = (result: Measured, kind: 'A' | 'B'): Measured => {
    const group = results.indexOf(result) - (results.indexOf(result) % 3)
    return results[group + (kind === 'A' ? 0 : 1)] as Measured
  }
  return [{ title: 'Responses API, streaming create', columns: turnColumns, rows: turnRows(results, floorOf) }]
}

/** Many streams open at once, whose tokens trickle in. */
export const streams: Suite = async (bench) => {
  const { openStreams, tokenMs, warmUp: many } = bench.scale
  const slow = `mock-${tokenMs}ms`
  const [a, b, door] = await Promise.all([startFloor(bench, 'A'), startFloor(bench, 'B'), startDoor(bench, slow)])
  const idle = await door.used()
  await warmUp([
    { name: '', child: a, load: () => floorLoad(16, many) },
    { name: '', child: b, load: () => floorLoad(16, many) },
    // The model of this service is slow: many at once, so that its code gets warm in time.
    { name: '', child: door, load: () => createLoad(openStreams, openStreams) },
  ])
  const subjects: Subject[] = [
    { name: '(A) proxy', child: a, load: () => floorLoad(openStreams, openStreams, slow) },
    { name: '(B) proxy + 2 inserts', child: b, load: () => floorLoad(openStreams, openStreams, slow) },
    { name: 'Responses API', child: door, load: () => createLoad(openStreams, openStreams) },
  ]
  const results = await compare(subjects, Math.min(bench.scale.rounds, 3))
  const floorOf = (_: Measured, kind: 'A' | 'B'): Measured => results[kind === 'A' ? 0 : 1] as Measured
  const title = `${openStreams.toLocaleString('en')} open streams, a token every ${tokenMs} ms (the service idles at ${megabytes(idle.rssBytes)} MB)`
  return [{ title, columns: turnColumns, rows: turnRows(results, floorOf) }]
}

/** A service of its own in front of one of the mock's models. */
async function startDoor({ children, model: origin }: Bench, model: string): Promise<Child> {
  const port = await freePort()
  const home = children.folder()
  return startMeasured(children, `http://127.0.0.1:${port}`, {
    HOME: home,
    ATRIUM_HOME: home,
    GATEWAY_PORT: String(port),
    SERVICE_REBORN_WEBUI_TOKEN: token,
    CHAT_RATE_LIMIT: '0',
    LLM_PROVIDER: 'openai-compatible',
    LLM_MODEL: model,
    LLM_BASE_URL: `${origin}/v1`,
    LLM_API_KEY: 'key-of-the-mock',
  })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address ? address.port : 0
}

function createLoad(inFlight: number, turns: number): Omit<Load, 'origin'> {
  const body = JSON.stringify({ model: 'any', input: 'What is the capital of France, and why?', stream: true })
  return {
    path: '/api/v1/responses',
    headers: { authorization: `Bearer ${token}` },
    inFlight,
    turns,
    bodyOf: () => body,
    firstMark: 'response.output_text.delta',
    lastMark: 'response.completed',
  }
}
