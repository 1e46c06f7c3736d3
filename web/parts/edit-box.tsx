// The box in which a message is edited: Enter sends, Escape closes.
import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useAct } from './act.ts'
import { Button } from './button.tsx'

type Props = {
  readonly text: string
  /** False where the box comes back by itself: the focus stays where it is. */
  readonly takesFocus?: boolean
  /** Tells how the changed text is used. */
  readonly note: string
  readonly verb: string
  readonly onClose: () => void
  readonly onSend: (text: string) => Promise<void>
  /** Gets the changed text when the box goes without having been closed. */
  readonly onLeft?: (text: string) => void
  /** Gets the text at each change. */
  readonly onChange?: (text: string) => void
}

export function EditBox({ text, takesFocus = true, note, verb, onClose, onSend, onLeft, onChange }: Props) {
  const value = useSignal(text)
  const { busy, fault, run } = useAct()
  const field = useRef<HTMLTextAreaElement>(null)
  const closed = useRef(false)
  const close = (): void => {
    closed.current = true
    onClose()
  }
  useLayoutEffect(() => {
    if (takesFocus) field.current?.focus()
    return () => {
      // While it is being sent, the sender keeps it.
      if (!closed.current && !busy.peek() && value.peek() !== text) onLeft?.(value.peek())
    }
  }, [])
  const send = async (): Promise<void> => {
    const next = value.value.trim()
    if (next === '') return
    await run(async () => {
      await onSend(next)
      close()
    })
  }
  return (
    <div class="edit-box">
      <textarea
        class="input"
        aria-label="Edit message"
        rows={Math.min(12, Math.max(2, value.value.split('\n').length))}
        value={value.value}
        ref={field}
        onInput={(event) => {
          value.value = event.currentTarget.value
          onChange?.(value.value)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            event.preventDefault()
            close()
          }
          if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
            event.preventDefault()
            void send()
          }
        }}
      />
      <div class="edit-acts">
        <span class="label" role={fault.value ? 'alert' : undefined}>
          {fault.value ?? note}
        </span>
        <Button kind="quiet" size="small" onClick={close}>
          Cancel
        </Button>
        <Button kind="primary" size="small" busy={busy.value} onClick={() => void send()}>
          {verb}
        </Button>
      </div>
    </div>
  )
}
