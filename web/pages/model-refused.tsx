// Why a model was not chosen, with a button that chooses it without a test.
import { Button } from '../parts/button.tsx'
import { Note } from '../parts/note.tsx'

type Props = {
  readonly why: string
  readonly busy: boolean
  /** Absent when the choice itself is faulty. */
  readonly force: (() => void) | undefined
}

export function ModelRefused({ why, busy, force }: Props) {
  return (
    <Note
      kind="clay"
      title="Nothing was changed"
      actions={
        force && (
          <Button size="small" busy={busy} onClick={force}>
            Use it anyway
          </Button>
        )
      }
    >
      {why}
    </Note>
  )
}
