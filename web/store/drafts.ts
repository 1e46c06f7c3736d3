// What was written and not yet sent, by thread.
import { signal } from '@preact/signals'
import { writeStored, hasStored, readStored } from './local-storage.ts'

/** Counts up with every change, whoever made it. */
const changes = signal(0)

/** `new` is the draft of a thread that does not exist yet. */
export function readDraft(thread: string): string {
  void changes.value
  return readStored(`draft.${thread}`) ?? ''
}

export function writeDraft(thread: string, text: string): void {
  writeStored(`draft.${thread}`, text === '' ? undefined : text)
  changes.value++
}

export function hasDraft(): boolean {
  return hasStored('draft.')
}
