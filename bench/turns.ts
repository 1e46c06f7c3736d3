// A turn through the whole loop against the floors, at 1, 16 and 64 in flight.
import { compare, type Measured, type Subject } from './compare.ts'
import { floorLoad, loopLoad, startFloor, startLoop, type Suite, turnColumns, turnRows, warmUp } from './suite.ts'

export const turns: Suite = async (bench) => {
  const { scale } = bench
  const [a, b, loop] = await Promise.all([startFloor(bench, 'A'), startFloor(bench, 'B'), startLoop(bench)])
  const at = (inFlight: number, count: number): Subject[] => [
    { name: `(A) proxy, ${inFlight} in flight`, child: a, load: () => floorLoad(inFlight, count) },
    { name: `(B) proxy + 2 inserts, ${inFlight} in flight`, child: b, load: () => floorLoad(inFlight, count) },
    { name: `loop, ${inFlight} in flight`, child: loop, load: () => loopLoad(inFlight, count) },
  ]
  await warmUp(at(16, scale.warmUp))
  const { single, many } = scale.turns
  const subjects = [...at(1, single), ...at(16, many), ...at(64, many)]
  const results = await compare(subjects, scale.rounds)
  const floorOf = (result: Measured, kind: 'A' | 'B'): Measured => {
    const group = results.indexOf(result) - (results.indexOf(result) % 3)
    return results[group + (kind === 'A' ? 0 : 1)] as Measured
  }
  return [{ title: 'A turn of 20 tokens', columns: turnColumns, rows: turnRows(results, floorOf) }]
}
