// The threads that are chosen in the sidebar, to delete or archive several at once.
import { signal } from '@preact/signals'
import { deleteThreads, shelveThread } from './threads.ts'

/** Undefined while none are being chosen. */
export const chosen = signal<ReadonlySet<string> | undefined>(undefined)

export function choose(id: string, on: boolean): void {
  const others = [...(chosen.peek() ?? [])].filter((each) => each !== id)
  chosen.value = new Set(on ? [...others, id] : others)
}

export function deleteChosen(): void {
  const ids = [...(chosen.peek() ?? [])]
  chosen.value = undefined
  if (ids.length > 0) deleteThreads(ids)
}

/** Archives the chosen threads, one after the other. */
export async function archiveChosen(): Promise<void> {
  const ids = [...(chosen.peek() ?? [])]
  chosen.value = undefined
  for (const id of ids) await shelveThread(id, { archived: true })
}
