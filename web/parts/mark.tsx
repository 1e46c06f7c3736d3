// Small signs that tell a state by shape as well as by colour, and pills.
import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'
import './mark.css'

/** A turning ring; where motion is unwanted it stands still. */
export function Spinner() {
  return <span class="spinner" aria-hidden="true" />
}

/** Sun: it waits for the reader. Verdigris: unread, or all is well. */
export function Dot({ kind }: { kind: 'sun' | 'verdigris' | 'clay' }) {
  return <span class={`dot ${kind}`} aria-hidden="true" />
}

/** How many wait; the number has words for those who hear it. */
export function Count({ count, words }: { count: number; words: string }) {
  if (count === 0) return null
  return (
    <span class="count">
      <span aria-hidden="true">{count}</span>
      <span class="unseen">{words}</span>
    </span>
  )
}

type PillKind = 'plain' | 'good' | 'sun' | 'clay'

export function Pill({
  kind = 'plain',
  icon,
  children,
}: Readonly<{ kind?: PillKind; icon?: IconName; children: ComponentChildren }>) {
  return (
    <span class={`pill ${kind}`}>
      {icon && <Icon name={icon} />}
      {children}
    </span>
  )
}
