// The message that the open thread is to show: it is scrolled there, on opening instead of to its end.
import { signal } from '@preact/signals'

export const shownMessage = signal<{ readonly threadId: string; readonly seq: number } | undefined>(undefined)

/** The thread in which words are looked for. */
export const findOpen = signal<string | undefined>(undefined)
