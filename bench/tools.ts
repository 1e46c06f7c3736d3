// Calls of tool components, each on a fresh instance: the cost of a call with a live process and of a first call, the
// memory of the processes, and whether it grows.
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { JsonObject } from '#core/json.ts'
import type { Child } from './children.ts'
import { median, percentile } from './compare.ts'
import { cpuOf, type Memory, memoryOf } from './process.ts'
import { type Bench, fixed, megabytes, type Suite } from './suite.ts'
import type { Table } from './table.ts'
import type { Package } from './tool-packages.ts'
import type { OrderResult, Order } from './tool-front.ts'

/** The default of TOOL_PROCESSES. */
const processes = 4
/** How often memory is sampled while a process works, and the rest before it counts as idle. */
const sampleMs = 20
const idleMs = 500
/** Steps in which the growth table makes its calls. */
const steps = 5

/** A kind of call that is measured, and its results. */
type Kind = { readonly title: string; readonly tool: Package; readonly args: JsonObject; readonly expects: string }
type Result = {
  readonly kind: Kind
  readonly times: number[]
  readonly serviceCpu: number[]
  readonly toolCpu: number[]
  readonly firsts: number[]
  readonly idle: Memory
  readonly active: Memory
}

export const tools: Suite = async (bench) => {
  const folder = bench.children.folder()
  const front = await bench.children.start(import.meta.resolve('./tool-front.ts'), folder, String(processes))
  // Loaded on use, since it takes memory.
  const { makeComponents } = await import('./tool-packages.ts')
  const { minimal, weather } = await makeComponents(folder, bench.scale.crowd.tools)
  await Promise.all([...minimal, weather].map((each) => send(front, { do: 'load', ...each })))
  const small: Kind = { title: 'minimal component', tool: minimal[0] as Package, args: {}, expects: 'ok' }
  const refused: Kind = {
    title: 'weather, no city',
    tool: weather,
    args: { action: 'get_current', city: '' },
    expects: 'must not be empty',
  }
  const fetching: Kind = {
    title: 'weather, 2 requests',
    tool: weather,
    args: { action: 'get_current', city: 'Lisbon' },
    expects: 'Portugal',
  }
  const results: Result[] = []
  for (const kind of [small, refused, fetching]) results.push(await begin(bench, front, kind))
  for (let round = 0; round < bench.scale.rounds; round++) {
    for (const result of results) await measure(bench, front, result)
  }
  const tables = [
    callTable(results),
    await transpileTable(bench, front, [small.tool, weather]),
    memoryTable(results),
    await crowdTable(bench, front, small, minimal),
    await growthTable(bench, front, [small, fetching]),
  ]
  await front.stop()
  return tables
}

/** Measures first calls, and memory at rest and at work. Leaves the process warm. */
async function begin({ scale }: Bench, front: Child, kind: Kind): Promise<Result> {
  const firsts: number[] = []
  for (let at = 0; at < scale.starts; at++) {
    await send(front, { do: 'restart' })
    firsts.push(...(await call(front, kind, 1)).times)
  }
  await pause(idleMs)
  const idle = memoryOf(await pidOf(front, kind))
  const active = await peakMemory(await pidOf(front, kind), call(front, kind, scale.toolCalls.warm))
  return { kind, times: [], serviceCpu: [], toolCpu: [], firsts, idle, active }
}

async function measure({ scale }: Bench, front: Child, { kind, times, serviceCpu, toolCpu }: Result): Promise<void> {
  const { single } = scale.toolCalls
  const pid = await pidOf(front, kind)
  const [service, tool] = [(await front.used()).cpuMs, cpuOf(pid)]
  times.push(...(await call(front, kind, single)).times)
  serviceCpu.push(((await front.used()).cpuMs - service) / single)
  toolCpu.push((cpuOf(pid) - tool) / single)
}

function callTable(results: readonly Result[]): Table {
  return {
    title: 'A call of a tool whose process lives, on a fresh instance; and a first call, which starts the process',
    columns: ['', 'p50 ms', 'p99 ms', 'service CPU ms', 'tool CPU ms', 'first call ms'],
    rows: results.map(({ kind, times, serviceCpu, toolCpu, firsts }) => [
      kind.title,
      fixed(percentile(times, 50), 2),
      fixed(percentile(times, 99), 2),
      fixed(median(serviceCpu), 2),
      fixed(median(toolCpu), 2),
      fixed(median(firsts), 0),
    ]),
  }
}

