// Memory and CPU time of a process, from /proc. On systems other than Linux the values are NaN.
import { readFileSync } from 'node:fs'

/** All pages, including those shared with other processes (such as Node's binary), and the private ones. */
export type Memory = { readonly rssBytes: number; readonly ownBytes: number }

/** The clock of /proc ticks a hundred times a second. */
const tickMs = 10

export function memoryOf(pid: number): Memory {
  const text = read(`/proc/${pid}/smaps_rollup`)
  const field = (name: string): number => Number(new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(text)?.[1]) * 1_024
  return { rssBytes: field('Rss'), ownBytes: field('Private_Clean') + field('Private_Dirty') }
}

/** CPU milliseconds so far, user and system. */
export function cpuOf(pid: number): number {
  const fields = statOf(pid)
  return (Number(fields[11]) + Number(fields[12])) * tickMs
}

/** The same of a process, its descendants, and those of them that have ended. */
export function treeCpuOf(pid: number): number {
  const children = read(`/proc/${pid}/task/${pid}/children`).trim()
  const ended = (Number(statOf(pid)[13]) + Number(statOf(pid)[14])) * tickMs
  return children === ''
    ? cpuOf(pid) + ended
    : children.split(' ').reduce((sum, child) => sum + treeCpuOf(Number(child)), cpuOf(pid) + ended)
}

function statOf(pid: number): readonly string[] {
  // The name in brackets may contain anything.
  return read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? []
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
