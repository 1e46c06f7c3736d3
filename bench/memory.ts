// What a process weighs, as the system counts it. Known on Linux only; elsewhere it is not a number.
import { readFileSync } from 'node:fs'

/** All pages, those shared with other processes (Node's own binary) included; and those that are its alone. */
export type Memory = { readonly rssBytes: number; readonly ownBytes: number }

export function memoryOf(pid: number): Memory {
  const status = read(`/proc/${pid}/smaps_rollup`)
  const field = (name: string): number => Number(new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(status)?.[1]) * 1_024
  return { rssBytes: field('Rss'), ownBytes: field('Private_Clean') + field('Private_Dirty') }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
