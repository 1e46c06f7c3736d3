// Folds runs of calls. In a run of four or more, the finished calls and the thoughts between them collapse into one
// line, which the reader can unfold.
import type { Block, Call, Thought } from './block.ts'

const foldFrom = 4
/** A run with fewer finished calls is not folded: one line would save nothing. */
const minDone = 2

/** The line above the first call of a run, which summarizes its finished calls. */
export type RunHead = { readonly tools: number; readonly ms: number; readonly open: boolean }

export type Runs = {
  /** By the id of the run's first call. */
  readonly heads: ReadonlyMap<string, RunHead>
  /** Calls and thoughts that are not shown. */
  readonly hidden: ReadonlySet<string>
}

export const noRuns: Runs = { heads: new Map(), hidden: new Set() }

/** `open` has the ids of the first calls of unfolded runs. A call that the reader unfolded stays visible. */
export function runsOf(blocks: readonly Block[], open: ReadonlySet<string>): Runs {
  const heads = new Map<string, RunHead>()
  const hidden = new Set<string>()
  let run: Call[] = []
  /** Thoughts since the first call; `between` counts those that are followed by a call. */
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
