// The type of a suite, the scale of a run, and what suites share: loads, floors, warm-up and result tables.
import type { Child, Children } from './children.ts'
import { compare, type Measured, median, percentile, ratio, spread, type Subject } from './compare.ts'
import { type Load, streamTurn } from './load.ts'
import type { Table } from './table.ts'

export type Bench = {
  readonly children: Children
  /** The origin of the mock model. */
  readonly model: string
  /** A folder that is copied into every home as its cache. */
  readonly cache: () => Promise<string>
  readonly scale: Scale
}

/** How much to do: the full benchmark, or a quick check that everything works. */
export type Scale = {
  readonly rounds: number
  /** Turns of one measurement, one at a time and many at a time. */
  readonly turns: { readonly single: number; readonly many: number }
  readonly warmUp: number
  readonly starts: number
  /** Services whose memory is followed, turns of each, and the wait after them. */
  readonly footprint: { readonly starts: number; readonly turns: number; readonly calmMs: number }
  readonly manyThreads: number
  readonly users: number
  /** Documents in memory. */
  readonly documents: number
  /** A large database: threads of two turns each, and jobs that are queued when the service starts. */
  readonly growth: { readonly threads: number; readonly queued: number }
  /** Missions that are due at once, and missions that wait. */
  readonly missions: { readonly due: number; readonly idle: number }
  readonly openStreams: number
  /** Idle connections, busy ones, and messages for each busy one. */
  readonly sockets: { readonly idle: number; readonly busy: number; readonly messages: number }
  /** Time for each of the 20 tokens of the slow model. */
  readonly tokenMs: number
  /** Tool calls: for warm-up, in one measurement, and to detect growth. */
  readonly toolCalls: { readonly warm: number; readonly single: number; readonly growth: number }
  /** More tools than may have a process, and the total of their calls. */
  readonly crowd: { readonly tools: number; readonly calls: number; readonly inFlight: number }
}

export type Suite = (bench: Bench) => Promise<readonly Table[]>

const message = 'What is the capital of France, and why?'

/** Requests to a floor, as a client would send them to the model. */
export function floorLoad(inFlight: number, turns: number, model = 'mock-1'): Omit<Load, 'origin'> {
  const body = JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: message }] })
  const runTurn = streamTurn({ path: '/', bodyOf: () => body, firstMark: 'token', lastMark: '[DONE]' })
  return { inFlight, turns, runTurn }
}

/** Turns through the loop. Without `threadOf`, each starts a new thread. */
export function loopLoad(
  inFlight: number,
  turns: number,
  threadOf?: (turn: number) => string | undefined,
): Omit<Load, 'origin'> {
  const bodyOf = (turn: number): string => JSON.stringify({ message, thread: threadOf?.(turn) })
  return { inFlight, turns, runTurn: streamTurn({ path: '/', bodyOf, firstMark: 'token', lastMark: '"completed"' }) }
}

/** Starts floor (A), or (B), which also stores the messages. */
export function startFloor({ children, model }: Bench, kind: 'A' | 'B'): Promise<Child> {
  return children.start(
    import.meta.resolve('./floors.ts'),
    model,
    ...(kind === 'B' ? [`${children.folder()}/floor.db`] : []),
  )
}

/** Starts the loop in its own home, filled with `THREADSxTURNS`. Its window is larger than any thread here. */
export function startLoop(bench: Bench, ...fillings: readonly string[]): Promise<Child> {
  return startLoopWithin(bench, 10_000_000, ...fillings)
}

/** The same with a context window of `window` tokens. */
export function startLoopWithin(
  { children, model }: Bench,
  window: number,
  ...fillings: readonly string[]
): Promise<Child> {
  return children.start(import.meta.resolve('./front.ts'), children.folder(), model, String(window), ...fillings)
}

/** Lets the compiler of each process optimise its hot code before measuring. */
export async function warmUp(subjects: readonly Subject[]): Promise<void> {
  await compare(subjects, 1)
}

/** A table of results, each compared with the floors of its run. */
export function turnTable(
  title: string,
  results: readonly Measured[],
  floorOf: (result: Measured, kind: 'A' | 'B') => Measured | undefined,
): Table {
  const against = (result: Measured, floor: Measured | undefined): string =>
    floor ? `${fixed(ratio(result, floor), 2)} x` : '-'
  return {
    title,
    columns: ['', 'CPU ms/turn', 'spread', 'to (B)', 'to (A)', 'a core/s', 'turns/s', 'first ms', 'p50 ms', 'p99 ms'],
    rows: results.map((result) => [
      result.name,
      fixed(median(result.cpu), 3),
      `${fixed(spread(result.cpu) * 100, 0)} %`,
      against(result, floorOf(result, 'B')),
      against(result, floorOf(result, 'A')),
      fixed(1_000 / median(result.cpu), 0),
      fixed(median(result.perSecond), 0),
      fixed(percentile(result.firsts, 50), 1),
      fixed(percentile(result.latencies, 50), 1),
      fixed(percentile(result.latencies, 99), 1),
    ]),
    figures: Object.fromEntries(
      results.flatMap((result) => {
        const floor = floorOf(result, 'B')
        if (!floor || floor === result || floorOf(result, 'A') === result) return []
        const first = percentile(result.firsts, 50) / percentile(floor.firsts, 50)
        return [
          [`${result.name}: CPU`, ratio(result, floor)],
          [`${result.name}: first delta`, first],
        ]
      }),
    ),
  }
}

/** Runs a measurement, and reports the memory of the processes before and after it. */
export async function weigh<T>(
  title: string,
  subjects: readonly { readonly name: string; readonly child: Child }[],
  measure: () => Promise<T>,
): Promise<{ result: T; memory: Table }> {
  const weights = () => Promise.all(subjects.map(async ({ child }) => megabytes((await child.used()).rssBytes)))
  const idle = await weights()
  const result = await measure()
  const loaded = await weights()
  const rows = subjects.map(({ name }, at) => [name, idle[at] ?? '', loaded[at] ?? ''])
  return { result, memory: { title, columns: ['', 'idle RSS MB', 'loaded RSS MB'], rows } }
}

export function fixed(value: number, digits: number): string {
  return Number.isFinite(value) ? value.toFixed(digits) : '-'
}

export function megabytes(bytes: number): string {
  return fixed(bytes / 1e6, 0)
}
