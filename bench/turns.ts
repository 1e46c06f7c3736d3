// Turns compared with the floors, at 1, 16 and 64 in flight.
import type { Child } from './children.ts'
import { compare, type Measured, type Subject } from './compare.ts'
import type { Load } from './load.ts'
import {
  type Bench,
  floorLoad,
  loopLoad,
  startFloor,
  startLoop,
  type Suite,
  turnTable,
  warmUp,
  weigh,
} from './suite.ts'
import type { Table } from './table.ts'

/** Turns through the whole loop. */
export const turns: Suite = async (bench) =>
  againstFloors(bench, 'loop', [{ name: 'loop', child: await startLoop(bench), loadOf: loopLoad }])

/** A process that runs turns, and the load for it. */
export type TurnServer = {
  readonly name: string
  readonly child: Child
  readonly loadOf: (inFlight: number, turns: number) => Omit<Load, 'origin'>
}

/** Measures servers and both floors. */
export async function againstFloors(bench: Bench, title: string, measured: readonly TurnServer[]): Promise<Table[]> {
  const { rounds, turns, warmUp: warm } = bench.scale
  const servers: TurnServer[] = [
    { name: '(A) proxy', child: await startFloor(bench, 'A'), loadOf: floorLoad },
    { name: '(B) proxy + 2 inserts', child: await startFloor(bench, 'B'), loadOf: floorLoad },
    ...measured,
  ]
  const at = (inFlight: number, count: number): Subject[] =>
    servers.map(({ name, child, loadOf }) => ({
      name: `${name}, ${inFlight} in flight`,
      child,
      load: () => loadOf(inFlight, count),
    }))
  const { result: results, memory } = await weigh(`Memory: ${title}`, servers, async () => {
    await warmUp(at(16, warm))
    return compare([...at(1, turns.single), ...at(16, turns.many), ...at(64, turns.many)], rounds)
  })
  const floorOf = (result: Measured, kind: 'A' | 'B'): Measured | undefined => {
    const index = results.indexOf(result)
    return results[index - (index % servers.length) + (kind === 'A' ? 0 : 1)]
  }
  return [turnTable(`A turn of 20 tokens: ${title}`, results, floorOf), memory]
}
