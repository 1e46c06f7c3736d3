// Compares subjects: each is measured once per round, so that a busy moment of the machine affects all of them alike.
// CPU time is that of the measured process only.
import type { Child } from './children.ts'
import { type Load, runLoad } from './load.ts'

export type Subject = {
  readonly name: string
  readonly child: Child
  /** The load of a round. */
  readonly load: (round: number) => Omit<Load, 'origin'>
}

export type Measured = {
  readonly name: string
  /** CPU milliseconds per turn, round by round. */
  readonly cpu: number[]
  readonly perSecond: number[]
  readonly latencies: number[]
  readonly firsts: number[]
}

/** Measures every subject in every round, in order. */
export async function compare(subjects: readonly Subject[], rounds: number): Promise<Measured[]> {
  const results = subjects.map(({ name }): Measured => ({ name, cpu: [], perSecond: [], latencies: [], firsts: [] }))
  for (let round = 0; round < rounds; round++) {
    for (const [at, { child, load }] of subjects.entries()) {
      const current = load(round)
      const before = await child.used()
      const { wallMs, latencies, firsts } = await runLoad({ origin: child.origin, ...current })
      const after = await child.used()
      const result = results[at] as Measured
      result.cpu.push((after.cpuMs - before.cpuMs) / current.turns)
      result.perSecond.push((current.turns / wallMs) * 1_000)
      result.latencies.push(...latencies)
      result.firsts.push(...firsts)
    }
  }
  return results
}

/** The median of the CPU ratios of the rounds. */
export function ratio(a: Measured, b: Measured): number {
  return median(a.cpu.map((cpu, round) => cpu / (b.cpu[round] ?? Number.NaN)))
}

export function median(values: readonly number[]): number {
  return percentile(values, 50)
}

/** How far the rounds lie apart: half of their range, as a part of their median. */
export function spread(values: readonly number[]): number {
  return (Math.max(...values) - Math.min(...values)) / 2 / median(values)
}

/** NaN if there are no values, or if one of them is NaN: it has no place in an order. */
export function percentile(values: readonly number[], percent: number): number {
  if (values.some(Number.isNaN)) return Number.NaN
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN
}
