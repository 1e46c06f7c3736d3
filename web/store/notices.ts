// Short words at the lower edge, with a way back where there is one.
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

/** Shows a word for eight seconds. `after` runs when they have passed without an undo, or when another takes its place. */
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

/** Ends the notice that stands; what it put off happens now. */
export function endNotice(): void {
  clearTimeout(timer)
  notice.value = undefined
  const act = finish
  finish = undefined
  act?.()
}
