// Metrics in the Prometheus text format (0.0.4). Counting is an addition in a map; gauges are read only when metrics
// are requested.

export interface Counter {
  /** `labels` are the values of the counter's labels, in order. */
  add(amount: number, ...labels: readonly string[]): void
}

export interface Histogram {
  observe(value: number, ...labels: readonly string[]): void
}

/** One number, or one for each set of labels. */
export type Reading = number | readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[]

/** A number that is read when the metrics are requested. If reading fails, it is left out. */
export type Gauge = {
  readonly name: string
  readonly help: string
  /** For a number that never decreases. Default: a gauge. */
  readonly type?: 'counter'
  readonly read: () => Reading | Promise<Reading>
}

export interface Metrics {
  counter(name: string, help: string, labels?: readonly string[]): Counter
  /** `bounds` are the upper bounds of the buckets, ascending. */
  histogram(name: string, help: string, labels?: readonly string[], bounds?: readonly number[]): Histogram
  gauge(gauge: Gauge): void
  /** All metrics as text. */
  text(): Promise<string>
}

/** Series of one metric: label values from outside could create any number of them. */
const maxSeries = 200
const restLabel = 'other'
/** In seconds: a tool answers within milliseconds, a turn may take minutes. */
const defaultBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]

type Series<T> = { readonly labels: string; value: T }
/** Series by label values, the first label first. */
type Branch<T> = { series?: Series<T>; readonly under: Map<string, Branch<T>> }
type Buckets = { readonly counts: number[]; sum: number; count: number }
type Family = { readonly head: string; readonly lines: () => readonly string[] | Promise<readonly string[]> }

export function createMetrics(): Metrics {
  const families: Family[] = []

  return {
    counter(name, help, labels = []) {
      const series = createSeries(labels, () => 0)
      families.push({
        head: headOf(name, help, 'counter'),
        lines: () => series.all.map((each) => `${name}${braced(each.labels)} ${shown(each.value)}`),
      })
      return {
        add(amount, ...values) {
          series.at(values).value += amount
        },
      }
    },
    histogram(name, help, labels = [], bounds = defaultBounds) {
      const series = createSeries<Buckets>(labels, () => ({ counts: bounds.map(() => 0), sum: 0, count: 0 }))
      families.push({
        head: headOf(name, help, 'histogram'),
        lines: () => series.all.flatMap((each) => bucketLines(name, bounds, each)),
      })
      return {
        observe(value, ...values) {
          const { value: buckets } = series.at(values)
          const at = bounds.findIndex((bound) => value <= bound)
          if (at >= 0) buckets.counts[at] = (buckets.counts[at] ?? 0) + 1
          // A sum that decreases would count as a restart: a clock that was set back makes times negative.
          buckets.sum += Math.max(0, value)
          buckets.count++
        },
      }
    },
    gauge({ name, help, type = 'gauge', read }) {
      families.push({
        head: headOf(name, help, type),
        async lines() {
          const reading = await read()
          const samples = typeof reading === 'number' ? [{ labels: {}, value: reading }] : reading
          return samples.map(({ labels, value }) => {
            const pairs = Object.entries(labels).map(([label, text]) => pairOf(label, text))
            return `${name}${braced(pairs.join(','))} ${shown(value)}`
          })
        },
      })
    },
    async text() {
      const texts = await Promise.all(
        families.map(async ({ head, lines }) => {
          const samples = await Promise.resolve(lines()).catch(() => [])
          return samples.length > 0 ? `${head}${samples.join('\n')}\n` : ''
        }),
      )
      return texts.join('')
    },
  }
}

/** The series of a metric by label values. Beyond `maxSeries`, all others share one series. */
function createSeries<T>(names: readonly string[], fresh: () => T) {
  const all: Series<T>[] = []
  const root: Branch<T> = { under: new Map() }

  function find(values: readonly string[]): Series<T> | undefined {
    let branch: Branch<T> | undefined = root
    for (const value of values) branch = branch?.under.get(value)
    return branch?.series
  }

  function make(values: readonly string[]): Series<T> {
    let branch = root
    for (const value of values) {
      const next = branch.under.get(value) ?? { under: new Map() }
      branch.under.set(value, next)
      branch = next
    }
    const labels = names.map((name, at) => pairOf(name, values[at] ?? '')).join(',')
    const series = { labels, value: fresh() }
    all.push(series)
    return (branch.series = series)
  }

  return {
    all,
    at(values: readonly string[]): Series<T> {
      const found = find(values)
      if (found) return found
      if (all.length < maxSeries) return make(values)
      const rest = names.map(() => restLabel)
      return find(rest) ?? make(rest)
    },
  }
}

function bucketLines(name: string, bounds: readonly number[], { labels, value }: Series<Buckets>): string[] {
  const before = labels === '' ? '' : `${labels},`
  let below = 0
  const lines = bounds.map((bound, at) => {
    below += value.counts[at] ?? 0
    return `${name}_bucket{${before}le="${bound}"} ${below}`
  })
  return [
    ...lines,
    `${name}_bucket{${before}le="+Inf"} ${value.count}`,
    `${name}_sum${braced(labels)} ${shown(value.sum)}`,
    `${name}_count${braced(labels)} ${value.count}`,
  ]
}

function headOf(name: string, help: string, type: string): string {
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`
}

function pairOf(name: string, value: string): string {
  const escaped = value.toWellFormed().replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
  return `${name}="${escaped}"`
}

function braced(labels: string): string {
  return labels === '' ? '' : `{${labels}}`
}

function shown(value: number): string {
  if (Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}
