// Streaming requests to the Responses API of a real service, compared with the floors.
import { compare, type Measured, type Subject } from './compare.ts'
import { type Load, streamTurn } from './load.ts'
import { startDoor, token } from './service.ts'
import { floorLoad, startFloor, type Suite, turnTable, warmUp, weigh } from './suite.ts'
import { againstFloors } from './turns.ts'

/** Open streams take long, so there are fewer rounds than elsewhere. */
const maxRounds = 3

/** Turns at 1, 16 and 64 in flight. */
export const responses: Suite = async (bench) =>
  againstFloors(bench, 'Responses API', [{ name: 'Responses API', child: await startDoor(bench), loadOf: createLoad }])

/** Many streams open at once, with slow tokens. */
export const streams: Suite = async (bench) => {
  const { openStreams, tokenMs, rounds } = bench.scale
  const slow = `mock-${tokenMs}ms`
  const floor = (): Omit<Load, 'origin'> => floorLoad(openStreams, openStreams, slow)
  const subjects: Subject[] = [
    { name: '(A) proxy', child: await startFloor(bench, 'A'), load: floor },
    { name: '(B) proxy + 2 inserts', child: await startFloor(bench, 'B'), load: floor },
    {
      name: 'Responses API',
      child: await startDoor(bench, { LLM_MODEL: slow }),
      load: () => createLoad(openStreams, openStreams),
    },
  ]
  const title = `${openStreams.toLocaleString('en')} open streams, a token every ${tokenMs} ms`
  const { result: results, memory } = await weigh(`Memory: ${title}`, subjects, async () => {
    await warmUp(subjects)
    return compare(subjects, Math.min(rounds, maxRounds))
  })
  const floorOf = (_: Measured, kind: 'A' | 'B'): Measured | undefined => results[kind === 'A' ? 0 : 1]
  return [turnTable(title, results, floorOf), memory]
}

/** A streaming create; `caller` is the token of its user. */
export function createLoad(inFlight: number, turns: number, caller = token): Omit<Load, 'origin'> {
  const body = JSON.stringify({ model: 'any', input: 'What is the capital of France, and why?', stream: true })
  const runTurn = streamTurn({
    path: '/api/v1/responses',
    headers: { authorization: `Bearer ${caller}` },
    bodyOf: () => body,
    firstMark: 'response.output_text.delta',
    lastMark: 'response.completed',
  })
  return { inFlight, turns, runTurn }
}
