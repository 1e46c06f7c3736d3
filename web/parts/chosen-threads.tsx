// Choosing several threads in the sidebar, to archive or delete them.
import { countWords } from '#core/words.ts'
import type { Thread } from '#doors/web/wire/thread.ts'
import { archiveChosen, choose, chosen, deleteChosen } from '../store/chosen.ts'
import { ActButton } from './act-button.tsx'
import { Button } from './button.tsx'
import './chosen-threads.css'
import { focusSoon } from './focus.ts'

/** A thread with a box to choose it. */
export function ChoiceRow({ thread: { id, title } }: { thread: Thread }) {
  return (
    <label class="side-row choice-row" title={title}>
      <input
        type="checkbox"
        checked={chosen.value?.has(id) ?? false}
        onChange={(event) => choose(id, event.currentTarget.checked)}
      />
      <span class="one-line">{title || 'Untitled'}</span>
    </label>
  )
}

/** The actions on the chosen threads. */
export function ChosenThreads() {
  const count = chosen.value?.size ?? 0
  return (
    <div class="chosen-bar" role="group" aria-label="Chosen threads">
      <p role="status">{countWords(count, 'thread')} chosen</p>
      <Button
        size="small"
        kind="clay"
        disabled={count === 0}
        onClick={() => {
          deleteChosen()
          focusSoon('.notice button')
        }}
      >
        Delete
      </Button>
      <ActButton size="small" disabled={count === 0} act={archiveChosen} failed="Not all threads were archived.">
        Archive
      </ActButton>
      <Button size="small" kind="quiet" onClick={() => (chosen.value = undefined)}>
        Cancel
      </Button>
    </div>
  )
}
