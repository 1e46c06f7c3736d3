// Calls in a row. From the fourth on, those that are done become one line, which the reader unfolds; so do the thoughts
// between them.
import type { Block, Call, Thought } from './blocks.ts'

const foldFrom = 4
/** Fewer than this are no shorter as one line. */
const minDone = 2

/** The line that stands above the first call of a row, for all of it that is done. */
export type RunHead = { readonly tools: number; readonly ms: number; readonly open: boolean }

export type Runs = {
  /** By the id of the first call. */
  readonly heads: ReadonlyMap<string, RunHead>
  /** Calls and thoughts that are not shown. */
  readonly hidden: ReadonlySet<string>
}

export const noRuns: Runs = { heads: new Map(), hidden: new Set() }

/** `open` has the first calls of the rows that the reader has unfolded. A call that they unfolded stays to be seen. */
export function runsOf(blocks: readonly Block[], open: ReadonlySet<string>): Runs {
  const heads = new Map<string, RunHead>()
  const hidden = new Set<string>()
  let run: Call[] = []
  /** Thoughts since the first call, and how many of them have a call behind them. */
  let thoughts: Thought[] = []
  let between = 0
  const close = (): void => {
    const [first] = run
    const done = run.filter(({ state }) => state === 'done')
    if (first && run.length >= foldFrom && done.length >= minDone) {
      const ms = done.reduce((sum, call) => sum + (call.ms ?? 0), 0)
      heads.set(first.id, { tools: done.length, ms, open: open.has(first.id) })
      for (const { id, fold } of [...done, ...thoughts.slice(0, between)])
        if (fold === 'line' && !open.has(first.id)) hidden.add(id)
    }
    run = []
    thoughts = []
    between = 0
  }
  for (const block of blocks) {
    if (block.type === 'call') {
      run.push(block)
      between = thoughts.length
    } else if (block.type === 'thought') {
      if (run.length > 0) thoughts.push(block)
    } else if (run.length > 0) close()
  }
  close()
  return { heads, hidden }
}