async function transpileTable({ scale }: Bench, front: Child, packages: readonly Package[]): Promise<Table> {
  const rows: string[][] = []
  for (const { name, component } of packages) {
    const times: number[] = []
    for (let at = 0; at < scale.starts; at++) {
      times.push(...(await send(front, { do: 'transpile', component })).times)
    }
    const kilobytes = readFileSync(component).length / 1_000
    rows.push([name, fixed(kilobytes, 0), fixed(median(times), 0), fixed(Math.min(...times), 0)])
  }
  return { title: 'Check and transpile at install', columns: ['', 'size KB', 'median ms', 'best ms'], rows }
}

function memoryTable(results: readonly Result[]): Table {
  return {
    title: 'A tool process; its own pages are those that no other process shares',
    columns: ['', 'idle RSS MB', 'idle own MB', 'active RSS MB', 'active own MB'],
    rows: results.map(({ kind, idle, active }) => [
      kind.title,
      ...[idle, active].flatMap(({ rssBytes, ownBytes }) => [megabytes(rssBytes), megabytes(ownBytes)]),
    ]),
  }
}

/** Many calls in flight, over one tool and over more tools than may have a process. */
async function crowdTable(
  { scale: { crowd } }: Bench,
  front: Child,
  { args, expects }: Kind,
  packages: readonly Package[],
): Promise<Table> {
  const rows: string[][] = []
  const { calls, inFlight } = crowd
  for (const count of [1, processes, crowd.tools]) {
    const names = packages.slice(0, count).map(({ name }) => name)
    const order = { do: 'call', names, args, expects, inFlight } as const
    // The first calls start the processes.
    await send(front, { ...order, calls: inFlight })
    const { times, wallMs } = await send(front, { ...order, calls })
    rows.push([
      `${count} ${count === 1 ? 'tool' : 'tools'}`,
      fixed((times.length / wallMs) * 1_000, 0),
      fixed(percentile(times, 50), 0),
      fixed(percentile(times, 99), 0),
    ])
  }
  const title = `${inFlight} calls in flight, minimal components, at most ${processes} processes`
  return { title, columns: ['', 'calls/s', 'p50 ms', 'p99 ms'], rows }
}

/** Memory of the service and the tool over many calls. A process that has used its CPU quota is replaced. */
async function growthTable({ scale }: Bench, front: Child, kinds: readonly Kind[]): Promise<Table> {
  const rows: string[][] = []
  for (const kind of kinds) {
    const seen = new Set<number>()
    for (let step = 0; step <= steps; step++) {
      const calls = step === 0 ? scale.toolCalls.warm : scale.toolCalls.growth / steps
      await call(front, kind, calls)
      const pid = await pidOf(front, kind)
      rows.push([
        `${kind.title}, after ${Math.round((scale.toolCalls.growth / steps) * step).toLocaleString('en')} calls`,
        megabytes((await front.used()).rssBytes),
        megabytes(memoryOf(pid).rssBytes),
        String(seen.add(pid).size),
      ])
    }
  }
  return { title: 'Growth', columns: ['', 'service RSS MB', 'tool RSS MB', 'process no.'], rows }
}

function call(front: Child, { tool, args, expects }: Kind, calls: number): Promise<OrderResult> {
  return send(front, { do: 'call', names: [tool.name], args, expects, calls, inFlight: 1 })
}

/** The process that serves a tool now. */
async function pidOf(front: Child, kind: Kind): Promise<number> {
  return (await call(front, kind, 1)).live[kind.tool.name] ?? 0
}

/** The peak memory of a process during some work. */
async function peakMemory(pid: number, work: Promise<unknown>): Promise<Memory> {
  let peak = memoryOf(pid)
  let over = false
  void work.finally(() => {
    over = true
  })
  while (!over) {
    const now = memoryOf(pid)
    if (now.rssBytes > peak.rssBytes) peak = now
    await pause(sampleMs)
  }
  await work
  return peak
}

async function send({ origin }: Child, order: Order): Promise<OrderResult> {
  const response = await fetch(origin, { method: 'POST', body: JSON.stringify(order) })
  if (!response.ok) throw new Error(`the order to ${order.do} failed: ${await response.text()}`)
  return (await response.json()) as OrderResult
}
