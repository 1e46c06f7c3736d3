// What every suite gets and gives: the model and the processes, how much to do, and tables of what came out.
import type { Child, Children } from './children.ts'
import { compare, type Measured, median, percentile, ratio, type Subject } from './compare.ts'
import { type Load, streamTurn } from './load.ts'
import type { Table } from './table.ts'

export type Bench = {
  readonly children: Children
  /** Where the mock model answers. */
  readonly model: string
  /** A folder that is copied into every home as its cache. */
  readonly cache: () => Promise<string>
  readonly scale: Scale
}

/** How much is done: all of it, or a taste that shows that everything works. */
export type Scale = {
  readonly rounds: number
  /** Turns of one measurement, one at a time and many at a time. */
  readonly turns: { readonly single: number; readonly many: number }
  readonly warmUp: number
  readonly starts: number
  readonly manyThreads: number
  /** Documents in memory. */
  readonly documents: number
  /** A database that has grown: threads of two turns each, and jobs that wait when the service starts. */
  readonly growth: { readonly threads: number; readonly queued: number }
  readonly openStreams: number
  /** Live connections that say nothing, those that talk, and what each of these says. */
  readonly sockets: { readonly idle: number; readonly busy: number; readonly messages: number }
  /** How long the slow model takes for each of its 20 tokens. */
  readonly tokenMs: number
  /** Calls of a tool: before anything counts, of one measurement, and to see whether it grows. */
  readonly toolCalls: { readonly warm: number; readonly single: number; readonly growth: number }
  /** More tools than may have a process, and the calls of all of them together. */
  readonly crowd: { readonly tools: number; readonly calls: number; readonly inFlight: number }
}

export type Suite = (bench: Bench) => Promise<readonly Table[]>

const message = 'What is the capital of France, and why?'

/** A request to a floor: what any client would send to the model. */
export function floorLoad(inFlight: number, turns: number, model = 'mock-1'): Omit<Load, 'origin'> {
  const body = JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: message }] })
  const runTurn = streamTurn({ path: '/', bodyOf: () => body, firstMark: 'token', lastMark: '[DONE]' })
  return { inFlight, turns, runTurn }
}

/** A turn through the loop; without a thread each starts a new one. */
export function loopLoad(
  inFlight: number,
  turns: number,
  threadOf?: (turn: number) => string | undefined,
): Omit<Load, 'origin'> {
  const bodyOf = (turn: number): string => JSON.stringify({ message, thread: threadOf?.(turn) })
  return { inFlight, turns, runTurn: streamTurn({ path: '/', bodyOf, firstMark: 'token', lastMark: '"completed"' }) }
}

/** Floor (A), or (B) when it keeps what passes. */
export function startFloor({ children, model }: Bench, kind: 'A' | 'B'): Promise<Child> {
  return children.start(
    import.meta.resolve('./floors.ts'),
    model,
    ...(kind === 'B' ? [`${children.folder()}/floor.db`] : []),
  )
}

/** The loop in a home of its own, filled with `THREADSxTURNS`; no thread of the benchmark outgrows the window. */
export function startLoop(bench: Bench, ...fillings: readonly string[]): Promise<Child> {
  return startLoopWithin(bench, 10_000_000, ...fillings)
}

/** The same with a model of so many tokens of context. */
export function startLoopWithin(
  { children, model }: Bench,
  window: number,
  ...fillings: readonly string[]
): Promise<Child> {
  return children.start(import.meta.resolve('./front.ts'), children.folder(), model, String(window), ...fillings)
}

/** Lets the compiler of each process see its hot code before anything counts. */
export async function warmUp(subjects: readonly Subject[]): Promise<void> {
  await compare(subjects, 1)
}

/** Results, each beside the floors it was measured with. */
export function turnTable(
  title: string,
  results: readonly Measured[],
  floorOf: (result: Measured, kind: 'A' | 'B') => Measured | undefined,
): Table {
  const against = (result: Measured, floor: Measured | undefined): string =>
    floor ? `${fixed(ratio(result, floor), 2)} x` : '-'
  return {
    title,
    columns: ['', 'CPU ms/turn', 'to (B)', 'to (A)', 'turns/s', 'first ms', 'p50 ms', 'p99 ms'],
    rows: results.map((result) => [
      result.name,
      fixed(median(result.cpu), 3),
      against(result, floorOf(result, 'B')),
      against(result, floorOf(result, 'A')),
      fixed(median(result.perSecond), 0),
      fixed(percentile(result.firsts, 50), 1),
      fixed(percentile(result.latencies, 50), 1),
      fixed(percentile(result.latencies, 99), 1),
    ]),
  }
}

/** Runs a measurement and tells what the processes weighed before and after it. */
export async function weigh<T>(
  title: string,
  things: readonly { readonly name: string; readonly child: Child }[],
  measure: () => Promise<T>,
): Promise<{ result: T; memory: Table }> {
  const weights = () => Promise.all(things.map(async ({ child }) => megabytes((await child.used()).rssBytes)))
  const idle = await weights()
  const result = await measure()
  const loaded = await weights()
  const rows = things.map(({ name }, at) => [name, idle[at] ?? '', loaded[at] ?? ''])
  return { result, memory: { title, columns: ['', 'idle RSS MB', 'loaded RSS MB'], rows } }
}

export function fixed(value: number, digits: number): string {
  return Number.isFinite(value) ? value.toFixed(digits) : '-'
}

export function megabytes(bytes: number): string {
  return fixed(bytes / 1e6, 0)
}
