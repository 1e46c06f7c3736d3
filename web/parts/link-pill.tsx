// "Reconnecting, 4 s", while it is so.
import { useComputed } from '@preact/signals'
import { goneSecs } from '../store/link.ts'
import { Icon } from './icon.tsx'
import './link-pill.css'

export function LinkPill() {
  const gone = useComputed(() => goneSecs.value !== undefined).value
  return (
    <span class="link-state">
      {/* Read out once, when it begins: not at every second. */}
      <span role="status" class="unseen">
        {gone ? 'Reconnecting…' : ''}
      </span>
      {gone && (
        <span class="pill clay" aria-hidden="true">
          <Icon name="retry" />
          <span>
            Reconnecting<span class="link-secs">, {goneSecs} s</span>
          </span>
        </span>
      )}
    </span>
  )
}
