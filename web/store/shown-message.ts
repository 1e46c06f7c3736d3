// The message at which a thread is opened, instead of at its end.
import { signal } from '@preact/signals'

export const shownMessage = signal<{ readonly threadId: string; readonly seq: number } | undefined>(undefined)
