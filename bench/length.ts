// What the past of a thread costs: turn 5, 200 and 2,000, with the thread in memory and read from the store first.
import { compare, type Measured, type Subject } from './compare.ts'
import { floorLoad, loopLoad, startFloor, startLoop, startLoopWithin, type Suite, turnTable, warmUp } from './suite.ts'

const depths = [5, 200, 2_000]
/** Threads that one measurement takes up, and turns of each after the first. */
const taken = 6
const further = 6
/** A window that the longest thread has outgrown many times over. */
const smallWindow = 8_000

export const length: Suite = async (bench) => {
  const { scale } = bench
  const fillings = depths.map((depth) => `${scale.rounds * taken}x${depth - 1}`)
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
    const thread = (round: number, turn: number) => loop.threads?.[kind]?.[round * taken + (turn % taken)]
    // The first turn of each thread must read it; those that follow find it in memory.
    return [
      {
        name: `turn ${depth}, read first`,
        child: loop,
        load: (round) => loopLoad(1, taken, (turn) => thread(round, turn)),
      },
      {
        name: `turn ${depth}`,
        child: loop,
        load: (round) => loopLoad(1, taken * further, (turn) => thread(round, turn)),
      },
    ]
  })
  const summarised = (turns: number): Subject => ({
    name: `turn ${depths.at(-1)}, window of ${smallWindow} tokens`,
    child: small,
    load: (round) => loopLoad(1, turns, (turn) => small.threads?.[0]?.[round * taken + (turn % taken)]),
  })
  await warmUp([...floors, { name: '', child: loop, load: () => loopLoad(16, scale.warmUp) }])
  // The first turn of each makes the summaries of its whole past.
  await compare([summarised(taken)], scale.rounds)
  const results = await compare([...floors, ...long, summarised(taken * further)], scale.rounds)
  const floorOf = (_: Measured, kind: 'A' | 'B'): Measured | undefined => results[kind === 'A' ? 0 : 1]
  return [turnTable('Turns of a long thread, one in flight', results, floorOf)]
}
