// The figures of a soak: how each is read from the samples of a window, and what counts as flat.
import { median, percentile } from '../../../bench/compare.ts'
import type { Sample } from './probe.ts'
import { type Bound, judgeSlope, type Point, type Verdict } from './slope.ts'

/** A part of a run: what was sampled in it, and how long the messages took that were answered in it. */
export type Window = { readonly at: number; readonly samples: readonly Sample[]; readonly latencies: readonly number[] }

export type Figure = {
  readonly name: string
  readonly unit: string
  readonly digits: number
  /** The value of a window; NaN if it has none. `before` is the window before it. */
  readonly of: (window: Window, before: Window) => number
  readonly bound: Bound
  /** Only Linux shows it. */
  readonly fromProc?: true
}

export type Row = Verdict & { readonly figure: Figure }

const mb = 1e6

/**
 * Memory and counts go up and down with the load and the garbage collector: the lowest value of each window shows what
 * stays. Growth within the bounds is a cache that fills, or the noise of a machine with other things to do.
 */
export const figures: readonly Figure[] = [
  {
    name: 'resident memory',
    unit: 'MB',
    digits: 1,
    of: lowest('rssBytes', mb),
    bound: { share: 0.1, least: 30 },
    fromProc: true,
  },
  { name: 'heap', unit: 'MB', digits: 1, of: lowest('heapBytes', mb), bound: { share: 0.1, least: 20 } },
  {
    name: 'memory of buffers',
    unit: 'MB',
    digits: 1,
    of: lowest('externalBytes', mb),
    bound: { share: 0.1, least: 5 },
  },
  {
    name: 'file descriptors',
    unit: '',
    digits: 0,
    of: lowest('descriptors'),
    bound: { share: 0.1, least: 5 },
    fromProc: true,
  },
  { name: 'sockets', unit: '', digits: 0, of: lowest('sockets'), bound: { share: 0.1, least: 5 }, fromProc: true },
  {
    name: 'child processes',
    unit: '',
    digits: 0,
    of: lowest('children'),
    bound: { share: 0, least: 1 },
    fromProc: true,
  },
  { name: 'threads', unit: '', digits: 0, of: lowest('threads'), bound: { share: 0, least: 2 }, fromProc: true },
  {
    name: 'database, a turn',
    unit: 'bytes',
    digits: 0,
    of: perTurn('databaseBytes'),
    bound: { share: 0.2, least: 500 },
  },
  { name: 'CPU time, a turn', unit: 'ms', digits: 2, of: perTurn('cpuMs'), bound: { share: 0.2, least: 0.5 } },
  { name: 'event loop, a turn', unit: 'ms', digits: 2, of: perTurn('busyMs'), bound: { share: 0.3, least: 1 } },
  { name: 'latency p50', unit: 'ms', digits: 1, of: latency(50), bound: { share: 0.25, least: 10 } },
  { name: 'latency p99', unit: 'ms', digits: 1, of: latency(99), bound: { share: 0.5, least: 100 } },
  { name: 'event loop delay p99', unit: 'ms', digits: 1, of: loopDelay, bound: { share: 0.5, least: 20 } },
]

/** The verdicts over the windows after the warm-up. */
export function judgeRun(windows: readonly Window[]): Row[] {
  return figures.map((figure) => {
    const points = windows.slice(1).map((window, at): Point => {
      return { at: window.at, value: figure.of(window, windows[at] as Window) }
    })
    return { figure, ...judgeSlope(points, figure.bound) }
  })
}

function lowest(field: keyof Sample, unit = 1): Figure['of'] {
  return ({ samples }) => (samples.length === 0 ? Number.NaN : Math.min(...samples.map((each) => each[field])) / unit)
}

function latency(percent: number): Figure['of'] {
  return ({ latencies }) => percentile(latencies, percent)
}

function loopDelay({ samples }: Window): number {
  return median(samples.map(({ loopDelayMs }) => loopDelayMs))
}

/** The growth of a sum in the window, for each turn that came to rest in it. */
function perTurn(field: keyof Sample): Figure['of'] {
  return ({ samples }, before) => {
    const [from, to] = [before.samples.at(-1), samples.at(-1)]
    if (!from || !to || to.turns === from.turns) return Number.NaN
    return (to[field] - from[field]) / (to.turns - from.turns)
  }
}
