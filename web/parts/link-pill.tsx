// The pill "Reconnecting, 4 s", while the connection is down.
import { useComputed } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { offlineSecs } from '../store/link.ts'
import { Icon } from './icon.tsx'
import './link-pill.css'

export function LinkPill() {
  const gone = useComputed(() => offlineSecs.value !== undefined).value
  const wasGone = useRef(false)
  wasGone.current ||= gone
  return (
    <span class="link-state">
      {/* Screen readers hear it once, not every second. */}
      <span role="status" class="unseen">
        {gone ? 'Reconnecting…' : ''}
      </span>
      <span aria-live="polite" class="unseen">
        {wasGone.current && !gone ? 'Connected again' : ''}
      </span>
      {gone && (
        <span class="pill clay" aria-hidden="true">
          <Icon name="retry" />
          <span>
            Reconnecting<span class="link-secs">, {offlineSecs} s</span>
          </span>
        </span>
      )}
    </span>
  )
}
