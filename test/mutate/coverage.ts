// Which parts of which files a test file executes, from V8's own counts.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Attempt, attempt } from './attempt.ts'

export type Stretch = readonly [start: number, end: number]

export type Coverage = Attempt & {
  /** By path: the stretches of the text that were executed, in order. */
  readonly executed: Readonly<Record<string, readonly Stretch[]>>
}

type Counted = {
  readonly url: string
  readonly functions: readonly {
    readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[]
  }[]
}

/** Runs the test as it is. Its types are blanked, not removed, so that places are those of the source. */
export async function cover(test: string, { root, timeoutMs }: { root: string; timeoutMs: number }): Promise<Coverage> {
  const folder = mkdtempSync(join(tmpdir(), 'mutate-coverage-'))
  try {
    const done = await attempt(test, { root, timeoutMs, env: { NODE_V8_COVERAGE: folder } })
    const painted = new Map<string, Uint8Array>()
    for (const name of done.verdict === 'passed' ? readdirSync(folder) : []) {
      const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { result: Counted[] }
      for (const script of result) {
        const path = script.url.startsWith('file:') ? relative(root, fileURLToPath(script.url.split('?')[0] ?? '')) : ''
        if (!/^(src|web)[/\\]/.test(path)) continue
        const place = path.split(sep).join('/')
        painted.set(place, unite(painted.get(place), paint(script)))
      }
    }
    return { ...done, executed: Object.fromEntries([...painted].map(([path, marks]) => [path, stretchesOf(marks)])) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export function isExecuted(stretches: readonly Stretch[] | undefined, at: number): boolean {
  return stretches?.some(([start, end]) => start <= at && at < end) ?? false
}

/** An inner range counts for what it holds, whatever is around it. V8 takes some code that never ran for executed. */
function paint({ functions }: Counted): Uint8Array {
  const ranges = functions
    .flatMap((each) => each.ranges)
    .toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset)
  const marks = new Uint8Array(Math.max(0, ...ranges.map(({ endOffset }) => endOffset)))
  for (const { startOffset, endOffset, count } of ranges) marks.fill(count > 0 ? 1 : 0, startOffset, endOffset)
  return marks
}

function unite(one: Uint8Array | undefined, other: Uint8Array): Uint8Array {
  return one ? other.map((mark, at) => mark || (one[at] ?? 0)) : other
}

function stretchesOf(marks: Uint8Array): Stretch[] {
  const found: Stretch[] = []
  for (let start = marks.indexOf(1); start >= 0; ) {
    const end = marks.indexOf(0, start)
    found.push([start, end < 0 ? marks.length : end])
    start = end < 0 ? -1 : marks.indexOf(1, end)
  }
  return found
}
