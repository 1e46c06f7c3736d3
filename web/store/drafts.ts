// What was written and not yet sent, by thread.
import { signal } from '@preact/signals'
import { keep, keepsAny, kept } from './local-storage.ts'

/** Counts up with every change, whoever made it. */
const changes = signal(0)

/** `new` is the draft of a thread that does not exist yet. */
export function readDraft(thread: string): string {
  void changes.value
  return kept(`draft.${thread}`) ?? ''
}

export function keepDraft(thread: string, text: string): void {
  keep(`draft.${thread}`, text === '' ? undefined : text)
  changes.value++
}

export function hasDraft(): boolean {
  return keepsAny('draft.')
}
