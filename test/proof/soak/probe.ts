// Looks at a running service from outside: its own metrics, /proc, and the size of its database. On systems other than
// Linux the values of /proc are NaN.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { query, type Sql } from '#store/sql.ts'
import { memoryOf } from '../../../bench/process.ts'

export type Sample = {
  readonly rssBytes: number
  readonly heapBytes: number
  readonly externalBytes: number
  /** Open files, sockets, pipes. */
  readonly descriptors: number
  readonly sockets: number
  /** Processes below the service: those of tools. */
  readonly children: number
  readonly threads: number
  readonly databaseBytes: number
  /** Since the start: CPU time of the process, and time in which its event loop was busy. */
  readonly cpuMs: number
  readonly busyMs: number
  /** Turns that came to rest since the start. */
  readonly turns: number
  readonly completedTurns: number
  readonly failedTurns: number
  /** Calls of the sandboxed component since the start. */
  readonly componentCalls: number
  readonly loopDelayMs: number
}

export type Probe = () => Promise<Sample>

type ProbeParts = {
  readonly pid: number
  readonly gateway: string
  readonly token: string
  readonly sql: Sql
}

export function createProbe({ pid, gateway, token, sql }: ProbeParts): Probe {
  return async () => {
    const metrics = await readMetrics(`${gateway}/metrics`, token)
    const descriptors = descriptorsOf(pid)
    return {
      rssBytes: memoryOf(pid).rssBytes,
      heapBytes: valueOf(metrics, 'nodejs_heap_size_used_bytes'),
      externalBytes: valueOf(metrics, 'nodejs_external_memory_bytes'),
      descriptors: descriptors?.length ?? Number.NaN,
      sockets: descriptors?.filter((each) => each.startsWith('socket:')).length ?? Number.NaN,
      children: childrenOf(pid),
      threads: numberIn(`/proc/${pid}/status`, /^Threads:\s*(\d+)/m),
      databaseBytes: await sizeOf(sql),
      cpuMs: valueOf(metrics, 'process_cpu_seconds_total') * 1_000,
      busyMs: valueOf(metrics, 'nodejs_eventloop_active_seconds_total') * 1_000,
      turns: valueOf(metrics, 'atrium_turns_total'),
      completedTurns: outcomeOf(metrics, 'completed'),
      failedTurns: outcomeOf(metrics, 'failed'),
      componentCalls: valueOf(metrics, 'atrium_tool_calls_total{tool="weather"', 0),
      loopDelayMs: valueOf(metrics, 'nodejs_eventloop_delay_seconds{stat="p99"}') * 1_000,
    }
  }
}

async function readMetrics(url: string, token: string): Promise<string> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`)
  return response.text()
}

/** The sum of the series whose names begin like this. A series that only its first event makes has a value before. */
export function valueOf(metrics: string, name: string, before = Number.NaN): number {
  const lines = metrics.split('\n').filter((line) => line.startsWith(name))
  if (lines.length === 0) return before
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}

/** The turns of all doors that came to rest like this. */
export function outcomeOf(metrics: string, outcome: string): number {
  const lines = metrics.split('\n').filter((line) => line.includes(`outcome="${outcome}"`))
  return valueOf(lines.join('\n'), 'atrium_turns_total{', 0)
}

function descriptorsOf(pid: number): string[] | undefined {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => linkOf(`/proc/${pid}/fd/${fd}`) ?? [])
  } catch {
    return undefined
  }
}

/** It may be closed already. */
function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/** The number of processes below one, however deep. */
function childrenOf(pid: number): number {
  const parents = new Map<number, number>()
  try {
    for (const name of readdirSync('/proc')) {
      if (/^\d+$/.test(name)) parents.set(Number(name), numberIn(`/proc/${name}/status`, /^PPid:\s*(\d+)/m))
    }
  } catch {
    return Number.NaN
  }
  const isBelow = (each: number | undefined): boolean =>
    each !== undefined && each > 1 && (each === pid || isBelow(parents.get(each)))
  return [...parents].filter(([, parent]) => isBelow(parent)).length
}

function numberIn(path: string, pattern: RegExp): number {
  try {
    return Number(pattern.exec(readFileSync(path, 'utf8'))?.[1])
  } catch {
    return Number.NaN
  }
}

/**
 * The pages of the database. Those of SQLite lie in its file or still in its log: the sizes of these two go up and down
 * with every checkpoint.
 */
async function sizeOf(sql: Sql): Promise<number> {
  const [row] = await sql.read(() =>
    query(
      sql.backend === 'sqlite'
        ? 'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size'
        : 'SELECT pg_database_size(current_database()) AS bytes',
    ),
  )
  return Number(row?.['bytes'])
}
