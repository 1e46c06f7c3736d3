// Shows the current notice below the bar of the page.
import { notice } from '../store/notices.ts'
import { Button } from './button.tsx'
import { focusSoon } from './focus.ts'
import './notice.css'

export function Notices() {
  const shown = notice.value
  return (
    <div class="notices" aria-live="polite">
      {shown && (
        <div class="notice" key={shown.id}>
          <span>{shown.text}</span>
          {shown.undo && (
            <Button
              kind="quiet"
              size="small"
              onClick={() => {
                shown.undo?.()
                focusSoon('#main')
              }}
            >
              Undo
            </Button>
          )}
        </div>
      )}
    </div>
  )
}
