// Runs operations: as many as possible with some in flight, or at a given rate.
import { setTimeout as sleep } from 'node:timers/promises'

export type Load<Worker> = {
  /** Each does one operation after the other. */
  readonly workers: readonly Worker[]
  readonly run: (worker: Worker) => Promise<void>
  /** Asked before each operation, with the number of those begun. */
  readonly isOver: (begun: number) => boolean
}

/** Without a pause. Returns the operations per second. */
export async function runFlatOut<Worker>({ workers, run, isOver }: Load<Worker>): Promise<number> {
  let begun = 0
  const start = performance.now()
  const work = async (worker: Worker): Promise<void> => {
    while (!isOver(begun)) {
      begun++
      await run(worker)
    }
  }
  await Promise.all(workers.map(work))
  return (begun / (performance.now() - start)) * 1_000
}

/** At an even rate. Returns the number of operations. An operation for which nobody is free is begun later, and those after it too. */
export async function runAtRate<Worker>({ workers, run, isOver }: Load<Worker>, perSecond: number): Promise<number> {
  let begun = 0
  let due = performance.now()
  /** One worker after the other: each waits for the next due time, so that they share the rate. */
  const work = async (worker: Worker): Promise<void> => {
    while (!isOver(begun)) {
      begun++
      const now = performance.now()
      due = Math.max(due + 1_000 / perSecond, now)
      await sleep(due - now)
      await run(worker)
    }
  }
  await Promise.all(workers.map(work))
  return begun
}
