// Memory of a service over its life: at rest, after its first turns, after many, and once it is calm again.
import { setTimeout as pause } from 'node:timers/promises'
import { median } from './compare.ts'
import { runLoad } from './load.ts'
import { memoryOf } from './process.ts'
import { createLoad } from './responses.ts'
import { startDoor } from './service.ts'
import { megabytes, startFloor, type Suite } from './suite.ts'

/** How long the service idles before its memory is read. */
const idleMs = 2_000
const inFlight = 16

export const footprint: Suite = async (bench) => {
  const { starts, turns, calmMs } = bench.scale.footprint
  const columns = ['at rest', 'after 2 turns', `after ${turns.toLocaleString('en')}`, `${calmMs / 1_000} s later`]
  const rounds: number[][] = []
  for (let round = 0; round < starts; round++) {
    // Without the preloaded part that other suites ask for CPU time: it takes memory of its own.
    const service = await startDoor(bench, { NODE_OPTIONS: '' })
    const weights: number[] = []
    const weighAfter = async (waitMs: number): Promise<void> => {
      await pause(waitMs)
      weights.push(memoryOf(service.pid).rssBytes)
    }
    await weighAfter(idleMs)
    await runLoad({ origin: service.origin, ...createLoad(1, 2) })
    await weighAfter(idleMs)
    await runLoad({ origin: service.origin, ...createLoad(inFlight, turns) })
    await weighAfter(0)
    await weighAfter(calmMs)
    await service.stop()
    rounds.push(weights)
  }
  const medians = columns.map((_, at) => median(rounds.map((weights) => weights[at] ?? Number.NaN)))
  const floor = memoryOf((await startFloor(bench, 'B')).pid).rssBytes
  const names = ['at rest', 'after 2 turns', 'after many turns', 'calm again']
  return [
    {
      title: 'Memory of a service, RSS MB',
      columns: ['', ...columns],
      rows: [
        ['(B) proxy + 2 inserts', megabytes(floor), '-', '-', '-'],
        ['atrium serve', ...medians.map(megabytes)],
      ],
      figures: Object.fromEntries(names.map((name, at) => [`memory: ${name}`, (medians[at] ?? Number.NaN) / floor])),
    },
  ]
}
