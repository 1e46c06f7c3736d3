// Notes in the page: what happened, what is kept, what to do.
import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'
import './note.css'

type Props = {
  readonly kind: 'good' | 'sun' | 'clay' | 'plain'
  readonly title?: string
  readonly icon?: IconName
  /** Buttons below the text. */
  readonly actions?: ComponentChildren
  /** At the right of the title. */
  readonly aside?: ComponentChildren
  readonly children?: ComponentChildren
}

const icons: Readonly<Record<Props['kind'], IconName>> = {
  good: 'check',
  sun: 'clock',
  clay: 'triangle',
  plain: 'shield',
}

/** A clay note has the role `alert`: screen readers announce it. */
export function Note({ kind, title, icon = icons[kind], actions, aside, children }: Props) {
  return (
    <div class={`note ${kind}`} role={kind === 'clay' ? 'alert' : undefined}>
      <Icon name={icon} />
      <div class="note-words">
        {title && (
          <div class="note-head">
            <strong>{title}</strong>
            {aside}
          </div>
        )}
        {children && <div>{children}</div>}
        {actions && <div class="note-actions">{actions}</div>}
      </div>
    </div>
  )
}
