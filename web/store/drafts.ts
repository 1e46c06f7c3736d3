// What was written and not yet sent, by thread.
import { keep, keepsAny, kept } from './kept.ts'

/** `new` is the draft of a thread that does not exist yet. */
export function readDraft(thread: string): string {
  return kept(`draft.${thread}`) ?? ''
}

export function keepDraft(thread: string, text: string): void {
  keep(`draft.${thread}`, text === '' ? undefined : text)
}

export function hasDraft(): boolean {
  return keepsAny('draft.')
}
