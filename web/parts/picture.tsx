// A picture of a message: small in the thread, whole in a dialog.
import { useRef } from 'preact/hooks'
import { IconButton } from './button.tsx'
import './picture.css'

export function Picture({ url }: { url: string }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const close = (): void => dialog.current?.close()
  return (
    <>
      <button type="button" class="picture" aria-label="Open picture" onClick={() => dialog.current?.showModal()}>
        <img class="own-image" src={url} alt="Attached picture" />
      </button>
      <dialog class="picture-whole" ref={dialog} aria-label="Attached picture" onClick={close}>
        <IconButton icon="cross" name="Close" onClick={close} />
        <img src={url} alt="Attached picture" />
      </dialog>
    </>
  )
}
