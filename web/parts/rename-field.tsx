// The title of a thread as a field. Enter and leaving the field save it, Esc cancels.
import { useLayoutEffect, useRef } from 'preact/hooks'
import { maxThreadTitleChars } from '#core/page-limits.ts'
import { faultText } from '../api/client.ts'
import { notify } from '../store/notices.ts'
import { renameThread } from '../store/threads.ts'

type Props = {
  readonly id: string
  readonly title: string
  readonly look: string
  /** Called once, saved or not: the caller removes the field. */
  readonly onEnd: () => void
}

export function RenameField({ id, title, look, onEnd }: Props) {
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => field.current?.select(), [])
  /** The field's removal fires blur: the renaming has ended by then. */
  const ended = useRef(false)
  const end = (save: boolean): void => {
    if (ended.current) return
    ended.current = true
    const newTitle = field.current?.value.trim() ?? ''
    onEnd()
    if (!save || newTitle === '' || newTitle === title) return
    renameThread(id, newTitle).catch((error) => notify(`The title was not changed. ${faultText(error)}`))
  }
  return (
    <input
      class={`input ${look}`}
      aria-label="Title"
      defaultValue={title}
      maxLength={maxThreadTitleChars}
      ref={field}
      onBlur={() => end(true)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') end(true)
        if (event.key === 'Escape') {
          event.preventDefault()
          end(false)
        }
      }}
    />
  )
}
