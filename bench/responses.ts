// Streaming creates at the Responses API of a real service: through its gateway, token and door, against the floors.
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Child } from './children.ts'
import { compare, type Measured, type Subject } from './compare.ts'
import type { Load } from './load.ts'
import { startMeasured } from './service.ts'
import { type Bench, floorLoad, startFloor, type Suite, turnTable, warmUp, weigh } from './suite.ts'
import { againstFloors } from './turns.ts'

const token = 'token-of-the-operator-in-the-benchmark'
/** Open streams take their time; fewer rounds than elsewhere do. */
const mostRounds = 3

/** Turns at 1, 16 and 64 in flight. */
export const responses: Suite = async (bench) =>
  againstFloors(bench, { name: 'Responses API', child: await startDoor(bench, 'mock-1'), loadOf: createLoad })

/** Many streams open at once, whose tokens trickle in. */
export const streams: Suite = async (bench) => {
  const { openStreams, tokenMs, rounds } = bench.scale
  const slow = `mock-${tokenMs}ms`
  const floor = (): Omit<Load, 'origin'> => floorLoad(openStreams, openStreams, slow)
  const subjects: Subject[] = [
    { name: '(A) proxy', child: await startFloor(bench, 'A'), load: floor },
    { name: '(B) proxy + 2 inserts', child: await startFloor(bench, 'B'), load: floor },
    { name: 'Responses API', child: await startDoor(bench, slow), load: () => createLoad(openStreams, openStreams) },
  ]
  const title = `${openStreams.toLocaleString('en')} open streams, a token every ${tokenMs} ms`
  const { result: results, memory } = await weigh(`Memory: ${title}`, subjects, async () => {
    await warmUp(subjects)
    return compare(subjects, Math.min(rounds, mostRounds))
  })
  const floorOf = (_: Measured, kind: 'A' | 'B'): Measured | undefined => results[kind === 'A' ? 0 : 1]
  return [turnTable(title, results, floorOf), memory]
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
