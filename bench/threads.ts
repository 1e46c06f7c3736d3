// The cost of the number of threads in the database.
import { compare, type Measured, type Subject } from './compare.ts'
import { floorLoad, loopLoad, startFloor, startLoop, type Suite, turnTable, warmUp } from './suite.ts'

const inFlight = 16

export const threads: Suite = async (bench) => {
  const { many } = bench.scale.turns
  const counts = [10, bench.scale.manyThreads]
  const [a, b, ...loops] = await Promise.all([
    startFloor(bench, 'A'),
    startFloor(bench, 'B'),
    ...counts.map((count) => startLoop(bench, `${count}x1`)),
  ])
  const subjects: Subject[] = [
    { name: '(A) proxy', child: a, load: () => floorLoad(inFlight, many) },
    { name: '(B) proxy + 2 inserts', child: b, load: () => floorLoad(inFlight, many) },
    ...loops.map((child, at) => ({
      name: `loop, ${counts[at]?.toLocaleString('en')} threads`,
      child,
      load: () => loopLoad(inFlight, many),
    })),
  ]
  await warmUp(subjects)
  const results = await compare(subjects, bench.scale.rounds)
  const floorOf = (_: Measured, kind: 'A' | 'B'): Measured | undefined => results[kind === 'A' ? 0 : 1]
  return [turnTable('Threads in the database, 16 in flight', results, floorOf)]
}
