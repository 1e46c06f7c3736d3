// Spinner, dots, counts and pills: each state has a shape as well as a colour.
import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'
import './mark.css'

/** A turning ring; still under `prefers-reduced-motion`. */
export function Spinner() {
  return <span class="spinner" aria-hidden="true" />
}

/** A spinner of something that runs, with the word where nothing may move. Its name is said elsewhere. */
export function Runs() {
  return (
    <span class="runs" aria-hidden="true">
      <Spinner />
      <span class="runs-word">running</span>
    </span>
  )
}

/** Sun: waits for the reader. Verdigris: unread, or healthy. Clay: a fault. */
export function Dot({ kind }: { kind: 'sun' | 'verdigris' | 'clay' }) {
  return <span class={`dot ${kind}`} aria-hidden="true" />
}

/** A badge; screen readers get `words` in place of the number. Nothing for zero. */
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
