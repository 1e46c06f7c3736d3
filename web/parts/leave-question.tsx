// The question before a document with unsaved words is left: by a link, by Back, or with the tab.
import { useEffect, useId, useRef } from 'preact/hooks'
import { leaving } from '../router.ts'
import { Button } from './button.tsx'
import './confirm.css'

type Props = {
  readonly hasUnsaved: () => boolean
  readonly discard: () => void
}

/** The words are kept as a draft unless they are discarded. */
export function LeaveQuestion({ hasUnsaved, discard }: Props) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const goOn = useRef(() => {})
  useEffect(() => {
    const ask = (next: () => void): boolean => {
      if (!hasUnsaved()) return false
      goOn.current = next
      dialog.current?.showModal()
      return true
    }
    // The browser asks in its own words.
    const unload = (event: BeforeUnloadEvent): void => {
      if (hasUnsaved()) event.preventDefault()
    }
    leaving.ask = ask
    addEventListener('beforeunload', unload)
    return () => {
      if (leaving.ask === ask) leaving.ask = undefined
      removeEventListener('beforeunload', unload)
    }
  }, [])
  const leave = (): void => {
    leaving.ask = undefined
    // An open dialog would be what Back closes.
    dialog.current?.close()
    goOn.current()
  }
  return (
    <dialog class="confirm" ref={dialog} aria-labelledby={id}>
      <h2 id={id}>Leave with unsaved words?</h2>
      <p>They can stay in this browser as a draft: you find them when you open the document again.</p>
      <div class="confirm-buttons">
        <Button onClick={() => dialog.current?.close()}>Stay</Button>
        <Button
          kind="clay"
          onClick={() => {
            discard()
            leave()
          }}
        >
          Discard
        </Button>
        <Button kind="primary" onClick={leave}>
          Keep the draft
        </Button>
      </div>
    </dialog>
  )
}
