// Short messages at the lower edge of the page, some with an undo.
import { signal } from '@preact/signals'

const shownMs = 8_000

export type Notice = {
  readonly id: number
  readonly text: string
  readonly undo?: () => void
}

export const notice = signal<Notice | undefined>(undefined)
let count = 0
let timer: ReturnType<typeof setTimeout> | undefined
let finish: (() => void) | undefined

/** Shows a message for eight seconds. `onEnd` runs when it ends without an undo, or when another replaces it. */
export function notify(text: string, { undo, onEnd }: { undo?: () => void; onEnd?: () => void } = {}): void {
  endNotice()
  const id = ++count
  finish = onEnd
  notice.value = {
    id,
    text,
    ...(undo && {
      undo: () => {
        finish = undefined
        endNotice()
        undo()
      },
    }),
  }
  timer = setTimeout(endNotice, shownMs)
}

/** Ends the current notice and runs its `onEnd`. */
export function endNotice(): void {
  clearTimeout(timer)
  notice.value = undefined
  const act = finish
  finish = undefined
  act?.()
}
