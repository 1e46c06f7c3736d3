// The cost of a long thread: turn 5, 200 and 2,000, with the thread in memory and read from the store first.
import { compare, type Measured, type Subject } from './compare.ts'
import { floorLoad, loopLoad, startFloor, startLoop, startLoopWithin, type Suite, turnTable, warmUp } from './suite.ts'

const depths = [5, 200, 2_000]
/** Threads used in one measurement, and turns of each after the first. */
const threadsPerRound = 6
const turnsPerThread = 6
const firstTurns = 3
/** A context window, in tokens, much smaller than the longest thread. */
const smallWindow = 8_000

export const length: Suite = async (bench) => {
  const { scale } = bench
  const fillings = depths.map((depth) => `${scale.rounds * threadsPerRound}x${depth - 1}`)
  const [a, b, loop, small] = await Promise.all([
    startFloor(bench, 'A'),
    startFloor(bench, 'B'),
    startLoop(bench, ...fillings),
    startLoopWithin(bench, smallWindow, fillings.at(-1) ?? ''),
  ])
  const floors: Subject[] = [
    { name: '(A) proxy', child: a, load: () => floorLoad(1, scale.turns.single) },
    { name: '(B) proxy + 2 inserts', child: b, load: () => floorLoad(1, scale.turns.single) },
  ]
  const long = depths.flatMap((depth, kind): Subject[] => {
    const thread = (round: number, turn: number) =>
      loop.threads?.[kind]?.[round * threadsPerRound + (turn % threadsPerRound)]
    // The first turn of each thread must read it from the store; later ones find it in memory.
    return [
      {
        name: `turn ${depth}, read first`,
        child: loop,
        load: (round) => loopLoad(1, threadsPerRound, (turn) => thread(round, turn)),
      },
      {
        name: `turn ${depth}`,
        child: loop,
        load: (round) => loopLoad(1, threadsPerRound * turnsPerThread, (turn) => thread(round, turn)),
      },
    ]
  })
  const summarised = (turns: number): Subject => ({
    name: `turn ${depths.at(-1)}, window of ${smallWindow} tokens`,
    child: small,
    load: (round) =>
      loopLoad(1, turns, (turn) => small.threads?.[0]?.[round * threadsPerRound + (turn % threadsPerRound)]),
  })
  await warmUp([...floors, { name: '', child: loop, load: () => loopLoad(16, scale.warmUp) }])
  // The first turns of each thread summarise its whole history.
  await compare([summarised(firstTurns * threadsPerRound)], scale.rounds)
  const results = await compare([...floors, ...long, summarised(threadsPerRound * turnsPerThread)], scale.rounds)
  const floorOf = (_: Measured, kind: 'A' | 'B'): Measured | undefined => results[kind === 'A' ? 0 : 1]
  return [turnTable('Turns of a long thread, one in flight', results, floorOf)]
}
