// The approval question for a change of a file.
import type { CallQuestion } from '#core/question.ts'
import { countWords, numberWords } from '#core/words.ts'
import { type Diff, unifiedDiff } from '#lib/unified-diff.ts'

export type Change = { readonly before: string | undefined; readonly after: string }

/** `before` is undefined for a new file. */
export function changeQuestion(path: string, { before, after }: Change): CallQuestion {
  const isNew = before === undefined
  const diff = unifiedDiff(path, before, after)
  const does = changeWords(diff, isNew)
  return {
    question: {
      text: `${isNew ? 'Create' : 'Change'} ${path}?`,
      brief: isNew ? 'Create a file' : 'Change a file',
      sentence: `${does} The file is untouched until you answer.`,
      does,
      pending: 'Nothing has happened yet.',
    },
    preview: { type: 'diff', path, diff: diff.text },
  }
}

function changeWords({ text, added, removed }: Diff, isNew: boolean): string {
  if (text === '') return 'Changes a file in the workspace folder.'
  const lines = (count: number): string => countWords(count, 'line')
  if (isNew) return `Writes ${lines(added)} to a new file in the workspace folder.`
  if (removed === 0) return `Adds ${lines(added)} in the workspace folder.`
  if (added === 0) return `Removes ${lines(removed)} in the workspace folder.`
  return `Replaces ${lines(removed)} with ${numberWords(added)} in the workspace folder.`
}
