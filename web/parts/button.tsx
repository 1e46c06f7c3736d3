// Buttons: primary (one per view), plain, quiet, clay for destructive actions, sun for what waits.
import type { ComponentChildren, Ref } from 'preact'
import './button.css'
import { Icon, type IconName } from './icon.tsx'
import { Spinner } from './mark.tsx'

type Props = {
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'clay' | 'sun'
  readonly size?: 'usual' | 'small' | 'large'
  readonly icon?: IconName
  /** Its action runs: a spinner before the same label, and clicks are ignored. */
  readonly busy?: boolean
  readonly disabled?: boolean
  readonly onClick?: (event: MouseEvent) => void
  readonly type?: 'button' | 'submit'
  readonly expanded?: boolean | undefined
  readonly popup?: 'menu' | 'dialog'
  readonly title?: string
  readonly name?: string
  readonly buttonRef?: Ref<HTMLButtonElement>
  readonly children?: ComponentChildren
}

export function Button({ kind = 'plain', size = 'usual', icon, busy = false, children, ...rest }: Props) {
  return (
    <button
      class={`button ${kind} ${size}`}
      type={rest.type ?? 'button'}
      {...pressable({ ...rest, busy })}
      aria-busy={busy}
      aria-expanded={rest.expanded}
      aria-haspopup={rest.popup}
      aria-label={rest.name}
      title={rest.title}
      ref={rest.buttonRef ?? null}
    >
      {busy ? <Spinner /> : icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

type Press = {
  readonly busy?: boolean
  readonly disabled?: boolean
  readonly onClick?: (event: MouseEvent) => void
}

/** Clicks are ignored while busy or disabled; a busy button keeps the focus. */
export function pressable({ busy = false, disabled = false, onClick }: Press) {
  return { disabled, 'aria-disabled': busy, onClick: busy ? undefined : onClick }
}

type IconProps = {
  readonly icon: IconName
  /** Accessible name and tooltip. */
  readonly name: string
  /** Accessible description: what it belongs to. */
  readonly of?: string | undefined
  readonly onClick?: (event: MouseEvent) => void
  readonly expanded?: boolean
  readonly popup?: 'menu' | 'dialog'
  /** Its action runs: clicks are ignored. */
  readonly busy?: boolean
  readonly disabled?: boolean
  readonly buttonRef?: Ref<HTMLButtonElement>
}

/** A square button with only an icon. */
export function IconButton({ icon, name, of, expanded, popup, ...rest }: IconProps) {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={name}
      aria-description={of}
      title={name}
      aria-expanded={expanded}
      aria-haspopup={popup}
      {...pressable(rest)}
      ref={rest.buttonRef ?? null}
    >
      <Icon name={icon} />
    </button>
  )
}
