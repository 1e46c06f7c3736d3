// Which parts of which files a test file executes, from V8's own counts.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Attempt, attempt, type Order } from './attempt.ts'
import { openScratch } from '../scratch.ts'

type Range = { readonly startOffset: number; readonly endOffset: number; readonly count: number }
type Script = { readonly url: string; readonly functions: readonly { readonly ranges: readonly Range[] }[] }

export type Coverage = Attempt & {
  /** By path: the counted ranges of the text, for each process that loaded it. */
  readonly counted: Readonly<Record<string, readonly (readonly Range[])[]>>
}

/** Runs the test as it is. Types are blanked, not removed, so that V8 counts by the places of the source. */
export async function cover(test: string, { root, env, timeoutMs }: Omit<Order, 'planting'>): Promise<Coverage> {
  const folder = openScratch('mutate-coverage-')
  try {
    const done = await attempt(test, { root, timeoutMs, env: { ...env, NODE_V8_COVERAGE: folder.path } })
    const counted: Record<string, (readonly Range[])[]> = {}
    for (const name of done.verdict === 'passed' ? readdirSync(folder.path) : []) {
      const { result } = JSON.parse(readFileSync(join(folder.path, name), 'utf8')) as { result: Script[] }
      for (const { url, functions } of result) {
        const path = url.startsWith('file:') ? relative(root, fileURLToPath(url)) : ''
        if (/^(src|web)\//.test(path)) (counted[path] ??= []).push(functions.flatMap(({ ranges }) => ranges))
      }
    }
    return { ...done, counted }
  } finally {
    folder.remove()
  }
}

/** The smallest range around a place counts. V8 also counts some code after a `return` that never ran. */
export function isExecuted({ counted }: Coverage, path: string, at: number): boolean {
  return (counted[path] ?? []).some((ranges) => {
    const around = ranges.filter(({ startOffset, endOffset }) => startOffset <= at && at < endOffset)
    const [smallest] = around.toSorted((a, b) => a.endOffset - a.startOffset - (b.endOffset - b.startOffset))
    return smallest !== undefined && smallest.count > 0
  })
}
