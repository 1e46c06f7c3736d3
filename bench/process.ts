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
  // The name in brackets may contain anything. The 12th and 13th field after it are the ticks.
  const fields = read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * tickMs
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
