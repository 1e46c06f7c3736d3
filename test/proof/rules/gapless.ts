// The items of a thread are numbered without gaps, where they are stored and where they are read.
import type { Rule } from '../history.ts'
import { eventsOf } from './log.ts'

export const gapless: Rule = {
  name: 'gapless',
  promise: 'Sequence numbers have no gaps and no repeats, in the database and in every read.',
  check(history) {
    const stored = history.stored.threads.flatMap(({ id, lastSeq, entries }) => {
      const gap = firstGap(
        entries.map(({ seq }) => seq),
        0,
      )
      if (gap !== undefined) return [`thread ${id} has ${gap}`]
      return lastSeq === entries.length ? [] : [`thread ${id} has ${entries.length} items and says ${lastSeq}`]
    })
    const read = eventsOf(history, 'followed').flatMap(({ user, threadId, after, seqs }) => {
      const gap = firstGap(seqs, after)
      return gap === undefined ? [] : [`${user} read thread ${threadId} after ${after} with ${gap}`]
    })
    return [...stored, ...read]
  },
}

function firstGap(seqs: readonly number[], after: number): string | undefined {
  const at = seqs.findIndex((seq, index) => seq !== after + 1 + index)
  return at < 0 ? undefined : `${seqs[at]} in place of ${after + 1 + at}`
}
