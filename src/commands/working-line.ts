// `working 3 s`, while a command waits for words of the model: a model may think for minutes before the first.
import { elapsedWords } from '#core/words.ts'
import { createProgress, type ProgressParts } from './progress-line.ts'

const stepMs = 1_000

export interface WorkingLine {
  /** Shows the line from the next second on, on a terminal; elsewhere nothing. */
  readonly begin: () => void
  /** Removes the line. Called before anything else is written to the terminal. */
  readonly end: () => void
}

/** The time counts from the first `begin`. */
export function createWorkingLine({
  stream = process.stderr,
  now = () => performance.now(),
}: ProgressParts = {}): WorkingLine {
  const progress = createProgress({ stream, now })
  let since: number | undefined
  let timer: NodeJS.Timeout | undefined
  return {
    begin() {
      since ??= now()
      const from = since
      if (!stream.isTTY || timer) return
      timer = setInterval(() => progress.show(`working ${elapsedWords(now() - from)}, Ctrl+C stops`), stepMs)
    },
    end() {
      clearInterval(timer)
      timer = undefined
      progress.end()
    },
  }
}
